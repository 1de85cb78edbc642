import { CliFailure } from '../cli-failure.ts';
import type { CliIo } from '../dependencies.ts';
import type { Fetch } from '../device/scan-code.ts';
import { safeLines } from '../../kernel/terminal-text.ts';
import { compactJson } from './compact-json.ts';
import { curlLine, type DemoRequest, sendDemoRequest } from './demo-request.ts';
import type { DemoServer } from './demo-server.ts';
import { assertAnswer, type Expectation } from './expectation.ts';
import { applyStyle } from '../output.ts';

const WIDEST = 110;
/** Longer than the URLs of QR codes, shorter than pictures. */
const MAX_TEXT_LENGTH = 600;
const SHORTENED = 60;

/** Runs the steps of the tour: numbers them, prints each request and its answer, and checks the answer. */
export class DemoGuide {
  readonly #io: CliIo;
  readonly #fetch: Fetch;
  readonly #server: Pick<DemoServer, 'baseUrl' | 'adminPassword'>;
  #steps = 0;

  constructor(io: CliIo, fetch: Fetch, server: Pick<DemoServer, 'baseUrl' | 'adminPassword'>) {
    this.#io = io;
    this.#fetch = fetch;
    this.#server = server;
  }

  /** The number of steps so far. */
  get steps(): number {
    return this.#steps;
  }

  /** Begins a step. */
  step(title: string): void {
    this.#steps += 1;
    this.#write(`\n${this.#style('bold', `${this.#steps}. ${title}`)}`);
  }

  /** Prints a text about the step; it must not contain input of others. */
  say(text: string): void {
    this.#write(`   ${text.replaceAll('\n', '\n   ')}`);
  }

  /**
   * Shows a request and its answer.
   * @returns the answer's body
   * @throws CliFailure when it is not as expected
   */
  async ask(request: DemoRequest, expected: Expectation): Promise<unknown> {
    const { baseUrl, adminPassword } = this.#server;
    this.#write(`   ${this.#style('cyan', `$ ${curlLine(request, baseUrl, adminPassword)}`)}`);
    const { status, body } = await sendDemoRequest(this.#fetch, this.#server, request);
    const width = Math.min(this.#io.columns, WIDEST) - 3;
    this.say(safeLines(typeof body === 'string' ? body : compactJson(shorten(body), width)));
    try {
      assertAnswer(status, 200, 'HTTP status');
      assertAnswer(body, expected);
    } catch (error) {
      throw error instanceof CliFailure
        ? new CliFailure(`step ${this.#steps} (${request.path}) went wrong: ${error.message}`)
        : error;
    }
    return body;
  }

  #style(style: 'bold' | 'cyan', text: string): string {
    return applyStyle(style, text, this.#io.color);
  }

  #write(text: string): void {
    this.#io.stdout.write(`${text}\n`);
  }
}

/** @returns the answer with pictures truncated */
function shorten(body: unknown): unknown {
  return JSON.parse(JSON.stringify(body), (_key, value: unknown) =>
    typeof value === 'string' && value.length > MAX_TEXT_LENGTH
      ? `${value.slice(0, SHORTENED)}… (${value.length} characters)`
      : value,
  ) as unknown;
}
