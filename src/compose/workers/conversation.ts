import { withTimeLimit } from '../../kernel/time-limit.ts';

/** Milliseconds for the answer to a request. */
const TIMEOUT_MS = 2_000;

/** A message of either side. Both run one program, so the members are not checked. */
type ProcessMessage =
  | { readonly notify: string; readonly value?: unknown }
  | { readonly request: string; readonly value?: unknown; readonly id: number }
  | { readonly answerTo: number; readonly value?: unknown; readonly isFailed?: boolean };

/** The behaviour of one side. */
export interface ConversationDependencies {
  /** Sends a message to the other side. @returns false if that is gone */
  readonly send: (message: object) => boolean;
  /** Handles notices of the other side, by their name. */
  readonly notices: Readonly<Record<string, (value: unknown) => void>>;
  /** Answers requests of the other side, by their name. */
  readonly answers: Readonly<Record<string, (value: unknown) => unknown>>;
}

interface OpenRequest {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** Notices and requests between the primary and a worker, over the channel of `node:cluster`. */
export class Conversation {
  readonly #deps: ConversationDependencies;
  readonly #open = new Map<number, OpenRequest>();
  #lastId = 0;

  constructor(parts: ConversationDependencies) {
    this.#deps = parts;
  }

  /** Sends a notice. Has no effect if the other side is gone. */
  notify(name: string, value?: unknown): void {
    this.#deps.send({ notify: name, value });
  }

  /**
   * Sends a request.
   * @param timeoutMs milliseconds
   * @returns the answer; the name of the request decides its form
   * @throws Error if the other side is gone, fails to answer, or takes too long
   */
  async request(name: string, value?: unknown, timeoutMs = TIMEOUT_MS): Promise<unknown> {
    const id = (this.#lastId += 1);
    const answer = new Promise<unknown>((resolve, reject) => {
      this.#open.set(id, { resolve, reject });
    });
    try {
      if (!this.#deps.send({ request: name, value, id })) {
        throw new Error(`no other process is left to answer '${name}'`);
      }
      return await withTimeLimit(
        timeoutMs,
        answer,
        () => new Error(`the other process does not answer '${name}'`),
      );
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
    const received = message as ProcessMessage;
    if ('answerTo' in received) {
      const open = this.#open.get(received.answerTo);
      if (received.isFailed === true) {
        open?.reject(new Error('the other process could not answer'));
      } else {
        open?.resolve(received.value);
      }
    } else if ('request' in received) {
      void this.#answer(received.request, received.value, received.id);
    } else {
      this.#deps.notices[received.notify]?.(received.value);
    }
  }

  async #answer(name: string, value: unknown, id: number): Promise<void> {
    try {
      this.#deps.send({ answerTo: id, value: await this.#deps.answers[name]?.(value) });
    } catch {
      this.#deps.send({ answerTo: id, isFailed: true });
    }
  }
}
