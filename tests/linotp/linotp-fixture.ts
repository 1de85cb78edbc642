import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Services } from '../../src/services.ts';
import { EncryptionKey } from '../../src/linotp/secrets.ts';
import type { ImportEntry, ImportSummary } from '../../src/linotp/import-report.ts';
import type { ImportRequest } from '../../src/linotp/import-service.ts';
import { LocalTime } from '../../src/linotp/linotp-source.ts';
import { openLinotpSource } from '../../src/linotp/sources/open-source.ts';
import { OPERATOR } from '../support/application/test-application.ts';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.ts';
import type { Mariadb } from '../support/servers/mariadb.ts';

const FOLDER = fileURLToPath(new URL('../fixtures/linotp/', import.meta.url));

export const FIXTURES = [
  '2.12.6-postgresql',
  '2.12.6-mariadb-latin1',
  '3.4.4-postgresql',
  '3.4.4-mariadb',
  'migrated-2.12.6-to-3.4.4-postgresql',
] as const;

export type FixtureName = (typeof FIXTURES)[number];

/** A token of expected.json; fields that only some fixtures have are optional. */
export interface ExpectedToken {
  readonly serial: string;
  readonly type_raw: string;
  readonly type: string;
  readonly description: string;
  readonly active: boolean;
  readonly failcount: number;
  readonly maxfail: number;
  readonly counter: number;
  readonly otplen: number;
  readonly count_window: number;
  readonly sync_window: number;
  readonly realms: readonly string[];
  readonly resolver: string | null;
  readonly resolver_class: string | null;
  readonly resolver_id: string | null;
  readonly userid: string | null;
  readonly login: string | null;
  readonly created_utc: string | null;
  readonly last_auth_success_utc: string | null;
  readonly last_auth_match_utc: string | null;
  readonly seed: string | null;
  readonly password_hash: string | null;
  readonly seed_hex?: string | null;
  readonly pin: { readonly mode: 'none' | 'hashed' | 'encrypted'; readonly value?: string };
  readonly user_pin: string | null;
  readonly so_pin: string | null;
  readonly info: Readonly<Record<string, unknown>>;
  readonly ocrasuite: string | null;
  readonly rollout: string | null;
  readonly nonce: string | null;
  readonly time_shift: string | number | null;
  readonly shared_secret: string | null;
  readonly state?: 'phase1' | 'phase2_open' | 'ready';
  readonly locked: boolean;
  readonly activation_code?: string;
}

interface ExpectedChallenge {
  readonly transaction_id: string;
  readonly serial: string;
  readonly challenge?: string;
  readonly message?: string | null;
  readonly challenge_raw: string;
  readonly data_raw: string;
  readonly timestamp_local: string;
  readonly received_count: number;
  readonly received_tan: boolean;
  readonly valid_tan: boolean;
}

/** The expected result of a fixture. */
export interface Expected {
  readonly default_realm: string;
  readonly realms: readonly {
    readonly name: string;
    readonly resolvers: readonly string[];
    readonly default: boolean;
  }[];
  readonly resolvers: readonly {
    readonly name: string;
    readonly type: string;
    readonly settings: Readonly<Record<string, string>>;
  }[];
  readonly policies: readonly {
    readonly name: string;
    readonly scope: string;
    readonly action: string;
    readonly realm: string;
    readonly user: string;
    readonly client: string;
    readonly time: string;
    readonly active: boolean;
  }[];
  readonly config: Readonly<Record<string, { value: string; type: string | null; encrypted?: boolean }>>;
  readonly admins: readonly { readonly username: string; readonly password: string }[];
  readonly test_passwords: Readonly<Record<string, Readonly<Record<string, string | null>>>>;
  readonly tokens: readonly ExpectedToken[];
  readonly challenges: readonly ExpectedChallenge[];
}

export function fixtureFile(fixture: FixtureName, file: string): string {
  return join(FOLDER, fixture, file);
}

export function expectedOf(fixture: FixtureName): Expected {
  return JSON.parse(readFileSync(fixtureFile(fixture, 'expected.json'), 'utf8')) as Expected;
}

export function tokenOf({ tokens }: Expected, serial: string): ExpectedToken {
  const token = tokens.find((one) => one.serial === serial);
  if (token === undefined) {
    throw new Error(`The fixture has no token ${serial}`);
  }
  return token;
}

