import { within } from '../../kernel/time-limit.ts';

/** Milliseconds for the answer to a question. */
const TIMEOUT_MS = 2_000;

/** A message of either side. Both run one program, so the members are not checked. */
type Message =
  | { readonly say: string; readonly given?: unknown }
  | { readonly ask: string; readonly given?: unknown; readonly id: number }
  | { readonly answerTo: number; readonly value?: unknown; readonly isFailed?: boolean };

/** The behaviour of one side. */
export interface ConversationParts {
  /** Sends a message to the other side. @returns false if that is gone */
  readonly send: (message: object) => boolean;
  /** Handles statements of the other side, by their name. */
  readonly heard: Readonly<Record<string, (given: unknown) => void>>;
  /** Answers questions of the other side, by their name. */
  readonly answers: Readonly<Record<string, (given: unknown) => unknown>>;
}

interface OpenQuestion {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** Statements and questions between the primary and a worker, over the channel of `node:cluster`. */
export class Conversation {
  readonly #parts: ConversationParts;
  readonly #open = new Map<number, OpenQuestion>();
  #lastId = 0;

  constructor(parts: ConversationParts) {
    this.#parts = parts;
  }

  /** States something. Has no effect if the other side is gone. */
  say(name: string, given?: unknown): void {
    this.#parts.send({ say: name, given });
  }

  /**
   * Asks a question.
   * @param patience milliseconds
   * @returns the answer; the name of the question decides its form
   * @throws Error if the other side is gone, fails to answer, or takes too long
   */
  async ask(name: string, given?: unknown, patience = TIMEOUT_MS): Promise<unknown> {
    const id = (this.#lastId += 1);
    const answer = new Promise<unknown>((resolve, reject) => {
      this.#open.set(id, { resolve, reject });
    });
    try {
      if (!this.#parts.send({ ask: name, given, id })) {
        throw new Error(`no other process is left to answer '${name}'`);
      }
      return await within(patience, answer, () => new Error(`the other process does not answer '${name}'`));
    } finally {
      this.#open.delete(id);
    }
  }

  /** Notes that the other side is gone: no open question is answered any more. */
  end(): void {
    for (const { reject } of this.#open.values()) {
      reject(new Error('the other process is gone'));
    }
  }

  /** Takes a message of the other side. */
  receive(message: unknown): void {
    const heard = message as Message;
    if ('answerTo' in heard) {
      const question = this.#open.get(heard.answerTo);
      if (heard.isFailed === true) {
        question?.reject(new Error('the other process could not answer'));
      } else {
        question?.resolve(heard.value);
      }
    } else if ('ask' in heard) {
      void this.#answer(heard.ask, heard.given, heard.id);
    } else {
      this.#parts.heard[heard.say]?.(heard.given);
    }
  }

  async #answer(name: string, given: unknown, id: number): Promise<void> {
    try {
      this.#parts.send({ answerTo: id, value: await this.#parts.answers[name]?.(given) });
    } catch {
      this.#parts.send({ answerTo: id, isFailed: true });
    }
  }
}
