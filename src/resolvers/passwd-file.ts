import { type BigIntStats, constants } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import type { DirectoryPasswords, DirectoryUser, UserSource } from '../accounts/ports.ts';
import { ServiceError } from '../kernel/errors.ts';
import type { Log } from '../kernel/log.ts';
import { type PasswdContent, PasswdFault, readPasswd } from './passwd-content.ts';

/** What was read, and of which state of the file. */
interface Reading {
  readonly stamp: string;
  readonly content: PasswdContent;
}

const LARGEST = 64 * 1024 * 1024;
const ATTEMPTS = 3;

/**
 * The users of a passwd file, read again whenever the file changes. It answers from the file as it is now or not at
 * all: once a file is gone or broken, what it held before does not count any more, as somebody may have been removed.
 */
export class PasswdFile implements UserSource {
  readonly #resolver: string;
  readonly #fileName: string;
  readonly #passwords: DirectoryPasswords;
  readonly #log: Log;
  #last: Reading | undefined;
  #underWay: Promise<Reading> | undefined;

  /** @param dependencies `resolver` its name, for messages */
  constructor(dependencies: {
    readonly resolver: string;
    readonly fileName: string;
    readonly passwords: DirectoryPasswords;
    readonly log: Log;
  }) {
    this.#resolver = dependencies.resolver;
    this.#fileName = dependencies.fileName;
    this.#passwords = dependencies.passwords;
    this.#log = dependencies.log;
  }

  async findByLogin(login: string): Promise<DirectoryUser | undefined> {
    return (await this.#content()).byLogin.get(login);
  }

  async findById(userId: string): Promise<DirectoryUser | undefined> {
    return (await this.#content()).byId.get(userId);
  }

  async list(): Promise<readonly DirectoryUser[]> {
    return [...(await this.#content()).byLogin.values()];
  }

  async count(): Promise<number> {
    return (await this.#content()).byLogin.size;
  }

  /** Verifies what stands in the second field; a file that has its passwords elsewhere (`x`) has none here. */
  async checkPassword(userId: string, password: string): Promise<boolean> {
    const stored = (await this.#content()).passwords.get(userId) ?? null;
    const verdict = await this.#passwords.verify(stored, password);
    if (verdict === 'unknown') {
      this.#log.warn('A resolver keeps a password in a form that is not verified', {
        resolver: this.#resolver,
      });
    }
    return verdict === 'match';
  }

  async #content(): Promise<PasswdContent> {
    try {
      const stamp = stampOf(await stat(this.#fileName, { bigint: true }));
      const current = this.#last?.stamp === stamp ? this.#last : await this.#readOnce();
      return current.content;
    } catch (cause) {
      this.#last = undefined;
      throw this.#unavailable(cause);
    }
  }

  /** Whoever asks while the file is being read waits for that reading. */
  async #readOnce(): Promise<Reading> {
    this.#underWay ??= readWhole(this.#fileName);
    try {
      this.#last = await this.#underWay;
      return this.#last;
    } finally {
      this.#underWay = undefined;
    }
  }

  #unavailable(cause: unknown): ServiceError {
    return new ServiceError(
      'resolver.unavailable',
      `The resolver '${this.#resolver}' is unavailable: its file cannot be used, ${reasonOf(cause)}`,
      { cause, detail: `passwd file ${this.#fileName}` },
    );
  }
}

/** Reads again when the file changed meanwhile: half of it must not pass for all of it. */
async function readWhole(fileName: string): Promise<Reading> {
  // Without O_NONBLOCK, a named pipe would never be opened.
  const handle = await open(fileName, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const before = await handle.stat({ bigint: true });
      assertRegular(before);
      const content = await readPasswd(chunksOf(handle), LARGEST);
      const stamp = stampOf(before);
      if (stamp === stampOf(await handle.stat({ bigint: true }))) {
        return { stamp, content };
      }
    }
  } finally {
    await handle.close();
  }
  throw new PasswdFault('it changes while it is being read');
}

function assertRegular(stats: BigIntStats): void {
  if (!stats.isFile()) {
    throw new PasswdFault('it is not a regular file');
  }
}

function chunksOf(handle: FileHandle): AsyncIterable<Buffer> {
  return handle.createReadStream({ autoClose: false, start: 0 }) as AsyncIterable<Buffer>;
}

/** Inode, size and times: one of them moves with every change. */
function stampOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [dev, ino, size, mtimeNs, ctimeNs].join(':');
}

function reasonOf(cause: unknown): string {
  if (cause instanceof PasswdFault) {
    return cause.message;
  }
  const code = (cause as NodeJS.ErrnoException).code ?? 'unknown fault';
  return code === 'ENOENT' ? 'it does not exist' : `it cannot be read (${code})`;
}
