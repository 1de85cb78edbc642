import {
  type KeyRegistration,
  type KeyRegistry,
  type KeySource,
  neededKeys,
  type NewKey,
  type RegisteredKey,
  sealingKey,
  type Vault,
  KEY_LENGTH,
  keyIdOf,
  opensCanary,
  sealCanary,
  SecretVault,
  assertHolds,
  notReady,
} from './vault.ts';
import type { Random } from '../kernel/clock.ts';
import { isServiceError, ServiceError } from '../kernel/errors.ts';
import { readKeyFile } from './key-file.ts';
import type { KeyBytes, Pkcs11Result, Pkcs11Answer, Pkcs11Task, Pkcs11Reason } from './pkcs11-process.ts';
import { type ChildProcess, fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

interface WrappedVaultDependencies {
  readonly module: Pick<Pkcs11Module, 'run' | 'name' | 'createsKey'>;
  /** The key file of the time before the module, if any. */
  readonly keyFile: string;
  readonly registry: KeyRegistration;
  readonly random: Random;
}

/** The vault, with the findings of its opening. */
export interface WrappedVault {
  readonly vault: SecretVault;
  /** Information for operators, in words for the log. */
  readonly notes: readonly string[];
  /** Faults that operators should correct. */
  readonly warnings: readonly string[];
}

/**
 * Opens the vault with the wrapped keys of the database, after the module has unwrapped them. A database without any
 * gets a new key, which is never in a file. Keys that are only in a key file are wrapped as well; the file stays as it
 * is. Where a key is missing, nothing is written.
 * @throws ServiceError 'security-module.unavailable'; 'key.unavailable' that names the needed keys and their place
 */
export async function openWrappedVault(dependencies: WrappedVaultDependencies): Promise<WrappedVault> {
  return dependencies.registry.withRegistration(async (registry) => {
    const registered = await registry.registered();
    const fromFile = await keysOfFile(registered, dependencies);
    const fresh = registered.length === 0 ? [toKeyBytes(dependencies.random.bytes(KEY_LENGTH))] : [];
    const result = await run(dependencies, registered, [...fromFile, ...fresh]);
    const vault = vaultOf([...result.unwrapped, ...fromFile, ...fresh], registered, dependencies.random);
    await keep(registry, registered, { vault, result, by: dependencies.module.name });
    return { vault, warnings: result.warnings, notes: notesOf(dependencies, result, fromFile.length) };
  });
}

/**
 * @param keys unwrapped by the module
 * @param registered in the order of their registration; names the sealing key
 * @throws ServiceError 'security-module.unavailable' when a key does not match its id
 */
function vaultOf(
  keys: readonly KeyBytes[],
  registered: readonly RegisteredKey[],
  random: Random,
): SecretVault {
  if (keys.some(({ keyId, bytes }) => keyIdOf(bytes) !== keyId)) {
    throw notReady('it unwrapped another key than the one asked for', 'the database was altered');
  }
  const current = sealingKey(registered);
  const currentFirst = [...keys].sort(
    (one, other) => Number(other.keyId === current) - Number(one.keyId === current),
  );
  const vault = new SecretVault({ keys: currentFirst.map(({ bytes }) => bytes), random });
  for (const key of registered.filter(({ keyId }) => vault.keyIds.includes(keyId))) {
    if (!opensCanary(vault, key)) {
      throw new ServiceError(
        'key.unavailable',
        `The encryption key ${key.keyId} does not open what the database keeps to try it: the database was altered. ` +
          'Nothing was written.',
      );
    }
  }
  return vault;
}

/** @returns the wrapped keys among those registered, for the module */
function wrappedAmong(registered: readonly RegisteredKey[]): readonly KeyBytes[] {
  return registered.flatMap(({ keyId, wrapped }) =>
    wrapped === undefined ? [] : [{ keyId, bytes: wrapped.bytes }],
  );
}

/** @returns the keys of the file that are not wrapped yet; their canaries are checked before the module is used */
async function keysOfFile(
  registered: readonly RegisteredKey[],
  { keyFile, random }: WrappedVaultDependencies,
): Promise<readonly KeyBytes[]> {
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
  vaultOf(keys, registered, random);
  return keys;
}

async function run(
  { module }: WrappedVaultDependencies,
  registered: readonly RegisteredKey[],
  wrap: readonly KeyBytes[],
): Promise<Pkcs11Result> {
  const unwrap = wrappedAmong(registered);
  // A new wrapping key beside keys wrapped by another one would hide the loss of the other.
  const request: Pkcs11Request = { createKey: module.createsKey && unwrap.length === 0, wrap, unwrap };
  try {
    return await module.run(request);
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

async function keep(
  registry: KeyRegistry,
  registered: readonly RegisteredKey[],
  { vault, result, by }: { vault: SecretVault; result: Pkcs11Result; by: string },
): Promise<void> {
  for (const { keyId, bytes } of result.wrapped) {
    const wrapped = { bytes: Buffer.from(bytes), by };
    await (registered.some((key) => key.keyId === keyId)
      ? registry.addWrapped(keyId, wrapped)
      : registry.register(keyId, sealCanary(vault), wrapped));
  }
}

function notesOf(
  { module, keyFile }: WrappedVaultDependencies,
  { keyCreated, wrapped }: Pkcs11Result,
  fromFile: number,
): readonly string[] {
  const notes = keyCreated ? [`The security module made the ${module.name}`] : [];
  if (fromFile > 0) {
    notes.push(
      `The key file ${keyFile} is no longer needed: what it holds is in the database now, wrapped by the ${module.name}. ` +
        'Put it away where you keep what must never be lost, and remove it here',
    );
  } else if (wrapped.length > 0) {
    notes.push(
      `A new encryption key was made and wrapped by the ${module.name}: nothing can be read without it. Back the module up`,
    );
  }
  return notes;
}

function toKeyBytes(bytes: Buffer): KeyBytes {
  return { keyId: keyIdOf(bytes), bytes };
}

/** Keys that a hardware module wraps: in the database, and nowhere else. */
export class WrappedKeys implements KeySource {
  readonly place = 'the database';
  readonly #module: Pick<Pkcs11Module, 'run' | 'name'>;
  readonly #registry: Pick<KeyRegistry, 'registered'>;
  readonly #random: Random;
  #running: Promise<Pick<Vault, 'open'>> | undefined;

  constructor(dependencies: {
    readonly module: Pick<Pkcs11Module, 'run' | 'name'>;
    readonly registry: Pick<KeyRegistry, 'registered'>;
    readonly random: Random;
  }) {
    this.#module = dependencies.module;
    this.#registry = dependencies.registry;
    this.#random = dependencies.random;
  }

  async fetch(missing: readonly RegisteredKey[]): Promise<readonly Uint8Array[]> {
    return (await this.#unwrap(missing)).map(({ bytes }) => bytes);
  }

  /** Shares a request in progress with further callers: the module gets one at a time. */
  freshVault(inUse: readonly string[]): Promise<Pick<Vault, 'open'>> {
    this.#running ??= this.#freshVault(inUse).finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #freshVault(inUse: readonly string[]): Promise<Pick<Vault, 'open'>> {
    const registered = await this.#registry.registered();
    const unwrapped = await this.#unwrap(registered);
    if (unwrapped.length === 0) {
      throw notReady('there is nothing for it to unwrap', 'the table encryption_keys has no wrapped key');
    }
    const vault = vaultOf(unwrapped, registered, this.#random);
    assertHolds(vault, inUse);
    return vault;
  }

  async #unwrap(registered: readonly RegisteredKey[]): Promise<readonly KeyBytes[]> {
    const unwrap = wrappedAmong(registered);
    return unwrap.length === 0
      ? []
      : (await this.#module.run({ createKey: false, wrap: [], unwrap })).unwrapped;
  }

  async provide(): Promise<NewKey> {
    const bytes = this.#random.bytes(KEY_LENGTH);
    const keyId = keyIdOf(bytes);
    const result = await this.#module.run({ createKey: false, wrap: [{ keyId, bytes }], unwrap: [] });
    const [wrapped] = result.wrapped;
    if (wrapped === undefined) {
      throw new ServiceError('security-module.unavailable', 'The security module wrapped no key');
    }
    return {
      keyId,
      canary: sealCanary(new SecretVault({ keys: [bytes], random: this.#random })),
      wrapped: { bytes: Buffer.from(wrapped.bytes), by: this.#module.name },
      isMade: true,
    };
  }

  remove(keyId: string): Promise<boolean> {
    return Promise.reject(
      new ServiceError(
        'key.refused',
        `The key ${keyId} is in no file, but in the database, wrapped by ${this.#module.name}; it is retired`,
      ),
    );
  }
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
