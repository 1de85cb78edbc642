import { chmod, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { generateX25519Identity, identityToRecipient } from 'age-encryption';
import { examineInstallation } from '../../../src/compose/examine-installation.ts';
import { loadConfig } from '../../../src/config/config.ts';
import { createTestDatabase } from '../../support/database/test-database.ts';
import { queryOnce } from '../../support/database/test-server.ts';
import { insertTokens } from '../../support/database/token-rows.ts';
import { OPERATOR } from '../../support/values/callers.ts';
import { ExaminedInstallation, expectToComeAndGo } from './examined-installation.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

let house: ExaminedInstallation;

beforeAll(async () => {
  house = await ExaminedInstallation.create();
});
afterAll(() => house.close());

describe('an installation in order', () => {
  it('has only the findings that the server of the tests has, and that no backup was made', async () => {
    const { checks, findings } = await house.examine();
    expect(checks.map(({ state }) => state)).toEqual(checks.map(() => 'done'));
    expect(findings.map(({ code }) => code).filter((code) => !code.startsWith('database.'))).toEqual([
      'backup.none',
    ]);
  });

  it('is only read', async () => {
    const before = await state();
    await house.examine();
    expect(await state()).toBe(before);
  });
});

/** @returns a hash of every table */
async function state(): Promise<string> {
  const names = await queryOnce<{ name: string }>(
    house.test.url,
    `SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace ORDER BY 1`,
  );
  const hashes = names.map(
    ({ name }) => `(SELECT md5(string_agg(t::text, '|' ORDER BY t::text)) FROM ${name} AS t)`,
  );
  const [row] = await queryOnce<{ hash: string }>(
    house.test.url,
    `SELECT concat_ws(' ', ${hashes.join(', ')}) AS hash`,
  );
  expect(names.map(({ name }) => name)).toEqual(expect.arrayContaining(['audit_checkpoints', 'tokens']));
  return row?.hash ?? '';
}

describe('the tables', () => {
  it('tables.incomplete comes and goes with one that no check reads', async () => {
    await expectToComeAndGo(
      house,
      ['tables.incomplete', 'error'],
      () => house.sql('ALTER TABLE used_sign_ons RENAME TO elsewhere'),
      () => house.sql('ALTER TABLE elsewhere RENAME TO used_sign_ons'),
    );
  });
});

describe('the encryption key', () => {
  it.each([
    ['key.file-readable', 0o644, 'warning'],
    ['key.file-writable', 0o620, 'error'],
  ] as const)('%s comes and goes with the mode of its file', async (code, mode, severity) => {
    await expectToComeAndGo(
      house,
      [code, severity],
      () => chmod(house.keyFile, mode),
      () => chmod(house.keyFile, 0o600),
    );
  });

  it('key.folder-writable comes and goes with the mode of its folder', async () => {
    await expectToComeAndGo(
      house,
      ['key.folder-writable', 'warning'],
      () => chmod(house.folder, 0o777),
      () => chmod(house.folder, 0o700),
    );
  });

  it('key.missing comes and goes with its file, which is not made anew', async () => {
    await expectToComeAndGo(
      house,
      ['key.missing', 'error'],
      () => rename(house.keyFile, `${house.keyFile}.away`),
      async () => {
        await expect(readFile(house.keyFile)).rejects.toThrow('ENOENT');
        await rename(`${house.keyFile}.away`, house.keyFile);
      },
    );
  });

  it('key.mismatch comes and goes with another key in its file, and is not shown', async () => {
    const right = await readFile(house.keyFile, 'utf8');
    const wrong = Buffer.alloc(32, 9).toString('base64');
    await expectToComeAndGo(
      house,
      ['key.mismatch', 'error'],
      () => writeFile(house.keyFile, `${wrong}\n`),
      async () => {
        expect(JSON.stringify(await house.examine())).not.toContain(wrong);
        await writeFile(house.keyFile, right);
      },
    );
  });

  it('leaves the other checks where it is missing', async () => {
    await rename(house.keyFile, `${house.keyFile}.away`);
    const { checks } = await house.examine();
    await rename(`${house.keyFile}.away`, house.keyFile);
    const skipped = checks.filter(({ state: end }) => end !== 'done').map(({ name }) => name);
    expect(skipped).toEqual(['tables', 'resolvers', 'audit']);
  });

  it('key.unregistered comes and goes with a key that the database does not know', async () => {
    const right = await readFile(house.keyFile, 'utf8');
    const other = Buffer.alloc(32, 9).toString('base64');
    await expectToComeAndGo(
      house,
      ['key.unregistered', 'note'],
      () => writeFile(house.keyFile, `${right}${other}\n`),
      () => writeFile(house.keyFile, right),
    );
  });

  it('key.none is a note about a database before its first server, and no key is made', async () => {
    const fresh = await createTestDatabase();
    const empty = await mkdtemp(join(tmpdir(), 'tankeeper-doctor-'));
    try {
      const given = loadConfig({ DATABASE_URL: fresh.url, DATA_DIR: empty });
      const { findings } = await examineInstallation(given);
      expect(findings.map(({ code }) => code)).toContain('key.none');
      await expect(readFile(join(empty, 'encryption.key'))).rejects.toThrow('ENOENT');
    } finally {
      await fresh.drop();
      await rm(empty, { recursive: true });
    }
  });
});

describe('the counts, the backup and the clock', () => {
  it('counters.drifted comes and goes with a count that is wrong', async () => {
    await insertTokens(house.test.database, [{ serial: 'C1', realms: ['office'] }]);
    await expectToComeAndGo(
      house,
      ['counters.drifted', 'error'],
      () => house.sql('SELECT fold_counts(1000)', 'UPDATE token_counts SET tokens = tokens + 7'),
      () => house.services.counts.mend(OPERATOR),
    );
  });

  it('backup.none becomes a warning after a week, an export takes it, and backup.old follows a week later', async () => {
    const none = (await house.examine(8 * DAY)).findings.find(({ code }) => code === 'backup.none');
    expect(none?.severity).toBe('warning');
    const recipient = await identityToRecipient(await generateX25519Identity());
    await house.services.backups.export(OPERATOR, {
      lock: { recipients: [recipient] },
      version: 'test',
      write: () => Promise.resolve(),
    });
    expect((await house.codes()).filter((code) => code.startsWith('backup.'))).toEqual([]);
    expect(await house.codes(8 * DAY)).toContain('backup.old');
  });

  it.each([
    [10_000, 'warning'],
    [-10_000, 'warning'],
    [2 * HOUR, 'error'],
  ])('clock.differs is there for a difference of %i ms', async (later, severity) => {
    const { findings } = await house.examine(later);
    expect(findings).toContainEqual(expect.objectContaining({ code: 'clock.differs', severity }));
    expect(await house.codes()).not.toContain('clock.differs');
  });
});

describe('the audit', () => {
  it('audit.altered comes and goes with a row that somebody has changed', async () => {
    await house.services.settings.set(OPERATOR, new Map([['OcraMaxChallenges', '4']]));
    await house.checkpoint();
    const change = (from: string, to: string): Promise<unknown> =>
      house.sql(
        `DO $$ BEGIN SET LOCAL tankeeper.audit = 'open';
          UPDATE audit SET outcome = '${to}' WHERE outcome = '${from}'; END $$`,
      );
    await expectToComeAndGo(
      house,
      ['audit.altered', 'error'],
      () => change('stored', 'forged'),
      () => change('forged', 'stored'),
    );
  });

  it('audit.no-checkpoint comes with rows that no checkpoint covers for an hour, and goes with one', async () => {
    const { settings } = house.services;
    await settings.set(OPERATOR, new Map([['OcraMaxChallenges', '5']]));
    expect(await house.codes(2 * HOUR)).toContain('audit.no-checkpoint');
    await house.checkpoint();
    expect(await house.codes(2 * HOUR)).not.toContain('audit.no-checkpoint');
  });
});

describe('a lock that another holds', () => {
  it('makes the checks that wait for it findings, and no other', async () => {
    const report = await house.test.database.knex.transaction(async (sql) => {
      await sql.raw('LOCK TABLE audit IN ACCESS EXCLUSIVE MODE');
      return examineInstallation(house.config, { timeoutMs: 5_000 });
    });
    const failed = report.checks.filter(({ state: end }) => end !== 'done').map(({ name }) => name);
    expect(failed).toEqual(['backup', 'audit']);
    expect(report.findings.map(({ code }) => code)).toEqual(
      expect.arrayContaining(['backup.overdue', 'audit.overdue']),
    );
    expect((await house.codes()).filter((code) => code.endsWith('.overdue'))).toEqual([]);
  });
});
