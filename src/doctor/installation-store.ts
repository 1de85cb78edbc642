import type { Knex } from 'knex';

import { BACKUP_ELSEWHERE, isNotFalse } from '../configuration/settings.ts';
import type { ClockState } from '../housekeeping/housekeeping.ts';
import { readClockState } from '../housekeeping/pruning-clock-store.ts';
import { DRIFTS } from '../monitoring/token-count-store.ts';
import type { Database } from '../database/database.ts';
import { readDatabaseTime } from '../database/database-clock.ts';

/** Facts about the database server, as the session of a server has them. */
interface DatabaseFacts {
  /** PostgreSQL's number: 140005 for 14.5. */
  readonly version: number;
  /** Values of settings by name; a setting that this version lacks is absent. */
  readonly settings: ReadonlyMap<string, string>;
  /** A standby, or a session that takes no writes. */
  readonly isReadOnly: boolean;
}

/** Connections that the database grants, and those that servers may take. */
export interface ConnectionFacts {
  /** The most that the role may open to this database: the smallest of the limits that apply. */
  readonly granted: number;
  /** Running servers. */
  readonly servers: number;
}

/** Times of backups. */
interface BackupFacts {
  /** Begin of the last export that the audit records. */
  readonly lastExport: Date | null;
  /** Time at which the first key was registered. */
  readonly installedAt: Date | null;
  /** Backups are made by other means. */
  readonly isElsewhere: boolean;
}

interface TrailFacts {
  readonly lastCheckpoint: Date | null;
  /** Time of the oldest row that no checkpoint covers. */
  readonly oldestUncovered: Date | null;
  /** The approximate number of rows. */
  readonly rows: number;
}

interface EndingApiToken {
  readonly administrator: string;
  readonly name: string;
  readonly endsAt: Date;
}

/** A receiver whose last deliveries have failed. */
interface FailingWebhook {
  readonly name: string;
  /** Null: there was none. */
  readonly lastSuccessAt: Date | null;
  readonly lastFailureAt: Date;
  readonly lastFailure: string;
}

/**
 * The role's and the database's own limits are -1 where there is none. Reserved connections are for superusers and,
 * from PostgreSQL 16 on, for members of pg_use_reserved_connections.
 */
const GRANTED = `
  SELECT least(
    current_setting('max_connections')::integer
      - CASE WHEN rolsuper THEN 0 ELSE
          current_setting('superuser_reserved_connections')::integer
          + coalesce(current_setting('reserved_connections', true), '0')::integer END,
    CASE WHEN rolconnlimit < 0 OR rolsuper THEN 1000000 ELSE rolconnlimit END,
    CASE WHEN datconnlimit < 0 OR rolsuper THEN 1000000 ELSE datconnlimit END) AS granted,
    -- Each server listens on one connection.
    (SELECT count(*)::integer FROM pg_stat_activity
     WHERE datname = current_database() AND application_name = 'tankeeper listener') AS servers
  FROM pg_roles, pg_database WHERE rolname = current_user AND datname = current_database()`;

/**
 * QR-TAN tokens: `ocra2`, and those of `ocra` that an app has rolled out; a hardware token reads no QR code. No index has
 * the type: reads all tokens of a set of realms that has no such token.
 */
const QR_REALMS = `
  SELECT ARRAY(SELECT name FROM realms WHERE id = ANY (realm_ids) ORDER BY name) AS realms
  FROM realm_sets
  WHERE EXISTS (
    SELECT FROM tokens
    WHERE realm_set_id = realm_sets.id AND (type = 'ocra2' OR type = 'ocra' AND shared_secret IS NOT NULL))
  ORDER BY 1`;

const TRAIL = `
  WITH last AS (SELECT max(at) AS at, max(last_id) AS id FROM audit_checkpoints
    WHERE at <= clock_timestamp() + interval '5 minutes' AND last_id <= (SELECT last_value FROM audit_id_seq))
  SELECT last.at AS "lastCheckpoint",
    (SELECT min(audit.at) FROM audit WHERE last.id IS NULL OR audit.id > last.id) AS "oldestUncovered",
    (SELECT coalesce(sum(greatest(c.reltuples, 0)), 0)::float8
     FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid WHERE i.inhparent = 'audit'::regclass) AS rows
  FROM last`;

/** The audit has no index on the action: the newest rows are read first. */
const BACKUPS = `
  SELECT (SELECT at FROM audit WHERE action = 'backup/export' ORDER BY at DESC, id DESC LIMIT 1) AS "lastExport",
    (SELECT min(created_at) FROM encryption_keys) AS "installedAt",
    (SELECT value FROM configuration WHERE key = '${BACKUP_ELSEWHERE}') AS elsewhere`;

/**
 * Triggers of tables of this schema. Those of a foreign key, which are internal, have no name worth telling; `tgenabled`
 * is D for disabled, and R for one that fires on a replica only.
 */
