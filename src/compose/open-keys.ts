import type { SecurityModule } from '../accounts/vault.ts';
import type { Config } from '../config.ts';
import { systemRandom } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import { KeyFileModule } from '../security/key-file-module.ts';
import { openVault } from '../security/open-vault.ts';
import { openWrappedVault } from '../security/open-wrapped-vault.ts';
import { Pkcs11Module, type Pkcs11Settings } from '../security/pkcs11-module.ts';
import type { SecretVault } from '../security/secret-vault.ts';
import { WrappedKeyModule } from '../security/wrapped-key-module.ts';
import type { Database } from '../storage/database.ts';
import { SqlKeyRegistry } from '../storage/key-registry.ts';

/** The vault of an installation, and the module that its keys come from. */
export interface OpenedKeys {
  readonly vault: SecretVault;
  readonly securityModule: SecurityModule;
}

/**
 * Opens the vault by the security module that is configured, and logs what operators should know.
 * @throws ServiceError 'key.unavailable', 'security-module.unavailable'
 */
export function openKeys(config: Config, database: Database, log: Log): Promise<OpenedKeys> {
  const registry = new SqlKeyRegistry({ database });
  return config.pkcs11 === undefined
    ? openByKeyFile(config.encryptionKeyFile, registry, log)
    : openByPkcs11(config.pkcs11, config.encryptionKeyFile, registry, log);
}

async function openByKeyFile(file: string, registry: SqlKeyRegistry, log: Log): Promise<OpenedKeys> {
  const { vault, created, warnings } = await openVault({ keyFile: file, registry, random: systemRandom });
  warnings.forEach((warning) => {
    log.warn(warning);
  });
  if (created) {
    log.info(
      'A new encryption key was made: keep a copy of the key file in a safe place, apart from the database',
    );
  }
  const { keyIds } = vault;
  return { vault, securityModule: new KeyFileModule({ file, keyIds, random: systemRandom }) };
}

async function openByPkcs11(
  settings: Pkcs11Settings,
  keyFile: string,
  registry: SqlKeyRegistry,
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
  const { keyIds } = vault;
  return { vault, securityModule: new WrappedKeyModule({ module, registry, random, keyIds }) };
}
