import { CliFailure } from './cli-failure.ts';
import type { CliIo } from './dependencies.ts';
import { readBytes, readFileBytes } from './files.ts';

/** Bytes; longer than any useful password, PIN or key. */
const MAX_BYTES = 64 * 1024;

/** A secret to read, and its source. */
export interface SecretSource {
  /** The name in the prompt: `Password of bert`. */
  readonly name: string;
  /** The file that holds it, `-` for standard input; undefined: prompts at the terminal. */
  readonly file: string | undefined;
  /** The option that names the file, for the message without a terminal. */
  readonly option: string;
  /** Prompts twice. */
  readonly isNew: boolean;
  /** What to do instead of giving an empty one; a clause. */
  readonly hint?: string;
}

/**
 * Reads a secret from a file, from standard input or from a hidden prompt; never from an argument, which every user of
 * the machine can see. One line end at its end is dropped.
 * @throws CliFailure if it cannot be read, is empty, or was typed differently the second time
 */
export async function readSecret(io: CliIo, source: SecretSource): Promise<string> {
  const secret =
    source.file === undefined ? await ask(io, source) : await readSecretText(io, source.file, source.name);
  if (secret === '') {
    const place = source.file === undefined ? '' : `: ${source.file}, given by ${source.option}`;
    const hint = source.hint === undefined ? '' : `. ${source.hint}`;
    throw new CliFailure(`${source.name} is empty${place}${hint}`);
  }
  return secret;
}

/**
 * @param file a path, or `-` for standard input
 * @returns its text without one line end at its end
 * @throws CliFailure if it cannot be read, is too long or is not UTF-8
 */
export async function readSecretText(io: CliIo, file: string, name: string): Promise<string> {
  const bytes = file === '-' ? await readBytes(io.stdin, MAX_BYTES) : await readFileBytes(file, MAX_BYTES);
  if (bytes.length > MAX_BYTES) {
    throw new CliFailure(`${name} is longer than ${MAX_BYTES} bytes`);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes).replace(/\r?\n$/, '');
  } catch {
    throw new CliFailure(`${name} is not UTF-8 text`);
  }
}

async function ask(io: CliIo, { name, option, isNew }: SecretSource): Promise<string> {
  if (!io.isInteractive) {
    throw new CliFailure(`${name} cannot be asked for without a terminal: give ${option} FILE (- for stdin)`);
  }
  const secret = await io.readSecret(`${name}: `);
  if (isNew && secret !== (await io.readSecret(`${name} again: `))) {
    throw new CliFailure('the two entries differ');
  }
  return secret;
}
