import { type ChildProcess, fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Random } from '../kernel/clock.ts';
import { isServiceError, ServiceError } from '../kernel/errors.ts';
import type { Log } from '../kernel/log.ts';
import { readKeyFile } from './key-file.ts';
import type { KeyBytes, Pkcs11Answer, Pkcs11Reason, Pkcs11Result, Pkcs11Task } from './pkcs11-process.ts';
import {
  type FoundKeys,
  KEY_LENGTH,
  keyIdOf,
  type KeySource,
  neededKeys,
  newKey,
  notReady,
  type RegisteredKey,
  vaultOf,
} from './vault.ts';

/** Keys that a hardware module wraps: in the database, and nowhere else. */
export class WrappedKeys implements KeySource {
  readonly place = 'the database';
  readonly #deps;

  constructor(dependencies: {
    readonly module: Pick<Pkcs11Module, 'run' | 'name' | 'createsKey'>;
    /** The key file of the time before the module, if any. */
    readonly keyFile: string;
    readonly random: Random;
  }) {
    this.#deps = dependencies;
  }

  /**
   * A database without keys gets a new one, which is never in a file. Keys that are only in a key file are wrapped as
   * well; the file stays as it is.
   */
  async open(registered: readonly RegisteredKey[], log: Log): Promise<FoundKeys> {
    const { module, random } = this.#deps;
    const fromFile = await this.#keysOfFile(registered);
    const fresh = registered.length === 0 ? [toKeyBytes(random.bytes(KEY_LENGTH))] : [];
    const plain = [...fromFile, ...fresh];
    const result = await this.#run(registered, plain);
    const added = result.wrapped.flatMap(({ keyId, bytes }) =>
      plain
        .filter((key) => key.keyId === keyId)
        .map((key) => newKey(key.bytes, random, { bytes: Buffer.from(bytes), by: module.name })),
    );
    this.#tell(log, result, fromFile.length);
    return { keys: [...unwrappedIn(result), ...plain.map(({ bytes }) => bytes)], added };
  }

  async read(registered: readonly RegisteredKey[]): Promise<readonly Uint8Array[]> {
    const unwrap = wrappedAmong(registered);
    if (unwrap.length === 0) {
      throw notReady('there is nothing for it to unwrap', 'the table encryption_keys has no wrapped key');
    }
    return unwrappedIn(await this.#deps.module.run({ createKey: false, wrap: [], unwrap }));
  }

  async provide(): ReturnType<KeySource['provide']> {
    const { module, random } = this.#deps;
    const key = toKeyBytes(random.bytes(KEY_LENGTH));
    const { wrapped } = await module.run({ createKey: false, wrap: [key], unwrap: [] });
    const [own] = wrapped;
    if (own === undefined) {
      throw new ServiceError('security-module.unavailable', 'The security module wrapped no key');
    }
    return { ...newKey(key.bytes, random, { bytes: Buffer.from(own.bytes), by: module.name }), isMade: true };
  }

  /** @returns the keys of the file that are not wrapped yet; their canaries are checked before the module is used */
  async #keysOfFile(registered: readonly RegisteredKey[]): Promise<readonly KeyBytes[]> {
    const { keyFile, random } = this.#deps;
    const needed = neededKeys(registered)
      .filter(({ wrapped }) => wrapped === undefined)
      .map(({ keyId }) => keyId);
    if (needed.length === 0) {
      return [];
    }
    const found = ((await readKeyFile(keyFile))?.keys ?? []).map(toKeyBytes);
    const keys = found.filter(({ keyId }) => needed.includes(keyId));
    const missing = needed.filter((keyId) => !keys.some((key) => key.keyId === keyId));
    if (missing.length > 0) {
      throw new ServiceError(
        'key.unavailable',
        `The database needs the encryption ${missing.length === 1 ? 'key' : 'keys'} ${missing.join(', ')}, which no ` +
          `security module has wrapped yet, and the key file ${keyFile} does not hold. Bring the key file back for one ` +
          'start; nothing was written.',
      );
    }
    vaultOf(
      keys.map(({ bytes }) => bytes),
      registered,
      random,
    );
    return keys;
  }

  async #run(registered: readonly RegisteredKey[], wrap: readonly KeyBytes[]): Promise<Pkcs11Result> {
    const { module } = this.#deps;
    const unwrap = wrappedAmong(registered);
    try {
      // A new wrapping key beside keys wrapped by another one would hide the loss of the other.
      return await module.run({ createKey: module.createsKey && unwrap.length === 0, wrap, unwrap });
    } catch (error) {
      const elsewhere = registered.find(({ wrapped }) => wrapped !== undefined && wrapped.by !== module.name);
      if (!isServiceError(error, 'security-module.unavailable') || elsewhere?.wrapped === undefined) {
        throw error;
      }
      const hint = `key ${elsewhere.keyId} was wrapped by ${elsewhere.wrapped.by}`;
      throw new ServiceError(error.code, error.message, {
        detail: `${error.detail ?? ''}; ${hint}`,
        cause: error,
      });
    }
  }

  #tell(log: Log, { keyCreated, wrapped, warnings }: Pkcs11Result, fromFile: number): void {
    const { module, keyFile } = this.#deps;
    warnings.forEach((warning) => {
      log.warn(warning);
    });
    if (keyCreated) {
      log.info(`The security module made the ${module.name}`);
    }
    if (fromFile > 0) {
      log.info(
        `The key file ${keyFile} is no longer needed: what it holds is in the database now, wrapped by the ${module.name}. ` +
          'Put it away where you keep what must never be lost, and remove it here',
      );
    } else if (wrapped.length > 0) {
      log.info(
        `A new encryption key was made and wrapped by the ${module.name}: nothing can be read without it. Back the module up`,
      );
    }
  }
}

function toKeyBytes(bytes: Buffer): KeyBytes {
  return { keyId: keyIdOf(bytes), bytes };
}

/** @returns the wrapped keys among those registered, for the module */
function wrappedAmong(registered: readonly RegisteredKey[]): readonly KeyBytes[] {
  return registered.flatMap(({ keyId, wrapped }) =>
    wrapped === undefined ? [] : [{ keyId, bytes: wrapped.bytes }],
  );
}

/** @throws ServiceError 'security-module.unavailable' when a key does not match its id */
function unwrappedIn({ unwrapped }: Pkcs11Result): readonly Uint8Array[] {
  if (unwrapped.some(({ keyId, bytes }) => keyIdOf(bytes) !== keyId)) {
    throw notReady('it unwrapped another key than the one asked for', 'the database was altered');
  }
  return unwrapped.map(({ bytes }) => bytes);
}

/** The place of the wrapping key, and the login to use it. */
export interface Pkcs11Settings {
  /** The path of the module's library. */
  readonly library: string;
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
