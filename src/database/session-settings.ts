import type { Knex } from 'knex';
import type { ClientBase, QueryResult } from 'pg';
import { ServiceError } from '../kernel/errors.ts';
import type { Log } from '../kernel/log.ts';
import { takesNoWrites } from './database-faults.ts';

/**
 * Settings that change how values are written, or what a transaction promises. PostgreSQL takes them from role, database
 * and configuration, where other programs may want others, so each session of ours sets its own as it begins.
 */
interface SessionSetting {
  readonly name: string;
  readonly value: string;
  /** A regular expression of the values with which this program works; without one, any. */
  readonly works?: string;
}

/** The time in which PostgreSQL gives up a session whose program is gone, or stays silent within a transaction. */
const GONE_SECONDS = 10;

/** Set as a session begins: poolers such as PgBouncer, which drop `options`, keep these for each of their clients. */
const TRACKED: readonly SessionSetting[] = [
  { name: 'DateStyle', value: 'ISO, MDY', works: '^ISO' },
  { name: 'TimeZone', value: 'UTC' },
  { name: 'standard_conforming_strings', value: 'on', works: '^on$' },
];

const SET_AT_START: readonly SessionSetting[] = [
  // The form of values.
  { name: 'IntervalStyle', value: 'postgres' },
  { name: 'bytea_output', value: 'hex' },
  { name: 'extra_float_digits', value: '1', works: '^[1-3]$' },
  { name: 'array_nulls', value: 'on', works: '^on$' },
  { name: 'transform_null_equals', value: 'off', works: '^off$' },
  // Otherwise an index of arrays finds a part of the rows.
  { name: 'gin_fuzzy_search_limit', value: '0', works: '^0$' },
  { name: 'quote_all_identifiers', value: 'off' },
  { name: 'lc_monetary', value: 'C' },
  { name: 'lc_numeric', value: 'C' },
  { name: 'lc_time', value: 'C' },
  // What a transaction promises (docs/adr/0003-accepting-a-response-once.md).
  { name: 'default_transaction_isolation', value: 'read committed', works: '^read committed$' },
  { name: 'default_transaction_deferrable', value: 'off' },
  { name: 'synchronous_commit', value: 'on', works: '^(on|remote_apply)$' },
  { name: 'row_security', value: 'on' },
  { name: 'exit_on_error', value: 'off', works: '^off$' },
  // Limits; those of statements and locks are given for each pool.
  { name: 'statement_timeout', value: '0' },
  { name: 'lock_timeout', value: '0' },
  { name: 'idle_session_timeout', value: '0' },
  { name: 'idle_in_transaction_session_timeout', value: `${GONE_SECONDS}s` },
  // On a socket of the machine, these have no effect.
  { name: 'tcp_keepalives_idle', value: '4' },
  { name: 'tcp_keepalives_interval', value: '2' },
  { name: 'tcp_keepalives_count', value: '3' },
  { name: 'tcp_user_timeout', value: `${GONE_SECONDS}s` },
];

/** Only a superuser may set these. */
const GIVEN: readonly SessionSetting[] = [
  { name: 'client_encoding', value: 'UTF8', works: '^UTF8$' },
  // Otherwise triggers do not run.
  { name: 'session_replication_role', value: 'origin', works: '^origin$' },
];

/** The schemas of PostgreSQL's default. A user may name others in the `options` of DATABASE_URL. */
export const DEFAULT_SCHEMAS = '"$user", public';

/**
 * @param requested the options that a connection requests, as `-c search_path=elsewhere`
 * @returns these with our settings, which win over all others but `search_path`
 */
export function sessionOptions(requested: string): string {
  const ours = SET_AT_START.map(({ name, value }) => option(name, value));
  return [option('search_path', DEFAULT_SCHEMAS), requested, ...ours].filter((text) => text !== '').join(' ');
}

function option(name: string, value: string): string {
  return `-c ${name}=${value.replaceAll(/[\s\\]/g, String.raw`\$&`)}`;
}

/** @returns a postgres:// URL without its `options`, and these */
export function splitUrl(url: string): { readonly connectionString: string; readonly options: string } {
  const [address = '', query = ''] = url.split(/\?(.*)/s);
  const parameters = new URLSearchParams(query);
  const options = parameters.get('options') ?? '';
  parameters.delete('options');
  return { connectionString: `${address}?${parameters.toString()}`, options };
}

/**
 * @param options those of a connection
 * @returns the names in the `search_path` that they request, in order; none if they request none
 */