export function keyOf(fixture: FixtureName): EncryptionKey {
  const key = EncryptionKey.fromFile(readFileSync(fixtureFile(fixture, 'encKey')));
  if (key === undefined) {
    throw new Error('The fixture has no key file');
  }
  return key;
}

export interface Imported {
  readonly summary: ImportSummary;
  readonly entries: readonly ImportEntry[];
  readonly notes: readonly string[];
}

/**
 * @param edit of the dump; it throws where the dump has no such text
 * @returns a scratch database that has loaded the dump of a fixture of PostgreSQL
 */
export async function loadDump(
  fixture: FixtureName,
  edit: (sql: string) => string = (sql) => sql,
): Promise<TestDatabase> {
  const sql = edit(await readFile(fixtureFile(fixture, 'dump.sql'), 'utf8'));
  const scratch = await createTestDatabase({ schema: 'empty' });
  // LinOTP's databases have rows that refer to nothing: no foreign key holds them back.
  await scratch.rows(`SET session_replication_role = replica;\n${sql}`);
  return scratch;
}

/** Runs `work` with the URL of a scratch database of its own: see `loadDump`. */
export async function withDump<T>(
  fixture: FixtureName,
  work: (url: string) => Promise<T>,
  edit?: (sql: string) => string,
): Promise<T> {
  const scratch = await loadDump(fixture, edit);
  try {
    return await work(scratch.url);
  } finally {
    await scratch.drop();
  }
}

/**
 * Loads a dump into a database of its own.
 * @returns its URL, as LinOTP's own configuration has it: with parameters of SQLAlchemy's driver
 */
export async function loadIntoMariadb(server: Mariadb, name: string, sql: string): Promise<string> {
  await server.query(
    `CREATE DATABASE ${name} CHARACTER SET utf8mb4`,
    `CREATE USER IF NOT EXISTS linotp@'127.0.0.1' IDENTIFIED BY 'a:b@c/d'`,
    `GRANT SELECT ON ${name}.* TO linotp@'127.0.0.1'`,
    `USE ${name}`,
    sql,
  );
  const login = `linotp:${encodeURIComponent('a:b@c/d')}`;
  return `mysql+mysqldb://${login}@127.0.0.1:${server.port}/${name}?charset=utf8&use_unicode=0`;
}

/**
 * @returns the text with the first match replaced
 * @throws if there is none
 */
export function replaced(sql: string, from: string | RegExp, to: string): string {
  const changed = sql.replace(from, () => to);
  if (changed === sql) {
    throw new Error(`The dump has nothing like ${String(from)}`);
  }
  return changed;
}

/** @returns the text with SQL appended */
export function appended(sql: string, statement: string): string {
  return `${sql}\n${statement}\n`;
}

/** Imports a fixture; by default one of PostgreSQL, by its dump. @param options.place another source of the same fixture */
export function importFixture(
  services: Pick<Services, 'linotpImport'>,
  fixture: FixtureName,
  { place, ...options }: Partial<ImportRequest> & { place?: string } = {},
): Promise<Imported> {
  const importFrom = (url: string): Promise<Imported> => importPlace(services, fixture, url, options);
  return place === undefined ? withDump(fixture, importFrom) : importFrom(place);
}

async function importPlace(
  { linotpImport }: Pick<Services, 'linotpImport'>,
  fixture: FixtureName,
  place: string,
  options: Partial<ImportRequest>,
): Promise<Imported> {
  const source = await openLinotpSource(place);
  const entries: ImportEntry[] = [];
  const notes: string[] = [];
  try {
    const summary = await linotpImport.run(OPERATOR, {
      source,
      encryptionKey: keyOf(fixture),
      dryRun: false,
      encoding: 'auto',
      localTime: new LocalTime('Europe/Berlin'),
      places: (fileName) => fixtureFile(fixture, basename(fileName)),
      sink: {
        write: (entry) => {
          entries.push(entry);
          return Promise.resolve();
        },
      },
      progress: () => undefined,
      note: (text) => notes.push(text),
      ...options,
    });
    return { summary, entries, notes };
  } finally {
    await source.close();
  }
}
