import type { CliIo } from '../../src/cli/dependencies.ts';

/** A terminal made of arrays. */
export interface FakeIo extends CliIo {
  /** All that was printed. */
  out(): string;
  err(): string;
  /** The prompts that were shown. */
  readonly prompts: readonly string[];
}

/** @param typed the input at the prompts, in order; without it there is no terminal */
export function fakeIo({
  typed,
  stdin = [],
  terminal,
}: {
  typed?: readonly string[];
  stdin?: readonly string[];
  /** Standard output is a terminal of that width, with colours unless told otherwise. */
  terminal?: { readonly columns: number; readonly color?: boolean };
} = {}): FakeIo {
  const out: string[] = [];
  const err: string[] = [];
  const prompts: string[] = [];
  const answers = [...(typed ?? [])];
  const answer = (prompt: string): Promise<string> => {
    prompts.push(prompt);
    return Promise.resolve(answers.shift() ?? '');
  };
  return {
    stdout: { write: (text) => out.push(text) },
    stderr: { write: (text) => err.push(text) },
    stdin: streamOf(stdin),
    isInteractive: typed !== undefined,
    isTTY: terminal !== undefined,
    color: terminal !== undefined && terminal.color !== false,
    columns: terminal?.columns ?? 100,
    writeBytes: (bytes) => {
      out.push(Buffer.from(bytes).toString('latin1'));
      return Promise.resolve();
    },
    readLine: answer,
    readSecret: answer,
    prompts,
    out: () => out.join(''),
    err: () => err.join(''),
  };
}

// eslint-disable-next-line @typescript-eslint/require-await -- a stream is asynchronous even where its parts are at hand
async function* streamOf(parts: readonly string[]): AsyncGenerator<string> {
  yield* parts;
}
