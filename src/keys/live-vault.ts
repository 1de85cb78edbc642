import {
  type DerivedKey,
  type KeyDerivation,
  type KeyRegistry,
  neededKeys,
  type RegisteredKey,
  type Vault,
  type Sealed,
  sealingKey,
  type SecretPurpose,
  keyIdOf,
  opensCanary,
  type SecretVault,
  type KeyRegistration,
  type KeySource,
  type WrappedKey,
} from './vault.ts';
import { ServiceError } from '../kernel/errors.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { BackgroundLoop } from '../kernel/background-loop.ts';
import { describeFault, type Log } from '../kernel/log.ts';
import type { KeyStore } from './key-store.ts';
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { systemRandom } from '../kernel/system-random.ts';
import { packageVersion } from '../kernel/package-version.ts';
import { KeyFileKeys, openVault } from './key-file.ts';
import { openWrappedVault, WrappedKeys, Pkcs11Module, type Pkcs11Settings } from './wrapped-vault.ts';

/** Dependencies of a live vault. */
interface LiveVaultDependencies {
  /** The vault of the start. */
  readonly vault: SecretVault;
  /** The ids of the needed keys, as the database had them at the start. */
  readonly needed: readonly string[];
  readonly registry: Pick<KeyRegistry, 'registered'>;
  /**
   * Fetches keys from their storage.
   * @param missing the ids of the keys; the result may hold others
   */
  readonly fetch: (missing: readonly RegisteredKey[]) => Promise<readonly Uint8Array[]>;
}

/**
 * The vault of a process whose keys change while it runs: it loads added keys, and seals with the one that the database
 * names. It keeps loaded keys until it ends.
 */
export class LiveVault implements Vault, KeyDerivation {
  readonly #deps: LiveVaultDependencies;
  #vault: SecretVault;
  #needed: readonly string[];
  #refreshing: Promise<readonly string[]> | undefined;

  constructor(dependencies: LiveVaultDependencies) {
    this.#deps = dependencies;
    this.#vault = dependencies.vault;
    this.#needed = dependencies.needed;
  }

  get currentKeyId(): string {
    return this.#vault.currentKeyId;
  }

  get keyIds(): readonly string[] {
    return this.#vault.keyIds;
  }

  /** The ids of the keys that the database needs, as of the last read. */
  get neededKeyIds(): readonly string[] {
    return this.#needed;
  }

  seal(plain: Uint8Array, purpose: SecretPurpose, subject: string): Sealed {
    return this.#vault.seal(plain, purpose, subject);
  }

  open(secret: Sealed, purpose: SecretPurpose, subject: string): Buffer {
    return this.#vault.open(secret, purpose, subject);
  }

  derive(purpose: string): readonly [DerivedKey, ...DerivedKey[]] {
    return this.#vault.derive(purpose);
  }

  /** @returns the ids of the keys that the database needs and that are not available */
  refresh(): Promise<readonly string[]> {
    this.#refreshing ??= this.#refresh().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  async #refresh(): Promise<readonly string[]> {
    const registered = await this.#deps.registry.registered();
    const needed = neededKeys(registered);
    this.#needed = needed.map(({ keyId }) => keyId);
    const missing = needed.filter(({ keyId }) => !this.keyIds.includes(keyId));
    const found = missing.length === 0 ? [] : await this.#deps.fetch(missing);
    const added = found.filter((key) => missing.some(({ keyId }) => keyId === keyIdOf(key)));
    const candidate = this.#vault.withKeys(added, sealingKey(registered));
    const altered = missing.filter(
      (key) => candidate.keyIds.includes(key.keyId) && !opensCanary(candidate, key),
    );
    if (altered.length > 0) {
      // As at a start: a key that does not open its canary is not the database's.
      return altered.map(({ keyId }) => keyId);
    }
    this.#vault = candidate;
    return this.#needed.filter((keyId) => !candidate.keyIds.includes(keyId));
  }
}

interface KeyFollowerDependencies {
  readonly vault: LiveVault;
  readonly holders: Pick<KeyStore, 'beat' | 'leave'>;
  /** Unique to this process. */
  readonly id: string;
  /** For operators: host name, process id and version. */
  readonly place: string;
  readonly log: Log;
  /** Milliseconds between two reads of the list; default 2000. */
  readonly pause?: number;
}

const PAUSE_MS = 2_000;
/** Maximum time that `stop` waits for the removal of its record, in milliseconds. */
const LEAVE_TIMEOUT_MS = 500;

