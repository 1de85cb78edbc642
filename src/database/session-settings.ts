import type { Knex } from 'knex';
import pg, { type QueryResultRow } from 'pg';
import { ServiceError } from '../kernel/errors.ts';
import type { Log } from '../kernel/log.ts';

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

/** Poolers such as PgBouncer keep these for each of their clients. */
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
const SCHEMAS = option('search_path', DEFAULT_SCHEMAS);

/** A startup packet: settings, and the options of the command line of the session. */
type StartupPacket = Readonly<Record<string, string>> & { readonly options?: string };

/** @returns the packet with our settings, which win over all others but `search_path` */
function withSessionSettings(packet: StartupPacket): StartupPacket {
  const { options = '', ...rest } = packet;
  const ours = SET_AT_START.map(({ name, value }) => option(name, value));
  return {
    ...rest,
    ...Object.fromEntries(TRACKED.map(({ name, value }) => [name, value])),
    options: [SCHEMAS, options, ...ours].filter((text) => text !== '').join(' '),
  };
}

/** pg's types omit its method that makes the startup packet. */
const { getStartupConf } = pg.Client.prototype as unknown as {
  readonly getStartupConf: (this: pg.Client) => StartupPacket;
};

/** A connection whose session has our settings, whatever role, database and configuration set. */
export class SessionClient extends pg.Client {
  getStartupConf(): StartupPacket {
    return withSessionSettings(getStartupConf.call(this));
  }
}

function option(name: string, value: string): string {
  return `-c ${name}=${value.replaceAll(/[\s\\]/g, String.raw`\$&`)}`;
}

/**
 * @param options those of a connection
 * @returns the names in the `search_path` that they ask for, in order; none if they ask for none
 */
export function schemasAskedFor(options: string): readonly string[] {
  const asked = [...options.matchAll(/(?:^|\s)(?:-c\s*|--)search[_-]path=((?:\\.|[^\s\\])*)/gi)].at(-1)?.[1];
  const names = asked?.replaceAll(/\\(.)/g, '$1').match(/"(?:[^"]|"")*"|[^\s,"]+/g) ?? [];
  return names.map((name) =>
    name.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name.toLowerCase(),
  );
}

const RELIED_ON = [...TRACKED, ...SET_AT_START, ...GIVEN].filter(({ works }) => works !== undefined);

/** The answer to `SESSION_QUESTION`. */
export interface SessionAnswer extends QueryResultRow {
  /** The values of the settings with which this program does not work, by their names. */
  readonly wrong: Readonly<Record<string, string>> | null;
  /** False for a standby, or a former primary that was made read-only: it can settle nothing. */
  readonly writable: boolean;
  /** The schema in use, if there is one, and that of `$user`. */
  readonly schema: string | null;
  readonly role: string;
}

export const SESSION_QUESTION = `SELECT
  (SELECT json_object_agg(name, current_setting(name))
   FROM (VALUES ${RELIED_ON.map(({ name, works }) => `('${name}', '${works ?? ''}')`).join(', ')}) AS relied_on (name, works)
   WHERE current_setting(name) !~ works) AS wrong,
  NOT (pg_is_in_recovery() OR current_setting('transaction_read_only')::boolean) AS writable,
  current_schema()::text AS schema, current_user::text AS role`;

/**
 * @param schemas those that the connection asks for (`schemasAskedFor`)
 * @throws ServiceError 'configuration.invalid' that names the settings with which this program does not work
 */
export function assertSessionWorks(answer: SessionAnswer | undefined, schemas: readonly string[]): void {
  assertSchema(answer, schemas);
  const wrong = Object.entries(answer?.wrong ?? {});
  if (wrong.length > 0) {
    const found = wrong.map(([name, value]) => `${name} = '${value}'`).join(', ');
    const remedies = wrong.map(([name]) => `SET ${name} = '${rightValueOf(name)}'`);
    const text =
      `this program does not work with settings of the database: ${found}. A pooler does not pass on ours; set ` +
      `them for the role: ALTER ROLE … IN DATABASE … ${remedies.join('; ALTER ROLE … IN DATABASE … ')}`;
    throw new ServiceError('configuration.invalid', text, { detail: text });
  }
}

/** Otherwise a second installation, without tokens, would be made in another schema. */
function assertSchema(answer: SessionAnswer | undefined, schemas: readonly string[]): void {
  const asked = schemas.find((name) => name !== '$user');
  if (answer === undefined || asked === undefined || answer.schema === asked) {
    return;
  }
  if (schemas.includes('$user') && answer.schema === answer.role) {
    return;
  }
  const text =
    `DATABASE_URL asks for the schema ${asked}, and the session is in ${answer.schema ?? 'none'}: create it, or, ` +
    `where a pooler does not pass on the options, ALTER ROLE … IN DATABASE … SET search_path = '${asked}'`;
  throw new ServiceError('configuration.invalid', text, { detail: text });
}

function rightValueOf(name: string): string {
  return RELIED_ON.find((setting) => setting.name === name)?.value ?? '';
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
