import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { type KeyRegistration, type KeyRegistry, type KeySource, neededKeys } from './vault.ts';
import { systemRandom } from '../kernel/system-random.ts';
import type { Log } from '../kernel/log.ts';
import { packageVersion } from '../kernel/package-version.ts';
import { KeyFileKeys, openVault } from './key-file-vault.ts';
import { KeyFollower, LiveVault } from './live-vault.ts';
import { openWrappedVault, WrappedKeys } from './wrapped-vault.ts';
import { Pkcs11Module, type Pkcs11Settings } from './pkcs11-module.ts';
import type { SecretVault } from './secret-vault.ts';
import type { KeyHolderStore } from './key-holder-store.ts';

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
  holders: KeyHolderStore,
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
