import { KeptReading } from '../kernel/bounded-work.ts';
import type { Random } from '../kernel/clock.ts';
import { describeFault, type Log } from '../kernel/log.ts';
import { systemRandom } from '../kernel/system-random.ts';
import { KeyFileKeys } from './key-file.ts';
import type { KeyStore } from './key-store.ts';
import {
  type KeySource,
  keyIdOf,
  neededKeys,
  keysNotReady,
  type RegisteredKey,
  sealingKey,
  type Vault,
  vaultOf,
} from './vault.ts';
import { Pkcs11Module, type Pkcs11Settings, WrappedKeys } from './wrapped-keys.ts';

interface OpenedKeysParts {
  readonly vault: Vault;
  readonly source: KeySource;
  readonly registry: Pick<KeyStore, 'registered'>;
  readonly random: Random;
}

/** The vault of a process, and where its keys come from. */
export class OpenedKeys {
  readonly vault: Vault;
  readonly source: KeySource;
  readonly #registry: Pick<KeyStore, 'registered'>;
  readonly #random: Random;
  readonly #fresh: KeptReading<Vault>;

  constructor({ vault, source, registry, random }: OpenedKeysParts) {
    this.vault = vault;
    this.source = source;
    this.#registry = registry;
    this.#random = random;
    // A module gets one request at a time.
    const read = (): Promise<Vault> => this.#readFresh();
    this.#fresh = new KeptReading({ read, keptMs: 0, elapsed: () => performance.now() });
  }

  /**
   * Reads the keys as they are now, once for all who ask at a time.
   * @returns a vault with them
   * @throws ServiceError 'security-module.unavailable', also when a key that is in use is not among them
   */
  freshVault(): Promise<Vault> {
    return this.#fresh.current();
  }

  async #readFresh(): Promise<Vault> {
    const registered = await this.#registry.registered();
    const keys = await this.source.read(registered);
    const ids = keys.map(keyIdOf);
    const inUse = [this.vault.currentKeyId, ...neededKeys(registered).map(({ keyId }) => keyId)];
    const missing = inUse.filter((keyId) => !ids.includes(keyId));
    if (missing.length > 0) {
      throw keysNotReady('their source no longer has a key that is in use', missing.join(', '));
    }
    return vaultOf(keys, registered, this.#random);
  }

  /**
   * Loads added keys, and seals with the one that the database names, as after a new start. Keys that are loaded stay.
   * Where a key is missing or altered, all is left as it is, which is logged.
   */
  async readAnew(log: Log): Promise<void> {
    try {
      const registered = await this.#registry.registered();
      const keys = await this.source.read(registered);
      const { keyIds } = vaultOf(keys, registered, this.#random);
      const missing = neededKeys(registered).filter(({ keyId }) => !keyIds.includes(keyId));
      if (missing.length > 0) {
        throw keysNotReady('some are missing', missing.map(({ keyId }) => keyId).join(', '));
      }
      this.vault.load(keys, sealingKey(registered));
      log.info('The encryption keys were read', { component: 'keys', keyId: this.vault.currentKeyId });
    } catch (error) {
      log.error('The encryption keys cannot be read; those that are loaded still serve', {
        component: 'keys',
        ...describeFault(error),
      });
    }
  }
}

type Registry = Pick<KeyStore, 'register' | 'registered'>;

/** Where the keys are: in a key file, unless a security module is named. */
interface KeySettings {
  readonly encryptionKeyFile: string;
  readonly pkcs11: Pkcs11Settings | undefined;
}

/**
 * Opens the keys of a database by the key file or the configured security module, and logs warnings and notes for
 * operators. A database without any gets its first one.
 * @throws ServiceError 'key.unavailable', 'security-module.unavailable'
 */
export async function openKeys(settings: KeySettings, registry: Registry, log: Log): Promise<OpenedKeys> {
  return openFrom(sourceOf(settings), registry, log);
}

/** As `openKeys`, from this source. */
export async function openFrom(source: KeySource, registry: Registry, log: Log): Promise<OpenedKeys> {
  return registry.register(async (registered) => {
    const { keys, added } = await source.open(registered, log);
    const vault = vaultOf(keys, registered, systemRandom);
    return { added, result: new OpenedKeys({ vault, source, registry, random: systemRandom }) };
  });
}

/**
 * As `openKeys`, for a database that does not have these keys yet, or must not be changed: nothing is registered.
 * @throws ServiceError 'key.unavailable', 'security-module.unavailable'
 */
export async function openKeysOf(
  registered: readonly RegisteredKey[],
  settings: KeySettings,
  log: Log,
): Promise<OpenedKeys> {
  const registry: Registry = {
    registered: () => Promise.resolve(registered),
    register: async (open) => (await open(registered)).result,
  };
  return openFrom(sourceOf(settings), registry, log);
}

function sourceOf({ pkcs11, encryptionKeyFile: file }: KeySettings): KeySource {
  return pkcs11 === undefined
    ? new KeyFileKeys({ file, random: systemRandom })
    : new WrappedKeys({ module: new Pkcs11Module(pkcs11), keyFile: file, random: systemRandom });
}
