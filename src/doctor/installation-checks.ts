import type { Configuration } from '../configuration/configuration.ts';
import type { Clock } from '../kernel/clock.ts';
import type { KeyFileAccess } from '../keys/key-file.ts';
import type { KeyRotationStore } from '../keys/key-store.ts';
import { checkpointFindings } from './audit-check.ts';
import {
  checkEnds,
  checkPolicies,
  checkRealms,
  checkResolverSettings,
  checkSettings,
  NOTICE_DAYS,
} from './configuration-check.ts';
import { checkBackups, checkClock, checkConnections, checkDatabase, checkJump } from './database-check.ts';
import {
  type AddressSettings,
  checkAddresses,
  checkVariables,
  type UnknownVariable,
} from './environment-check.ts';
import type { Check, Finding } from './examination.ts';
import type { InstallationStore } from './installation-store.ts';
import { checkKeyAges, checkKeyFile, checkUnknownKeys } from './key-check.ts';

const DAY_MS = 86_400_000;

/** The part of the configuration that is examined. */
export interface ExaminedSettings extends AddressSettings {
  readonly databasePoolSize: number;
  /** Seconds; `off`: the audit is kept for ever. */
  readonly auditRetention: number | 'off';
}

/** The subject of checks of the tables. */
export interface ExaminedTables {
  readonly settings: ExaminedSettings;
  readonly installation: InstallationStore;
  readonly keyAges: Pick<KeyRotationStore, 'entries'>;
  readonly configuration: () => Promise<Configuration>;
  /** The clock of the service. */
  readonly clock: Clock;
}

/** Checks by their names, in the order in which they run. */
export type CheckTable<Subject> = Readonly<
  Record<string, (subject: Subject) => Promise<readonly Finding[]> | readonly Finding[]>
>;

/** @returns the checks of a table, of that subject */
export function checksOf<Subject>(table: CheckTable<Subject>, subject: Subject): readonly Check[] {
  return Object.entries(table).map(([name, find]) => ({ name, find: () => find(subject) }));
}

/** @returns the names of the checks of these tables */
export function namesOf(...tables: readonly object[]): readonly string[] {
  return tables.flatMap((table) => Object.keys(table));
}

/** Checks of a database with the tables of this program, whose cost does not grow with tokens and users. */
export const TABLE_CHECKS: CheckTable<ExaminedTables> = {
  jump: async ({ installation, settings }) =>
    checkJump(await installation.clockState(), await installation.time(), settings.auditRetention !== 'off'),
  connections: async ({ installation, settings }) =>
    checkConnections(settings.databasePoolSize, await installation.connections()),
  rotation: async ({ keyAges, clock }) => checkKeyAges(await keyAges.entries(), clock.now()),
  realms: async ({ configuration }) => checkRealms(await configuration()),
  policies: async ({ configuration }) => checkPolicies(await configuration()),
  settings: async ({ configuration }) => checkSettings(await configuration()),
  ends: async ({ configuration, installation, clock }) => {
    const now = clock.now();
    const end = new Date(now.getTime() + NOTICE_DAYS * DAY_MS);
    return checkEnds(await configuration(), await installation.apiTokensEnding(now, end), now);
  },
  backup: async ({ installation, clock }) => checkBackups(await installation.backups(), clock.now()),
};

/** The subject of the checks of a running server. */
export interface ExaminedServer extends ExaminedTables {
  readonly machineClock: Clock;
  readonly unknownVariables: () => readonly UnknownVariable[];
  /** @returns undefined where a security module keeps the keys */
  readonly keyFile: () => Promise<KeyFileAccess | undefined>;
}

/**
 * The checks that a running server can repeat. It leaves out those of `tankeeper doctor` that read all tokens, verify
 * the audit and ask resolvers.
 */
export const SERVER_CHECKS: CheckTable<ExaminedServer> = {
  variables: ({ unknownVariables }) => checkVariables(unknownVariables()),
  addresses: ({ settings }) => checkAddresses(settings),
  database: async ({ installation }) => checkDatabase(await installation.facts()),
  clock: ({ machineClock, installation }) => checkClock(machineClock, () => installation.time()),
  key: async ({ keyFile, keyAges }) => {
    const file = await keyFile();
    return file === undefined
      ? []
      : [...checkKeyFile(file), ...checkUnknownKeys(file, await keyAges.entries())];
  },
  ...TABLE_CHECKS,
  resolvers: async ({ configuration }) => checkResolverSettings(await configuration()),
  audit: async ({ installation, clock }) => checkpointFindings(await installation.trail(), clock.now()),
};