function requestedSchemas(options: string): readonly string[] {
  const requested = [...options.matchAll(/(?:^|\s)(?:-c\s*|--)search[_-]path=((?:\\.|[^\s\\])*)/gi)].at(
    -1,
  )?.[1];
  const names = requested?.replaceAll(/\\(.)/g, '$1').match(/"(?:[^"]|"")*"|[^\s,"]+/g) ?? [];
  return names.map((name) =>
    name.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name.toLowerCase(),
  );
}

const RELIED_ON = [...TRACKED, ...SET_AT_START, ...GIVEN].filter(({ works }) => works !== undefined);

/** A row about the session that has begun. */
interface SessionAnswer {
  /** The values of the settings with which this program does not work, by their names. */
  readonly wrong: Readonly<Record<string, string>> | null;
  /** False for a standby, or a former primary that was made read-only: it can settle nothing. */
  readonly writable: boolean;
  /** The schema in use, if there is one, and that of `$user`. */
  readonly schema: string | null;
  readonly role: string;
}

/** True for a server that takes writes. */
export const WRITABLE = "NOT (pg_is_in_recovery() OR current_setting('transaction_read_only')::boolean)";

const BEGINNING = `${TRACKED.map(({ name, value }) => `SET ${name} = '${value}'`).join('; ')}; SELECT
  (SELECT json_object_agg(name, current_setting(name))
   FROM (VALUES ${RELIED_ON.map(({ name, works }) => `('${name}', '${works ?? ''}')`).join(', ')}) AS relied_on (name, works)
   WHERE current_setting(name) !~ works) AS wrong,
  ${WRITABLE} AS writable, current_schema()::text AS schema, current_user::text AS role`;

/** Longest wait for the answer, also of a pooler, in milliseconds. */
const BEGIN_MS = 5_000;

/**
 * Sets what is not in `sessionOptions`, and looks whether this program works in the session.
 * @param requested the options that the connection requests
 * @param writes refuses a server that takes no writes
 * @throws ServiceError 'configuration.invalid' that names the settings with which this program does not work;
 *   'database.unavailable'; the error of pg
 */
export async function beginSession(connection: ClientBase, requested: string, writes = false): Promise<void> {
  const beginning = { text: BEGINNING, query_timeout: BEGIN_MS };
  // The answers to several statements.
  const results = (await connection.query(beginning)) as unknown as readonly QueryResult<SessionAnswer>[];
  const answer = results.at(-1)?.rows[0];
  if (writes && answer?.writable !== true) {
    throw takesNoWrites();
  }
  assertSchema(answer, requestedSchemas(requested));
  assertSettings(answer);
}

function assertSettings(answer: SessionAnswer | undefined): void {
  const values = answer?.wrong ?? {};
  const wrong = RELIED_ON.filter(({ name }) => Object.hasOwn(values, name));
  if (wrong.length > 0) {
    const found = wrong.map(({ name }) => `${name} = '${values[name] ?? ''}'`).join(', ');
    const remedies = wrong.map(({ name, value }) => `SET ${name} = '${value}'`);
    const text =
      `this program does not work with settings of the database: ${found}. A pooler does not pass on ours; set ` +
      `them for the role: ALTER ROLE … IN DATABASE … ${remedies.join('; ALTER ROLE … IN DATABASE … ')}`;
    throw new ServiceError('configuration.invalid', text, { detail: text });
  }
}

/** Otherwise a second installation, without tokens, would be made in another schema. */
function assertSchema(answer: SessionAnswer | undefined, schemas: readonly string[]): void {
  const requested = schemas.find((name) => name !== '$user');
  if (answer === undefined || requested === undefined || answer.schema === requested) {
    return;
  }
  if (schemas.includes('$user') && answer.schema === answer.role) {
    return;
  }
  const text =
    `DATABASE_URL asks for the schema ${requested}, and the session is in ${answer.schema ?? 'none'}: create it, or, ` +
    `where a pooler does not pass on the options, ALTER ROLE … IN DATABASE … SET search_path = '${requested}'`;
  throw new ServiceError('configuration.invalid', text, { detail: text });
}

/** The limits that this program sets for each connection as it opens. */
const LIMITS = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'] as const;

/**
 * Logs a warning if the database does not bound statements and transactions: a pooler that ignores the settings of a connection does not
 * pass them on.
 */
export async function warnOfMissingLimits({ knex }: { readonly knex: Knex }, log: Log): Promise<void> {
  const { rows } = await knex.raw<{ rows: { name: string }[] }>(
    'SELECT name FROM unnest(?::text[]) AS name WHERE current_setting(name) = ?',
    [[...LIMITS], '0'],
  );
  if (rows.length > 0) {
    const missing = rows.map(({ name }) => name).join(', ');
    log.warn(
      `The database does not bound what it does for us: a pooler drops ${missing}. Set this for the role by ALTER ROLE … SET`,
      { component: 'database' },
    );
  }
}
