import { existsSync } from 'node:fs';
import type { Config } from '../config/config.ts';
import { ServiceError } from '../kernel/errors.ts';
import { describeDatabaseAddress } from '../database/database-faults.ts';

const MADE_BY = 'A new installation is made by `tankeeper migrate` and by the first start of the server';

/** @returns the error of a command that finds no embedded database in its data folder */
export function noCluster(config: Config): ServiceError {
  return missing(config, existsSync(config.dataDir) ? noDatabaseIn(config) : 'the folder does not exist');
}

function noDatabaseIn({ encryptionKeyFile }: Config): string {
  return existsSync(encryptionKeyFile)
    ? `it holds no database. The encryption key ${encryptionKeyFile} is there: the server may use a DATABASE_URL that is not set here`
    : 'it holds no database';
}

/** @returns the error of a command that finds a database without tables */
export function noTables(config: Config): ServiceError {
  return missing(config, 'the database has no tables of tankeeper');
}

function missing(config: Config, lack: string): ServiceError {
  const setting =
    config.databaseUrl === undefined
      ? 'Set DATA_DIR (by default ./data in the current folder) to the data folder of the server, or DATABASE_URL to its database'
      : 'Set DATABASE_URL to the database of the server, or DATA_DIR alone to its data folder';
  return new ServiceError(
    'installation.missing',
    `there is no installation in ${placeOf(config)}: ${lack}. ${setting}. ${MADE_BY}`,
  );
}

/** @returns the error of a command that finds tables, but no key that seals secrets and signs the audit */
export function noKey(config: Config): ServiceError {
  return new ServiceError(
    'installation.missing',
    `the installation in ${placeOf(config)} has no encryption key yet: ` +
      'start the server once, which makes the key, or takes the one that ENCRYPTION_KEY_FILE names',
  );
}

function placeOf({ databaseUrl, dataDir }: Config): string {
  return databaseUrl === undefined
    ? `the data folder ${dataDir}`
    : `the database ${describeDatabaseAddress(databaseUrl)}`;
}
