import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { KeyMaterial } from '../keys/sealing-keys.ts';
import { type KeyRegistration, type KeyRegistry, neededKeys, type SecurityModule } from '../keys/vault.ts';
import type { Config } from '../config/config.ts';
import { systemRandom } from '../kernel/system-random.ts';
import type { Log } from '../kernel/log.ts';
import { readKeyFile, readKeysNow } from '../security/vault/key-file.ts';
import { KeyFileMaterial, KeyFileModule } from '../security/vault/key-file-module.ts';
import { KeyFollower } from '../security/vault/key-follower.ts';
import { LiveVault, type LiveVaultDependencies } from '../security/vault/live-vault.ts';
import { openVault } from '../security/vault/open-vault.ts';
import { openWrappedVault, wrappedAmong } from '../security/vault/open-wrapped-vault.ts';
import { Pkcs11Module, type Pkcs11Settings } from '../security/pkcs11/pkcs11-module.ts';
import { WrappedKeyMaterial, WrappedKeyModule } from '../security/vault/wrapped-key-module.ts';
import type { Database } from '../database/database.ts';
import { KeyHolderStore } from '../keys/key-holder-store.ts';
import { KeyRegistryStore } from '../keys/key-registry-store.ts';

type KeyList = KeyRegistry & KeyRegistration;

/** The vault of an installation, and the module that holds its keys. */
export interface OpenedKeys {
  readonly vault: LiveVault;
  readonly securityModule: SecurityModule;
  /** Creates new keys. */
  readonly material: KeyMaterial;
}

/**
 * Opens the vault by the configured security module, and logs warnings and notes for operators.
 * @throws ServiceError 'key.unavailable', 'security-module.unavailable'
 */
export function openKeys(config: Config, database: Database, log: Log): Promise<OpenedKeys> {
  return openKeysOf(config, new KeyRegistryStore({ database }), log);
}

/** As `openKeys`, with the given list of keys in place of the database's. */
export function openKeysOf(config: Config, registry: KeyList, log: Log): Promise<OpenedKeys> {
  return config.pkcs11 === undefined
    ? openByKeyFile(config.encryptionKeyFile, registry, log)
    : openByPkcs11(config.pkcs11, config.encryptionKeyFile, registry, log);
}

/**
 * Lets the vault of a server follow the database's list of keys.
 * @returns the function that stops following
 * @throws ServiceError 'key.unavailable'
 */
export async function followKeys(
  database: Database,
  { vault }: Pick<OpenedKeys, 'vault'>,
  log: Log,
): Promise<() => Promise<void>> {
  const follower = new KeyFollower({
    vault,
    holders: new KeyHolderStore({ database }),
    id: randomUUID(),
    place: `${hostname()}:${process.pid}`,
    log,
  });
  await follower.start();
  return () => follower.stop();
}

async function openByKeyFile(file: string, registry: KeyList, log: Log): Promise<OpenedKeys> {
  const random = systemRandom;
  const { vault, created, warnings } = await openVault({ keyFile: file, registry, random });
  warnings.forEach((warning) => {
    log.warn(warning);
  });
  if (created) {
    log.info(
      'A new encryption key was made: keep a copy of the key file in a safe place, apart from the database',
    );
  }
  const live = await liveVault({
    vault,
    registry,
    fetch: async () => (await readKeyFile(file))?.keys ?? [],
    fetchNow: () => readKeysNow(file),
  });
  return {
    vault: live,
    securityModule: new KeyFileModule({
      file,
      random,
      get keyIds() {
        return live.neededKeyIds;
      },
    }),
    material: new KeyFileMaterial({ file, random }),
  };
}

async function openByPkcs11(
  settings: Pkcs11Settings,
  keyFile: string,
  registry: KeyList,
  log: Log,
): Promise<OpenedKeys> {
  const module = new Pkcs11Module(settings);
  const random = systemRandom;
  const { vault, notes, warnings } = await openWrappedVault({ module, keyFile, registry, random });
  warnings.forEach((warning) => {
    log.warn(warning);
  });
  notes.forEach((note) => {
    log.info(note);
  });
  const live = await liveVault({
    vault,
    registry,
    fetch: async (missing) => {
      const unwrap = wrappedAmong(missing);
      const result =
        unwrap.length === 0 ? undefined : await module.run({ createKey: false, wrap: [], unwrap });
      return (result?.unwrapped ?? []).map(({ bytes }) => bytes);
    },
  });
  return {
    vault: live,
    securityModule: new WrappedKeyModule({
      module,
      registry,
      random,
      get keyIds() {
        return live.neededKeyIds;
      },
    }),
    material: new WrappedKeyMaterial({ module, random }),
  };
}

async function liveVault(parts: Omit<LiveVaultDependencies, 'needed' | 'elapsed'>): Promise<LiveVault> {
  const needed = neededKeys(await parts.registry.registered()).map(({ keyId }) => keyId);
  return new LiveVault({ ...parts, needed, elapsed: () => performance.now() });
}
