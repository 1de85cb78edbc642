import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import {
  type KeyMaterial,
  type KeyRegistration,
  type KeyRegistry,
  neededKeys,
  type SecurityModule,
} from './vault.ts';
import { systemRandom } from '../kernel/system-random.ts';
import type { Log } from '../kernel/log.ts';
import { readKeyFile } from './key-file.ts';
import { KeyFileMaterial, KeyFileModule, openVault } from './key-file-vault.ts';
import { KeyFollower, LiveVault, type LiveVaultDependencies } from './live-vault.ts';
import { openWrappedVault, wrappedAmong, WrappedKeyMaterial, WrappedKeyModule } from './wrapped-vault.ts';
import { Pkcs11Module, type Pkcs11Settings } from './pkcs11-module.ts';
import type { KeyHolderStore } from './key-holder-store.ts';

type KeyList = KeyRegistry & KeyRegistration;

/** The vault of an installation, and the module that holds its keys. */
export interface OpenedKeys {
  readonly vault: LiveVault;
  readonly securityModule: SecurityModule;
  /** Creates new keys. */
  readonly material: KeyMaterial;
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
export function openKeys(
  { pkcs11, encryptionKeyFile: file }: KeySettings,
  registry: KeyList,
  log: Log,
): Promise<OpenedKeys> {
  return pkcs11 === undefined
    ? openByKeyFile(file, registry, log)
    : openByPkcs11(pkcs11, file, registry, log);
}

/**
 * Lets the vault of a server follow the database's list of keys.
 * @returns the function that stops following
 * @throws ServiceError 'key.unavailable'
 */
export async function followKeys(
  holders: KeyHolderStore,
  { vault }: Pick<OpenedKeys, 'vault'>,
  log: Log,
): Promise<() => Promise<void>> {
  const follower = new KeyFollower({
    vault,
    holders,
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

async function liveVault(parts: Omit<LiveVaultDependencies, 'needed'>): Promise<LiveVault> {
  const needed = neededKeys(await parts.registry.registered()).map(({ keyId }) => keyId);
  return new LiveVault({ ...parts, needed });
}
