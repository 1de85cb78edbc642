import {
  type KeyRegistration,
  type KeySource,
  neededKeys,
  type NewKey,
  type RegisteredKey,
  sealingKey,
  type Vault,
  keyIdOf,
  opensCanary,
  sealCanary,
  SecretVault,
} from './vault.ts';
import type { Random } from '../kernel/clock.ts';
import { isServiceError, ServiceError } from '../kernel/errors.ts';
import { appendKey, createKeyFile, readKeyFile, removeKey, unusable } from './key-file.ts';
import { assertHolds, notReady } from './pkcs11-module.ts';

/** The vault, with the findings of its opening. */
export interface OpenedVault {
  readonly vault: SecretVault;
  /** True if the key file was made just now. */
  readonly created: boolean;
  /** Faults that operators should correct, in words for the log. */
  readonly warnings: readonly string[];
}

/**
 * Opens the vault with the keys of the file, after a check that they are the keys of this database. A database without
 * any gets the first key of the file; where there is no file either, one is made. Nothing is ever overwritten, and
 * where a key is missing nothing is written at all: a new key beside old secrets would hide the loss. The database
 * names the sealing key, so that no server seals with a key that others do not have yet.
 * @throws ServiceError 'key.unavailable' that names the file and the ids of the needed and found keys
 */
export async function openVault(options: {
  readonly keyFile: string;
  readonly registry: KeyRegistration;
  readonly random: Random;
}): Promise<OpenedVault> {
  return options.registry.withRegistration(async (registry) => {
    const registered = await registry.registered();
    const opened = await openKeys(options.keyFile, neededKeys(registered), options.random);
    assertKeysOf(neededKeys(registered), opened.vault, options.keyFile);
    if (registered.length === 0) {
      await registry.register(opened.vault.currentKeyId, sealCanary(opened.vault));
      return opened;
    }
    const unknown = opened.vault.keyIds.filter((id) => registered.every(({ keyId }) => keyId !== id));
    return {
      ...opened,
      vault: opened.vault.withKeys([], sealingKey(registered)),
      warnings: [...opened.warnings, ...unknown.map((keyId) => unknownText(keyId, options.keyFile))],
    };
  });
}

function unknownText(keyId: string, file: string): string {
  return `the key file ${file} holds the key ${keyId}, which the database does not know; 'tankeeper keys add' registers it`;
}

async function openKeys(
  file: string,
  registered: readonly RegisteredKey[],
  random: Random,
): Promise<OpenedVault> {
  const found = await readKeyFile(file);
  if (found !== undefined) {
    return {
      vault: new SecretVault({ keys: found.keys, random }),
      created: false,
      warnings: found.warnings,
    };
  }
  if (registered.length > 0) {
    throw new ServiceError(
      'key.unavailable',
      `The database needs the encryption ${listKeys(registered.map(({ keyId }) => keyId))}, ` +
        `and there is no key file ${file}. ${wayOut(registered)}; nothing was written.`,
    );
  }
  const key = await createKeyFile(file, random);
  return { vault: new SecretVault({ keys: [key], random }), created: true, warnings: [] };
}

function assertKeysOf(registered: readonly RegisteredKey[], vault: SecretVault, file: string): void {
  const missing = registered.map(({ keyId }) => keyId).filter((keyId) => !vault.keyIds.includes(keyId));
  if (missing.length > 0) {
    throw new ServiceError(
      'key.unavailable',
      `The database needs the encryption ${listKeys(missing)}, and the key file ${file} ` +
        `holds the ${listKeys(vault.keyIds)}. Nothing was written.`,
    );
  }
  for (const key of registered) {
    if (!opensCanary(vault, key)) {
      throw new ServiceError(
        'key.unavailable',
        `The encryption key ${key.keyId} in the key file ${file} does not open what the database keeps to try it: ` +
          'the database was altered. Nothing was written.',
      );
    }
  }
}

/** Suggests a remedy for a missing file: keys wrapped by a security module still exist. */
function wayOut(registered: readonly RegisteredKey[]): string {
  const by = registered.find(({ wrapped }) => wrapped !== undefined)?.wrapped?.by;
  return by === undefined
    ? 'Restore it from its safe copy'
    : `What is needed is wrapped by ${by}: set SECURITY_MODULE=pkcs11`;
}

function listKeys(keyIds: readonly string[]): string {
  return `${keyIds.length === 1 ? 'key' : 'keys'} ${keyIds.join(', ')}`;
}

/** The keys of an installation without a hardware module: a key file. */
export class KeyFileKeys implements KeySource {
  readonly place: string;
  readonly #file: string;
  readonly #random: Random;

  constructor({ file, random }: { readonly file: string; readonly random: Random }) {
    this.place = `the key file ${file}`;
    this.#file = file;
    this.#random = random;
  }

  async fetch(): Promise<readonly Buffer[]> {
    return (await readKeyFile(this.#file))?.keys ?? [];
  }

  async freshVault(inUse: readonly string[]): Promise<Pick<Vault, 'open'>> {
    const vault = new SecretVault({ keys: await this.#readKeys(), random: this.#random });
    assertHolds(vault, inUse);
    return vault;
  }

  /** An unregistered key of the file comes first: it was put there by hand, or by an attempt that was interrupted. */
  async provide(registered: readonly RegisteredKey[]): Promise<NewKey> {
    const found = await readKeyFile(this.#file);
    if (found === undefined) {
      throw unusable(this.#file, 'it is missing');
    }
    const waiting = found.keys.find((key) => registered.every(({ keyId }) => keyId !== keyIdOf(key)));
    const key = waiting ?? (await appendKey(this.#file, this.#random));
    const canary = sealCanary(new SecretVault({ keys: [key], random: this.#random }));
    return { keyId: keyIdOf(key), canary, isMade: waiting === undefined };
  }

  remove(keyId: string): Promise<boolean> {
    return removeKey(this.#file, keyId);
  }

  async #readKeys(): Promise<readonly Buffer[]> {
    try {
      const found = await readKeyFile(this.#file);
      if (found === undefined) {
        throw notReady('the key file is missing', this.#file);
      }
      return found.keys;
    } catch (error) {
      // The message about an unusable key file names its path.
      throw isServiceError(error, 'key.unavailable')
        ? notReady('the key file cannot be used', error.message, error)
        : error;
    }
  }
}