const DISABLED_TRIGGERS = `
  SELECT DISTINCT relname || '.' || CASE WHEN tgisinternal THEN coalesce(conname, 'foreign key') ELSE tgname END AS name
  FROM pg_trigger AS t
  JOIN pg_class AS c ON c.oid = t.tgrelid
  JOIN pg_proc AS p ON p.oid = t.tgfoid
  LEFT JOIN pg_constraint AS k ON k.oid = t.tgconstraint
  WHERE t.tgenabled IN ('D', 'R') AND c.relnamespace = current_schema()::regnamespace
    AND (t.tgisinternal OR (p.pronamespace = c.relnamespace AND starts_with(t.tgname, c.relname || '_')))
  ORDER BY 1`;

const FAILING_WEBHOOKS = `
  SELECT name, last_success_at AS "lastSuccessAt", last_failure_at AS "lastFailureAt", last_failure AS "lastFailure"
  FROM webhooks JOIN webhook_health ON webhook_id = id
  WHERE is_enabled AND last_failure_at > coalesce(last_success_at, '-infinity')
  ORDER BY name`;

/** Reads facts about the installation, and changes nothing. Each statement has the time limit of the pool. */
export class InstallationStore {
  readonly #database: Pick<Database, 'knex'>;

  constructor({ database }: { readonly database: Pick<Database, 'knex'> }) {
    this.#database = database;
  }

  async connections(): Promise<ConnectionFacts> {
    const [row = { granted: 0, servers: 0 }] = await this.#rows<ConnectionFacts>(GRANTED);
    return row;
  }

  /** @returns the sets of realms that QR-TAN tokens are in, each by names, sorted; an empty one: no realm */
  async realmsOfQrTokens(): Promise<readonly (readonly string[])[]> {
    const rows = await this.#rows<{ realms: readonly string[] }>(QR_REALMS);
    return rows.map(({ realms }) => realms);
  }

  /** @returns the number of counts that differ from the tokens and users themselves */
  async driftedCounts(): Promise<number> {
    const [row] = await this.#rows<{ drifts: string }>(DRIFTS, [1]);
    return Number(row?.drifts ?? 0);
  }

  async trail(): Promise<TrailFacts> {
    const [row] = await this.#rows<TrailFacts>(TRAIL);
    return row ?? { lastCheckpoint: null, oldestUncovered: null, rows: 0 };
  }

  /** @returns the API tokens that end within a period, the next first */
  apiTokensEnding(from: Date, to: Date): Promise<readonly EndingApiToken[]> {
    return this.#database
      .knex('api_tokens')
      .join('administrators', 'administrators.id', 'api_tokens.administrator_id')
      .where('api_tokens.expires_at', '>', from)
      .where('api_tokens.expires_at', '<=', to)
      .orderBy('api_tokens.expires_at')
      .select<EndingApiToken[]>(
        'administrators.name as administrator',
        'api_tokens.name',
        'api_tokens.expires_at as endsAt',
      );
  }

  /** @returns the disabled triggers of the program by table and name */
  async disabledTriggers(): Promise<readonly string[]> {
    return (await this.#rows<{ name: string }>(DISABLED_TRIGGERS)).map(({ name }) => name);
  }

  /** @returns the receivers in use whose last delivery has failed */
  failingWebhooks(): Promise<readonly FailingWebhook[]> {
    return this.#rows<FailingWebhook>(FAILING_WEBHOOKS);
  }

  async backups(): Promise<BackupFacts> {
    const [row] = await this.#rows<BackupFacts & { elsewhere: string | null }>(BACKUPS);
    const { lastExport = null, installedAt = null, elsewhere } = row ?? {};
    return { lastExport, installedAt, isElsewhere: isNotFalse(elsewhere ?? '') };
  }

  async time(): Promise<Date> {
    return new Date(Number(await readDatabaseTime(this.#database.knex)) / 1_000);
  }

  async facts(): Promise<DatabaseFacts> {
    const [row] = await this.#rows<
      Pick<DatabaseFacts, 'version' | 'isReadOnly'> & { settings: Readonly<Record<string, string>> }
    >(
      `SELECT current_setting('server_version_num')::integer AS version,
         pg_is_in_recovery() OR current_setting('transaction_read_only')::boolean AS "isReadOnly",
         (SELECT json_object_agg(name, current_setting(name, true)) FROM unnest(?::text[] || CASE WHEN inet_client_addr() IS NULL THEN '{}' ELSE ?::text[] END) AS name) AS settings`,
      [SETTINGS, TCP_SETTINGS],
    );
    const { version = 0, isReadOnly = false, settings = {} } = row ?? {};
    return { version, isReadOnly, settings: new Map(Object.entries(settings)) };
  }

  /** @returns what is known of the database's clock; undefined: no server has looked at it */
  clockState(): Promise<ClockState | undefined> {
    return readClockState(this.#database.knex);
  }

  async #rows<Row>(statement: string, values: readonly Knex.Value[] = []): Promise<readonly Row[]> {
    const { rows } = await this.#database.knex.raw<{ rows: Row[] }>(statement, values);
    return rows;
  }
}

const SETTINGS = [
  'autovacuum',
  'fsync',
  'full_page_writes',
  'idle_in_transaction_session_timeout',
  'server_encoding',
  'statement_timeout',
  'track_counts',
];
/** Those of sessions from another machine, or through TCP: on a socket of the machine they are always 0. */
const TCP_SETTINGS = ['tcp_keepalives_idle', 'tcp_user_timeout'];