/** Keeps a server's keys in step with the database's list of them, and records the keys that the server has. */
export class KeyFollower {
  readonly #deps: KeyFollowerDependencies;
  readonly #loop = new BackgroundLoop(async ({ signal, rest }) => {
    await rest(this.#deps.pause ?? PAUSE_MS);
    if (!signal.aborted) {
      await this.#follow();
    }
  });
  #missing: readonly string[] = [];
  #isTrouble = false;

  constructor(options: KeyFollowerDependencies) {
    this.#deps = options;
  }

  /**
   * Records the present keys first, then reads the needed ones: a key that is added meanwhile is either read here, or
   * the server that is about to use it sees this record.
   * @throws ServiceError 'key.unavailable' when a needed key is not available
   */
  async start(): Promise<void> {
    await this.#beat();
    const missing = await this.#deps.vault.refresh();
    if (missing.length > 0) {
      await this.#deps.holders.leave(this.#deps.id);
      throw new ServiceError(
        'key.unavailable',
        `The encryption key ${missing.join(', ')} was added a moment ago and is not here yet`,
      );
    }
    this.#loop.start();
  }

  async stop(): Promise<void> {
    await Promise.race([this.#end(), sleep(LEAVE_TIMEOUT_MS, undefined, { ref: false })]);
  }

  async #end(): Promise<void> {
    await this.#loop.stop();
    // If this fails, the record of the server expires some seconds later.
    await this.#deps.holders.leave(this.#deps.id).catch(() => undefined);
  }

  async #follow(): Promise<void> {
    try {
      try {
        await this.#refresh();
      } finally {
        // A server that cannot load a key continues, and the server that is about to use that key must know.
        await this.#beat();
      }
      this.#isTrouble = false;
    } catch (error) {
      this.#reportTrouble(error);
    }
  }

  async #refresh(): Promise<void> {
    const { vault, log } = this.#deps;
    const before = vault.currentKeyId;
    this.#report(await vault.refresh());
    if (vault.currentKeyId !== before) {
      log.info('Another encryption key seals from now on', { component: 'keys', keyId: vault.currentKeyId });
    }
  }

  async #beat(): Promise<void> {
    const { vault, holders, id, place } = this.#deps;
    await holders.beat(id, { place, keyIds: vault.keyIds, sealingKey: vault.currentKeyId });
  }

  /** Logs each missing key once. */
  #report(missing: readonly string[]): void {
    missing
      .filter((keyId) => !this.#missing.includes(keyId))
      .forEach((keyId) => {
        this.#deps.log.warn(
          'An encryption key was added that is not here yet: bring the key file here, it is read by itself',
          { component: 'keys', keyId },
        );
      });
    this.#missing = missing;
  }

  /** Logs once until it works again. */
  #reportTrouble(error: unknown): void {
    if (!this.#isTrouble) {
      this.#isTrouble = true;
      this.#deps.log.warn(
        'The list of encryption keys cannot be followed; those that are loaded still serve',
        {
          component: 'keys',
          ...describeFault(error),
        },
      );
    }
  }
}

type KeyList = KeyRegistry & KeyRegistration;

/** The vault of an installation, and the source of its keys. */
export interface OpenedKeys {
  readonly vault: LiveVault;
  readonly source: KeySource;
}

/** Where the keys are: in a key file, unless a security module is named. */
interface KeySettings {
  readonly encryptionKeyFile: string;
  readonly pkcs11: Pkcs11Settings | undefined;
}

/**
 * Opens the vault by the configured security module, and logs warnings and notes for operators.
 * @throws ServiceError 'key.unavailable', 'security-module.unavailable'
 */
export async function openKeys(settings: KeySettings, registry: KeyList, log: Log): Promise<OpenedKeys> {
  const { vault, source } = await openSource(settings, registry, log);
  const needed = neededKeys(await registry.registered()).map(({ keyId }) => keyId);
  const live = new LiveVault({ vault, needed, registry, fetch: (missing) => source.fetch(missing) });
  return { vault: live, source };
}

async function openSource(
  { pkcs11, encryptionKeyFile: file }: KeySettings,
  registry: KeyList,
  log: Log,
): Promise<{ readonly vault: SecretVault; readonly source: KeySource }> {
  const random = systemRandom;
  if (pkcs11 === undefined) {
    const { vault, created, warnings } = await openVault({ keyFile: file, registry, random });
    const note =
      'A new encryption key was made: keep a copy of the key file in a safe place, apart from the database';
    tell(log, warnings, created ? [note] : []);
    return { vault, source: new KeyFileKeys({ file, random }) };
  }
  const module = new Pkcs11Module(pkcs11);
  const { vault, notes, warnings } = await openWrappedVault({ module, keyFile: file, registry, random });
  tell(log, warnings, notes);
  return { vault, source: new WrappedKeys({ module, registry, random }) };
}

function tell(log: Log, warnings: readonly string[], notes: readonly string[]): void {
  warnings.forEach((warning) => {
    log.warn(warning);
  });
  notes.forEach((note) => {
    log.info(note);
  });
}

/**
 * Lets the vault of a server follow the database's list of keys.
 * @returns the function that stops following
 * @throws ServiceError 'key.unavailable'
 */
export async function followKeys(
  holders: KeyStore,
  { vault }: Pick<OpenedKeys, 'vault'>,
  log: Log,
): Promise<() => Promise<void>> {
  const follower = new KeyFollower({
    vault,
    holders,
    id: randomUUID(),
    place: `${hostname()}:${process.pid} (${packageVersion()})`,
    log,
  });
  await follower.start();
  return () => follower.stop();
}

/** The keys that a backup names, for a vault that is opened before a database has them. Changes are forgotten. */
export class BackedUpKeys implements KeyRegistry, KeyRegistration {
  readonly #keys: Map<string, RegisteredKey>;

  constructor(keys: readonly RegisteredKey[]) {
    this.#keys = new Map(keys.map((key) => [key.keyId, key]));
  }

  registered(): Promise<readonly RegisteredKey[]> {
    return Promise.resolve([...this.#keys.values()]);
  }

  register(keyId: string, canary: Buffer, wrapped?: WrappedKey): Promise<boolean> {
    return this.#set(keyId, { keyId, canary, ...(wrapped !== undefined && { wrapped }) });
  }

  addWrapped(keyId: string, wrapped: WrappedKey): Promise<boolean> {
    const key = this.#keys.get(keyId);
    return key === undefined || key.wrapped !== undefined
      ? Promise.resolve(false)
      : this.#set(keyId, { ...key, wrapped }, true);
  }

  withRegistration<T>(work: (registry: KeyRegistry) => Promise<T>): Promise<T> {
    return work(this);
  }

  #set(keyId: string, key: RegisteredKey, isKnown = false): Promise<boolean> {
    const isFree = this.#keys.has(keyId) === isKnown;
    if (isFree) {
      this.#keys.set(keyId, key);
    }
    return Promise.resolve(isFree);
  }
}
