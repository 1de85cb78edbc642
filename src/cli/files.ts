import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, lstat, open, rename, rm, stat } from 'node:fs/promises';
import { CliFailure, EXIT_CODES } from './cli-failure.ts';
import type { CliIo } from './dependencies.ts';

/**
 * @param max bytes; of a longer file, or an endless one, only one more is read
 * @throws CliFailure with the reason if the file cannot be read
 */
export async function readFileBytes(file: string, max: number): Promise<Buffer> {
  try {
    return await readBytes(createReadStream(file, { end: max }), max);
  } catch (error) {
    throw new CliFailure(`cannot read ${file}: ${fileErrorText(error)}`);
  }
}

/** @returns the bytes of a stream, as far as the piece that exceeds `max` */
async function readBytes(stream: AsyncIterable<Buffer | string>, max: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    chunks.push(Buffer.from(chunk));
    size += chunk.length;
    if (size > max) {
      break;
    }
  }
  return Buffer.concat(chunks);
}

/** @returns the fault of a file, in words for the usual reasons */
export function fileErrorText(error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code ?? String(error);
  const words: Readonly<Record<string, string>> = {
    ENOENT: 'there is no such file',
    EACCES: 'permission denied',
    EEXIST: 'there is such a file already',
    ENOSPC: 'the disk is full',
    EISDIR: 'it is a folder',
    ENOTDIR: 'a part of its path is no folder',
    EROFS: 'the file system is read-only',
    EPIPE: 'its reader has ended',
  };
  return words[code] ?? code;
}

/** A written file. */
interface WrittenFile {
  readonly bytes: number;
  /** Hexadecimal. */
  readonly sha256: string;
}

/**
 * A file that appears under its name when it is complete, and readable for its owner only. Until then it has another
 * name in the same folder.
 */
export class NewFile {
  readonly #path: string;
  readonly #partial: string;
  readonly #isReplacing: boolean;
  readonly #handle: FileHandle;
  readonly #hash = createHash('sha256');
  #bytes = 0;

  private constructor(path: string, partial: string, isReplacing: boolean, handle: FileHandle) {
    this.#path = path;
    this.#partial = partial;
    this.#isReplacing = isReplacing;
    this.#handle = handle;
  }

  /**
   * @param isReplacing allows a file of that name, which stays as it is until the new one is complete
   * @throws CliFailure if there is one, or none can be made
   */
  static async begin(path: string, isReplacing: boolean): Promise<NewFile> {
    if (!isReplacing && (await exists(path))) {
      throw new CliFailure(`${path} is there already (--overwrite replaces it)`);
    }
    const partial = `${path}.${randomBytes(4).toString('hex')}.partial`;
    try {
      return new NewFile(path, partial, isReplacing, await open(partial, 'wx', 0o600));
    } catch (error) {
      throw new CliFailure(`cannot write ${path}: ${fileErrorText(error)}`);
    }
  }

  async write(bytes: Uint8Array): Promise<void> {
    try {
      await this.#handle.writeFile(bytes);
    } catch (error) {
      throw new CliFailure(`cannot write ${this.#path}: ${fileErrorText(error)}`);
    }
    this.#hash.update(bytes);
    this.#bytes += bytes.length;
  }

  /** Gives the file its name. */
  async finish(): Promise<WrittenFile> {
    try {
      await this.#handle.sync();
      await this.#handle.close();
      if (!this.#isReplacing) {
        // Takes the name first: a renaming alone replaces a file that has come meanwhile. A link does not, but not
        // every file system has links.
        await (await open(this.#path, 'wx', 0o600)).close();
      }
      await rename(this.#partial, this.#path);
    } catch (error) {
      throw new CliFailure(`cannot write ${this.#path}: ${fileErrorText(error)}`);
    }
    return { bytes: this.#bytes, sha256: this.#hash.digest('hex') };
  }

  /** Removes the incomplete file. */
  async discard(): Promise<void> {
    await this.#handle.close().catch(() => undefined);
    await rm(this.#partial, { force: true });
  }
}

/** Standard output in place of a `NewFile`. What was written when it fails is incomplete, which a reader can tell. */
export class PipedFile {
  readonly #io: Pick<CliIo, 'writeBytes'>;
  readonly #hash = createHash('sha256');
  #bytes = 0;

  /** @throws CliFailure at a terminal */
  constructor(io: Pick<CliIo, 'writeBytes' | 'isTTY'>) {
    if (io.isTTY) {
      throw new CliFailure(
        'standard output is a terminal: give a file, or a program that reads',
        EXIT_CODES.usage,
      );
    }
    this.#io = io;
  }

  async write(bytes: Uint8Array): Promise<void> {
    try {
      await this.#io.writeBytes(bytes);
    } catch (error) {
      throw new CliFailure(`cannot write to standard output: ${fileErrorText(error)}`);
    }
    this.#hash.update(bytes);
    this.#bytes += bytes.length;
  }

  finish(): Promise<WrittenFile> {
    return Promise.resolve({ bytes: this.#bytes, sha256: this.#hash.digest('hex') });
  }

  discard(): Promise<void> {
    return Promise.resolve();
  }
}

/** A file that can be read several times. */
interface ReadableFile {
  readonly open: () => AsyncIterable<Uint8Array>;
  readonly size: { readonly all: number; readonly read: () => number };
}

/** @throws CliFailure if there is no such file, or it is no regular one */
export async function readableFile(path: string): Promise<ReadableFile> {
  const found = await stat(path).catch((error: unknown) => {
    throw new CliFailure(`cannot read ${path}: ${fileErrorText(error)}`);
  });
  if (!found.isFile()) {
    throw new CliFailure(`cannot read ${path}: it is no regular file, and it is read twice`);
  }
  let bytes = 0;
  return {
    open: async function* () {
      bytes = 0;
      try {
        for await (const chunk of createReadStream(path)) {
          bytes += (chunk as Buffer).length;
          yield chunk as Buffer;
        }
      } catch (error) {
        throw new CliFailure(`cannot read ${path}: ${fileErrorText(error)}`);
      }
    },
    size: { all: found.size, read: () => bytes },
  };
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

/** Bytes; longer than any useful password, PIN or key. */
const MAX_BYTES = 64 * 1024;
/** The beginning of a file that age has encrypted, binary or as text. */
const AGE_FILE = /^\s*(?:age-encryption\.org\/|-----BEGIN AGE ENCRYPTED FILE-----)/;

/** A secret to read, and its source. */
interface SecretSource {
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
 * @throws CliFailure if it cannot be read, is too long, encrypted or not UTF-8
 */
export async function readSecretText(io: CliIo, file: string, name: string): Promise<string> {
  const bytes = file === '-' ? await readBytes(io.stdin, MAX_BYTES) : await readFileBytes(file, MAX_BYTES);
  if (bytes.length > MAX_BYTES) {
    throw new CliFailure(`${name} is longer than ${MAX_BYTES} bytes`);
  }
  if (AGE_FILE.test(bytes.toString('latin1', 0, 100))) {
    throw new CliFailure(
      `${name} is itself encrypted by age, such as an identity by a passphrase (age --passphrase). Decrypt it into standard input: age --decrypt FILE | tankeeper …, with - in place of the file`,
    );
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
