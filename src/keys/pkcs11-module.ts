import { ServiceError } from '../kernel/errors.ts';
import type { SecretVault } from './vault.ts';
import { type ChildProcess, fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Pkcs11Reason } from './pkcs11-library.ts';
import type { Pkcs11Answer, Pkcs11Result, Pkcs11Task } from './pkcs11-process.ts';

/**
 * @param reason may reach clients
 * @param detail for operators: paths, labels, codes
 * @returns a ServiceError 'security-module.unavailable'
 */
export function notReady(reason: string, detail: string, cause?: unknown): ServiceError {
  return new ServiceError('security-module.unavailable', `The security module is not ready: ${reason}`, {
    detail,
    cause,
  });
}

/** @throws ServiceError 'security-module.unavailable' when a key in use is not among those of the vault */
export function assertHolds({ keyIds }: SecretVault, inUse: readonly string[]): void {
  const missing = inUse.filter((keyId) => !keyIds.includes(keyId));
  if (missing.length > 0) {
    throw notReady('it no longer has a key that is in use', missing.join(', '));
  }
}

/** The place of the wrapping key, and the login to use it. */
export interface Pkcs11Settings {
  /** The path of the module's library. */
  readonly library: string;
  /** The token's label. */
  readonly token: string;
  readonly pinFile: string;
  /** The label of the wrapping AES-256 key. */
  readonly key: string;
  /** The first start makes that key if it does not exist. */
  readonly createKey: boolean;
}

/** A request to the module. */
export type Pkcs11Request = Pick<Pkcs11Task, 'createKey' | 'wrap' | 'unwrap'>;

/** Maximum duration of one task, in milliseconds. */
const TIMEOUT_MS = 15_000;
/** The relative path is the same from src/keys/ and from dist/keys/. */
const PROGRAM = fileURLToPath(new URL('../../bin/pkcs11-process.js', import.meta.url));

/** Public messages: no path and no label. */
const TEXTS: Readonly<Record<Pkcs11Reason, string>> = {
  'package-missing': 'the package pkcs11js is not installed or cannot be loaded',
  'library-unusable': 'its library cannot be used',
  'token-missing': 'its token is not there',
  'token-ambiguous': 'several tokens have that label',
  'pin-refused': 'the PIN is wrong',
  'pin-locked': 'the PIN is locked',
  'pin-last-try': 'one try of the PIN is left, which is kept for people',
  'key-missing': 'the key that wraps is not there',
  'key-ambiguous': 'several keys have the label of the key that wraps',
  'key-unsuitable': 'the key that wraps is of another kind',
  'not-opened': 'the wrapped key does not open: it was altered, or wrapped by another key',
  fault: 'it failed',
};

/**
 * A hardware security module by PKCS #11, used through a separate process for each task: one that hangs or crashes does
 * not affect the server, and a module that is available again is used without a restart.
 */
export class Pkcs11Module {
  readonly #settings: Pkcs11Settings;
  /**
   * The version of the PIN file whose PIN the module refused. It is not tried again, as modules lock after a few tries.
   */
  #refused: string | undefined;

  constructor(settings: Pkcs11Settings) {
    this.#settings = settings;
  }

  /** The key and its token, in words for operators. */
  get name(): string {
    return `key '${this.#settings.key}' of token '${this.#settings.token}'`;
  }

  /** True if the first start makes the wrapping key. */
  get createsKey(): boolean {
    return this.#settings.createKey;
  }

  /** @throws ServiceError 'security-module.unavailable', with the particulars in its detail */
  async run(request: Pkcs11Request): Promise<Pkcs11Result> {
    const { library, token, key, pinFile } = this.#settings;
    const { pin, version } = await readPin(pinFile);
    if (version === this.#refused) {
      throw notReady(
        TEXTS['pin-refused'],
        'not tried again until the PIN file changes or the server starts anew',
      );
    }
    const answer = await ask({ library, token, key, pin, ...request });
    if (answer.done) {
      return answer.result;
    }
    if (answer.reason === 'pin-refused') {
      this.#refused = version;
    }
    throw notReady(TEXTS[answer.reason], answer.detail);
  }
}

/** @returns the PIN, and a version that changes when the file is written anew */
async function readPin(file: string): Promise<{ pin: string; version: string }> {
  try {
    const text = await readFile(file, 'utf8');
    const pin = text.replace(/\r?\n$/, '');
    if (pin === '') {
      throw notReady('the PIN file is empty', `PKCS11_PIN_FILE=${file}`);
    }
    const { mtimeMs, ino } = await stat(file);
    return { pin, version: `${mtimeMs} ${ino} ${createHash('sha256').update(pin).digest('hex')}` };
  } catch (error) {
    if (error instanceof ServiceError) {
      throw error;
    }
    const code = (error as NodeJS.ErrnoException).code ?? 'unreadable';
    throw notReady('the PIN file cannot be read', `PKCS11_PIN_FILE=${file} (${code})`, error);
  }
}

/** Starts the process, sends it the task and waits for its answer, its end or the time limit. */
async function ask(task: Pkcs11Task): Promise<Pkcs11Answer> {
  const child = fork(PROGRAM, [], {
    execArgv: [],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const kill = (): void => {
    child.kill('SIGKILL');
  };
  // A process that hangs in the library would outlive the server.
  process.once('exit', kill);
  const timer = setTimeout(kill, TIMEOUT_MS);
  try {
    return await answerOf(child, task);
  } finally {
    clearTimeout(timer);
    process.off('exit', kill);
    // The process has answered or never will; a library that hangs at its end must not keep it alive.
    kill();
  }
}

function answerOf(child: ChildProcess, task: Pkcs11Task): Promise<Pkcs11Answer> {
  return new Promise((resolve, reject) => {
    child.once('message', (answer) => {
      resolve(answer as Pkcs11Answer);
    });
    child.once('error', (error) => {
      reject(notReady('its process cannot be started', error.message, error));
    });
    child.once('exit', (code, signal) => {
      const how = child.killed
        ? `no answer within ${TIMEOUT_MS / 1000} s`
        : `its process ended (${signal ?? code ?? ''})`;
      reject(notReady(child.killed ? 'it does not answer' : TEXTS.fault, how));
    });
    child.send(task, (error) => {
      if (error !== null) {
        reject(notReady(TEXTS.fault, error.message, error));
      }
    });
  });
}
