import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type BackupManifest,
  type BackupSnapshot,
  packBackup,
  readBackup,
  type RowCounts,
  total,
} from '../../src/backup/backup-format.ts';
import { Readable } from 'node:stream';
import { systemRandom } from '../../src/kernel/system-random.ts';
import { Vault } from '../../src/keys/vault.ts';
import { BACKED_UP_TABLES, LEFT_OUT_TABLES } from '../../src/backup/backup-store.ts';
import { actOf } from '../../src/policy/caller.ts';
import { assertLoadable, loadBackup, skip, type VerifiedBackup } from '../../src/backup/restore-store.ts';
import { BackupStore } from '../../src/backup/backup-store.ts';
import type { Database } from '../../src/database/database.ts';
import { pendingMigrations } from '../../src/database/migrate.ts';
import { OPERATOR } from '../support/values/callers.ts';
import { becomeNextVersion } from '../support/database/next-migration.ts';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.ts';

const keys = new Vault({ keys: [Buffer.alloc(32, 7)], random: systemRandom });

let source: TestDatabase;
let target: TestDatabase;
beforeEach(async () => {
  [source, target] = await Promise.all([createTestDatabase(), createTestDatabase({ schema: 'empty' })]);
});
afterEach(() => Promise.all([source.drop(), target.drop()]));

/** Every kind of value that a column may have. */
const FILL = `
  INSERT INTO resolvers (name, kind, settings) VALUES ('staff', 'managed', '{"n": 12345678901234567890.5, "t": "\\\\u00e4\\\\n"}');
  INSERT INTO realms (name, created_at) VALUES ('office', '2026-01-02 03:04:05.678901+00'), ('home', 'infinity');
  INSERT INTO realm_resolvers SELECT r.id, s.id, 1 FROM realms AS r, resolvers AS s;
  INSERT INTO users (resolver_id, login) SELECT id, 'ann "a" \\\\ ä' || chr(10) FROM resolvers;
  INSERT INTO tokens (serial, type, active, realm_set_id, owner_resolver_id, owner_user_id, owner_login, replay_markers, seed)
    SELECT 'T' || n, 'ocra', n % 2 = 0, intern_realm_set(ARRAY(SELECT id FROM realms)), s.id, u.id::text, u.login,
      ARRAY['a,"b', NULL, ''], '\\x00ff'
    FROM resolvers AS s JOIN users AS u ON u.resolver_id = s.id CROSS JOIN generate_series(1, 2500) AS n;
  DELETE FROM tokens WHERE serial = 'T2500';
  INSERT INTO challenges (transaction_id, token_id, question, data, issued_at, open_until, received_tan, valid_tan, closed_by,
      closed_at)
    SELECT 'tx', id, '1', '', now(), now(), true, true, 'accepted', now() FROM tokens WHERE serial = 'T1';`;

async function backupOf(
  database: Database,
  changes: Partial<BackupSnapshot> = {},
  reader = keys,
): Promise<VerifiedBackup> {
  const pieces = await new BackupStore({ database }).read(async (snapshot) => {
    const found: Uint8Array[] = [];
    for await (const bytes of packBackup({ ...snapshot, ...changes }, '9.9.9', new Date(), keys, new Map())) {
      found.push(bytes);
    }
    return found;
  });
  const tar = async function* (): AsyncGenerator<Uint8Array> {
    yield* await Promise.resolve(pieces);
  };
  const { manifest } = await readBackup(tar(), (_table, bytes) => skip(bytes));
  return {
    manifest,
    read: async (take) => {
      (await readBackup(tar(), take)).assertMade(reader);
    },
  };
}

/** @returns every row of the tables of a backup */
async function contents({ knex }: Database): Promise<Map<string, readonly string[]>> {
  const found = new Map<string, readonly string[]>();
  for (const table of BACKED_UP_TABLES) {
    const { rows } = await knex.raw<{ rows: { row: string }[] }>(
      `SELECT t::text AS row FROM ${table} AS t ORDER BY 1`,
    );
    found.set(
      table,
      rows.map(({ row }) => row),
    );
  }
  return found;
}

