import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type BackupHeader,
  backupLines,
  openBackup,
  type OpenBackup,
} from '../../src/backup/backup-format.ts';
import { systemRandom } from '../../src/kernel/system-random.ts';
import { SecretVault } from '../../src/keys/vault.ts';
import { BACKED_UP_TABLES, LEFT_OUT_TABLES } from '../../src/backup/backup-store.ts';
import { actOf } from '../../src/policy/caller.ts';
import { assertLoadable, loadBackup } from '../../src/backup/restore-store.ts';
import { BackupStore } from '../../src/backup/backup-store.ts';
import type { Database } from '../../src/database/database.ts';
import { pendingMigrations } from '../../src/database/migrate.ts';
import { migrationChecksums } from '../../src/database/migration-checksums.ts';
import { migrationNames, migrationSourceOf } from '../../src/database/migration-source.ts';
import { OPERATOR } from '../support/values/callers.ts';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.ts';

const keys = new SecretVault({ keys: [Buffer.alloc(32, 7)], random: systemRandom });
const OPTIONS = { keys, of: 1 };

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
  INSERT INTO challenges (transaction_id, token_id, question, data, issued_at, received_tan, valid_tan, closed_by, closed_at)
    SELECT 'tx', id, '1', '', now(), true, true, 'accepted', now() FROM tokens WHERE serial = 'T1';`;

async function backupOf(database: Database, changes: Partial<BackupHeader> = {}): Promise<OpenBackup> {
  const lines = await new BackupStore({ database }).read(async (snapshot) => {
    const facts = await snapshot.facts();
    const header = { ...facts, version: '9.9.9', createdAt: new Date(), ...changes };
    const found: string[] = [];
    for await (const line of backupLines(snapshot, header, keys, new Map())) {
      found.push(line);
    }
    return found;
  });
  return openBackup(
    (async function* () {
      yield* await Promise.resolve(lines);
    })(),
  );
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
  it.each(['empty', 'migrated'] as const)(
    'has every row as it was, in a database that is %s',
    async (schema) => {
      await source.database.knex.raw(FILL);
      const given = schema === 'empty' ? target : await createTestDatabase({ schema });
      try {
        const counts = await loadBackup(given.database, await backupOf(source.database), OPTIONS);
        expect(counts.get('tokens')).toBe(2499);
        expect(await contents(given.database)).toEqual(await contents(source.database));
        const { rows } = await given.database.knex.raw<{ rows: object[] }>(
          'SELECT active, sum(tokens)::int AS tokens FROM token_counts GROUP BY 1 ORDER BY 1',
        );
        expect(rows).toEqual([
          { active: false, tokens: 1250 },
          { active: true, tokens: 1249 },
        ]);
        expect(await given.database.knex('count_deltas').count()).toEqual([{ count: '0' }]);
      } finally {
        await (given === target ? undefined : given.drop());
      }
    },
  );

  it('replaces the empty tables of an earlier version', async () => {
    await target.database.knex.migrate.latest({
      migrationSource: migrationSourceOf(migrationNames.slice(0, 3)),
    });
    await loadBackup(target.database, await backupOf(source.database), OPTIONS);
    expect(await pendingMigrations(target.database)).toEqual([]);
  });

  it('gives no id again, also none whose row was removed before', async () => {
    await source.database.knex.raw(FILL);
    await loadBackup(target.database, await backupOf(source.database), OPTIONS);
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

  it('has no open challenge where that was asked for', async () => {
    await source.database.knex.raw(FILL);
    await source.database.knex.raw(
      "INSERT INTO challenges (transaction_id, token_id, question, data, issued_at) SELECT 'open', id, '1', '', now() FROM tokens WHERE serial = 'T1'",
    );
    const options = { ...OPTIONS, closesChallenges: true };
    await loadBackup(target.database, await backupOf(source.database), options);
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

  it('has its newest audit row for the time at which the clock was right, so that a wrong one removes nothing', async () => {
    const act = actOf(OPERATOR, 'housekeeping/run');
    await source.database.audit.autocommit.write(act, 'housekeeping', 'removed nothing');
    await loadBackup(target.database, await backupOf(source.database), OPTIONS);
    const { rows } = await target.database.knex.raw<{ rows: { is_seen: boolean }[] }>(
      'SELECT seen_at = (SELECT max(at) FROM audit) AS is_seen FROM clock_state',
    );
    expect(rows).toEqual([{ is_seen: true }]);
  });

  it('has a partition for each month of the audit', async () => {
    await source.database.knex.raw("SELECT add_audit_month('2026-03-01T00:00:00Z')");
    await loadBackup(target.database, await backupOf(source.database), OPTIONS);
    expect(await tablesOf(target.database)).toContain('audit_2026_03');
  });

  it('of an earlier version is brought up to date', async () => {
    const backup = await backupOf(source.database, {
      migrations: migrationNames.slice(0, -1),
      // Those of the last migration were not there.
      tables: BACKED_UP_TABLES.filter((name) => name !== 'audit_checkpoints'),
    });
    await loadBackup(target.database, backup, OPTIONS);
    expect(await pendingMigrations(target.database)).toEqual([]);
  });
});

describe('a load that is refused', () => {
  it('leaves an empty database empty', async () => {
    const backup = await backupOf(source.database);
    const other = new SecretVault({ keys: [Buffer.alloc(32, 8)], random: systemRandom });
    await expect(loadBackup(target.database, backup, { ...OPTIONS, keys: other })).rejects.toMatchObject({
      code: 'backup.invalid',
    });
    expect(await tablesOf(target.database)).toEqual([]);
  });

  it('names the tables with rows', async () => {
    await source.database.knex.raw(FILL);
    const before = await contents(source.database);
    await expect(loadBackup(source.database, await backupOf(source.database), OPTIONS)).rejects.toMatchObject(
      {
        code: 'database.not-empty',
        message: expect.stringContaining('it holds realms, resolvers, users, tokens, challenges.') as unknown,
      },
    );
    expect(await contents(source.database)).toEqual(before);
  });

  it.each(['users', 'sessions'])('names a table of another program: %s', async (table) => {
    await target.database.knex.raw('CREATE TABLE ?? (id integer)', [table]);
    await expect(loadBackup(target.database, await backupOf(source.database), OPTIONS)).rejects.toThrow(
      `it has tables of another program: ${table}`,
    );
    expect(await tablesOf(target.database)).toEqual([table]);
  });

  it('names the tables with rows of an earlier version', async () => {
    const names = migrationNames.slice(0, 3);
    await target.database.knex.migrate.latest({ migrationSource: migrationSourceOf(names) });
    await target.database.knex('realms').insert({ name: 'office' });
    await expect(loadBackup(target.database, await backupOf(source.database), OPTIONS)).rejects.toThrow(
      'it holds realms.',
    );
  });

  it('names what a newer version has added', async () => {
    const newer = await backupOf(source.database, { migrations: [...migrationNames, '999-wings'] });
    expect(() => {
      assertLoadable(newer);
    }).toThrow('the database is newer than this program: tankeeper 9.9.9 has applied 999-wings');
    const altered = await backupOf(source.database, {
      checksums: new Map([...Object.entries(migrationChecksums), ['002-tokens-and-challenges', 'f00d']]),
    });
    expect(() => {
      assertLoadable(altered);
    }).toThrow('has applied 002-tokens-and-challenges in another form than that of this program');
    const strange = await backupOf(source.database, { auditMonths: ["2026-13'"] });
    await expect(loadBackup(target.database, strange, OPTIONS)).rejects.toMatchObject({
      code: 'backup.invalid',
    });
  });
});