async function tablesOf({ knex }: Database): Promise<readonly string[]> {
  return knex('pg_tables').where({ schemaname: 'public' }).orderBy('tablename').pluck<string[]>('tablename');
}

describe('the tables of a backup', () => {
  it('are all tables, but those that are left out by name', async () => {
    // Without the months of the audit.
    const stored = (await tablesOf(source.database)).filter(
      (name) => !/^(?:audit_(?:\d|default)|knex_)/.test(name),
    );
    expect([...BACKED_UP_TABLES, ...LEFT_OUT_TABLES].toSorted()).toEqual(stored);
  });
});

describe('a loaded backup', () => {
  it('has every row as it was', async () => {
    await source.database.knex.raw(FILL);
    await source.database.knex.raw("SELECT add_audit_month('2026-03-01T00:00:00Z')");
    const act = actOf(OPERATOR, 'housekeeping/run');
    await source.database.audit.autocommit.write(act, 'housekeeping', 'removed nothing');
    const backup = await backupOf(source.database);
    const counts: RowCounts = new Map(backup.manifest.tables.map(({ name, rows }) => [name, rows]));
    expect(counts.get('tokens')).toBe(2499);
    await loadBackup(target.database, backup);
    const found = await contents(target.database);
    expect(found).toEqual(await contents(source.database));
    expect([...found.values()].flat()).toHaveLength(total(counts));
    expect(await tablesOf(target.database)).toEqual(await tablesOf(source.database));
    const { rows } = await target.database.knex.raw<{ rows: object[] }>(
      'SELECT active, sum(tokens)::int AS tokens FROM token_counts GROUP BY 1 ORDER BY 1',
    );
    expect(rows).toEqual([
      { active: false, tokens: 1250 },
      { active: true, tokens: 1249 },
    ]);
    expect(await target.database.knex('count_deltas').count()).toEqual([{ count: '0' }]);
    // The newest audit row is the time at which the clock was right, so that a wrong one removes nothing.
    const clock = await target.database.knex.raw<{ rows: { is_seen: boolean }[] }>(
      'SELECT seen_at = (SELECT max(at) FROM audit) AS is_seen FROM clock_state',
    );
    expect(clock.rows).toEqual([{ is_seen: true }]);
  });

  it('gives no id again, also none whose row was removed before', async () => {
    await source.database.knex.raw(FILL);
    await loadBackup(target.database, await backupOf(source.database));
    const { rows } = await target.database.knex.raw<{ rows: { id: string }[] }>(
      "INSERT INTO tokens (serial, type, active, realm_set_id) SELECT 'new', 'ocra', true, min(id) FROM realm_sets RETURNING id",
    );
    expect(rows).toEqual([{ id: '2501' }]);
    // The triggers count again, and versions rise in every session.
    expect(await target.database.knex('count_deltas').count()).toEqual([{ count: '1' }]);
    const modes = (database: Database): Promise<unknown[]> =>
      database
        .knex('pg_trigger')
        .where({ tgisinternal: false })
        .orderBy('tgname')
        .select('tgname', 'tgenabled');
    expect(await modes(target.database)).toEqual(await modes(source.database));
  });

  it('has no open challenge', async () => {
    await source.database.knex.raw(FILL);
    await source.database.knex.raw(
      "INSERT INTO challenges (transaction_id, token_id, question, data, issued_at, open_until) SELECT 'open', id, '1', '', now(), now() FROM tokens WHERE serial = 'T1'",
    );
    await loadBackup(target.database, await backupOf(source.database));
    expect(
      await target.database
        .knex('challenges')
        .orderBy('transaction_id')
        .select('transaction_id', 'closed_by'),
    ).toEqual([
      { transaction_id: 'open', closed_by: 'superseded' },
      { transaction_id: 'tx', closed_by: 'accepted' },
    ]);
  });

  it('takes no time step of TOTP again that may have been used since', async () => {
    await source.database.knex.raw(FILL);
    await source.database.knex.raw(
      "UPDATE tokens SET type = 'totp', algorithm = 'TOTP-SHA1-6:T30S', time_shift = 60 WHERE serial = 'T1'",
    );
    const window = Math.floor(Date.now() / 1000) + 60 + 300 + 60;
    await loadBackup(target.database, await backupOf(source.database));
    const [token] = await target.database
      .knex('tokens')
      .where({ serial: 'T1' })
      .select<{ counter: string }[]>('counter');
    expect(Number(token?.counter)).toBeGreaterThanOrEqual(window);
  });

  it('of an earlier version is brought up to date', async () => {
    await source.database.knex.raw(FILL);
    const backup = await backupOf(source.database);
    const becomeThisVersion = becomeNextVersion();
    try {
      await loadBackup(target.database, backup);
      expect(await pendingMigrations(target.database)).toEqual([]);
      expect(await target.database.knex('tokens').first('serial', 'of_next_version')).toEqual({
        serial: 'T1',
        of_next_version: null,
      });
    } finally {
      becomeThisVersion();
    }
  });
});

describe('a load that is refused', () => {
  it('leaves an empty database empty', async () => {
    await source.database.knex.raw(FILL);
    const other = new Vault({ keys: [Buffer.alloc(32, 8)], random: systemRandom });
    const foreign = await backupOf(source.database, {}, other);
    await expect(loadBackup(target.database, foreign)).rejects.toMatchObject({ code: 'backup.invalid' });
    const cut = await backupOf(source.database, {
      copy: async function* () {
        yield await Promise.resolve(Buffer.from('1\tno row of this table\n'));
      },
    });
    await expect(loadBackup(target.database, cut)).rejects.toThrow();
    expect(await tablesOf(target.database)).toEqual([]);
  });

  it('leaves a database with tables as it is', async () => {
    await source.database.knex.raw(FILL);
    const before = await contents(source.database);
    await expect(loadBackup(source.database, await backupOf(source.database))).rejects.toMatchObject({
      code: 'database.not-empty',
      message: expect.stringContaining('this one has tables: knex_migrations, realms') as unknown,
    });
    expect(await contents(source.database)).toEqual(before);
  });

  it.each(['users', 'sessions'])('names a table of another program: %s', async (table) => {
    await target.database.knex.raw('CREATE TABLE ?? (id integer)', [table]);
    await expect(loadBackup(target.database, await backupOf(source.database))).rejects.toThrow(
      `this one has tables: ${table}`,
    );
    expect(await tablesOf(target.database)).toEqual([table]);
  });

  it('names what a newer version has added', async () => {
    const { manifest } = await backupOf(source.database);
    const loadable = (changes: Partial<BackupManifest>) => (): void => {
      assertLoadable({ ...manifest, ...changes });
    };
    expect(loadable({ migrations: [...manifest.migrations, { name: '999-wings', checksum: '' }] })).toThrow(
      'the database is newer than this program: tankeeper 9.9.9 has applied 999-wings',
    );
    const altered = [{ name: '001-baseline', checksum: 'f00d' }];
    expect(loadable({ migrations: altered })).toThrow(
      'has applied 001-baseline in another form than that of this program',
    );
    const wings = { name: 'wings', columns: [], rows: 0, sha256: '' };
    expect(loadable({ tables: [wings] })).toThrow('it has tables that this program does not know: wings');
  });
});

describe('the reading of a backup', () => {
  it('that fails within a table ends with its fault, and the pool works on', async () => {
    await source.database.knex.raw(FILL);
    const read = new BackupStore({ database: source.database }).read(async (snapshot) => {
      await skip(
        Readable.from(snapshot.copy('tokens')).map(() => {
          throw new Error('the disk is full');
        }),
      );
    });
    await expect(read).rejects.toThrow('the disk is full');
    await source.database.ready();
  });
});
