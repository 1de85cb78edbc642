import { chmod, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { generateX25519Identity, identityToRecipient } from 'age-encryption';
import { examineInstallation } from '../../../src/compose/doctor/examine-installation.ts';
import { type Installation, openInstallation } from '../../../src/compose/open-installation.ts';
import { type Config, loadConfig } from '../../../src/config/config.ts';
import type { DoctorReport } from '../../../src/doctor/examination.ts';
import { unsignedRow } from '../../support/database/audited-database.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/test-database.ts';
import { queryOnce } from '../../support/database/test-server.ts';
import { insertTokens } from '../../support/database/token-rows.ts';
import { OPERATOR } from '../../support/values/callers.ts';

const ignored = (): void => undefined;
const LOG = { error: ignored, warn: ignored, info: ignored, debug: ignored };
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

let folder: string;
let test: TestDatabase;
let config: Config;
let installation: Installation;

const at = (name: string): string => join(folder, name);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tankeeper-doctor-'));
  test = await createTestDatabase();
  config = loadConfig({ DATABASE_URL: test.url, DATA_DIR: folder, TRUST_PROXY: 'loopback' });
  // A server, not a command, makes the key.
  await (await openInstallation(config, 'server', LOG)).close();
  installation = await openInstallation(config, 'guest', LOG);
  const { resolvers, realms, users } = installation.services;
  await resolvers.set(OPERATOR, { name: 'people', kind: 'managed', settings: {} });
  await users.add(OPERATOR, { resolver: 'people', login: 'ann' });
  await realms.set(OPERATOR, { name: 'office', resolvers: ['people'] });
});
afterAll(async () => {
  await installation.close();
  await test.drop();
  await rm(folder, { recursive: true });
});

/** @param later milliseconds by which the clock is ahead */
function examine(later = 0): Promise<DoctorReport> {
  return examineInstallation(config, { clock: { now: () => new Date(Date.now() + later) } });
}

async function codes(later = 0): Promise<readonly string[]> {
  return (await examine(later)).findings.map(({ code }) => code);
}

const sql = async (...statements: readonly string[]): Promise<void> => {
  for (const statement of statements) {
    await test.database.knex.raw(statement);
  }
};

/** Expects a finding after `provoke`, and none of its kind after `remedy`. */
async function comesAndGoes(
  code: string,
  provoke: () => Promise<unknown>,
  remedy: () => Promise<unknown>,
  severity?: string,
): Promise<void> {
  expect(await codes()).not.toContain(code);
  await provoke();
  const { findings } = await examine();
  await remedy();
  expect(findings).toContainEqual(
    expect.objectContaining({
      code,
      ...(severity !== undefined && { severity }),
      remedy: expect.stringMatching(/./),
    }),
  );
  expect(await codes()).not.toContain(code);
}

describe('an installation in order', () => {
  it('has only the findings that the server of the tests has, and that no backup was made', async () => {
    const { checks, findings } = await examine();
    expect(checks.map(({ state }) => state)).toEqual(checks.map(() => 'done'));
    expect(findings.map(({ code }) => code).filter((code) => !code.startsWith('database.'))).toEqual([
      'backup.none',
    ]);
  });

  it('is only read', async () => {
    const before = await state();
    await examine();
    expect(await state()).toBe(before);
  });
});

/** @returns a digest of every table */
async function state(): Promise<string> {
  const names = await queryOnce<{ name: string }>(
    test.url,
    `SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace ORDER BY 1`,
  );
  const digests = names.map(
    ({ name }) => `(SELECT md5(string_agg(t::text, '|' ORDER BY t::text)) FROM ${name} AS t)`,
  );
  const [row] = await queryOnce<{ digest: string }>(
    test.url,
    `SELECT concat_ws(' ', ${digests.join(', ')}) AS digest`,
  );
  expect(names.map(({ name }) => name)).toEqual(expect.arrayContaining(['audit_journal', 'tokens']));
  return row?.digest ?? '';
}

describe('the encryption key', () => {
  const file = (): string => at('encryption.key');

  it.each([
    ['key.file-readable', 0o644, 'warning'],
    ['key.file-writable', 0o620, 'error'],
  ])('%s comes and goes with the mode of its file', async (code, mode, severity) => {
    await comesAndGoes(
      code,
      () => chmod(file(), mode),
      () => chmod(file(), 0o600),
      severity,
    );
  });

  it('key.folder-writable comes and goes with the mode of its folder', async () => {
    await comesAndGoes(
      'key.folder-writable',
      () => chmod(folder, 0o777),
      () => chmod(folder, 0o700),
      'warning',
    );
  });

  it('key.missing comes and goes with its file, which is not made anew', async () => {
    await comesAndGoes(
      'key.missing',
      () => rename(file(), at('elsewhere')),
      async () => {
        await expect(readFile(file())).rejects.toThrow('ENOENT');
        await rename(at('elsewhere'), file());
      },
      'error',
    );
  });

  it('key.mismatch comes and goes with another key in its file, and is not shown', async () => {
    const right = await readFile(file(), 'utf8');
    const wrong = Buffer.alloc(32, 9).toString('base64');
    await comesAndGoes(
      'key.mismatch',
      () => writeFile(file(), `${wrong}\n`),
      async () => {
        expect(JSON.stringify(await examine())).not.toContain(wrong);
        await writeFile(file(), right);
      },
      'error',
    );
  });

  it('leaves the other checks where it is missing', async () => {
    await rename(file(), at('elsewhere'));
    const { checks } = await examine();
    await rename(at('elsewhere'), file());
    const skipped = checks.filter(({ state: end }) => end !== 'done').map(({ name }) => name);
    expect(skipped).toEqual(['resolvers', 'audit']);
  });

  it('key.unregistered comes and goes with a key that the database does not know', async () => {
    const right = await readFile(file(), 'utf8');
    const other = Buffer.alloc(32, 9).toString('base64');
    await comesAndGoes(
      'key.unregistered',
      () => writeFile(file(), `${right}${other}\n`),
      () => writeFile(file(), right),
      'note',
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
    await insertTokens(test.database, [{ serial: 'C1', realms: ['office'] }]);
    await comesAndGoes(
      'counters.drifted',
      () => sql('SELECT fold_counts(1000)', 'UPDATE token_counts SET tokens = tokens + 7'),
      () => installation.services.counts.mend(OPERATOR),
      'error',
    );
  });

  it('backup.none becomes a warning after a week, an export takes it, and backup.old follows a week later', async () => {
    const none = (await examine(8 * DAY)).findings.find(({ code }) => code === 'backup.none');
    expect(none?.severity).toBe('warning');
    const recipient = await identityToRecipient(await generateX25519Identity());
    await installation.services.backups.export(OPERATOR, {
      lock: { recipients: [recipient] },
      version: 'test',
      write: () => Promise.resolve(),
    });
    expect((await codes()).filter((code) => code.startsWith('backup.'))).toEqual([]);
    expect(await codes(8 * DAY)).toContain('backup.old');
  });

  it.each([
    [10_000, 'warning'],
    [-10_000, 'warning'],
    [2 * HOUR, 'error'],
  ])('clock.differs is there for a difference of %i ms', async (later, severity) => {
    const { findings } = await examine(later);
    expect(findings).toContainEqual(expect.objectContaining({ code: 'clock.differs', severity }));
    expect(await codes()).not.toContain('clock.differs');
  });
});

describe('the audit', () => {
  it('audit.altered comes and goes with a row that nobody has signed', async () => {
    await comesAndGoes(
      'audit.altered',
      () => sql(unsignedRow('forged', new Date().toISOString())),
      () => sql("DELETE FROM audit WHERE subject = 'forged'"),
      'error',
    );
  });

  it('audit.no-checkpoint comes with rows that no checkpoint covers for an hour, and goes with one', async () => {
    const { settings } = installation.services;
    await settings.set(OPERATOR, new Map([['OcraMaxChallenges', '5']]));
    expect(await codes(2 * HOUR)).toContain('audit.no-checkpoint');
    await installation.database.audit.checkpoint();
    expect(await codes(2 * HOUR)).not.toContain('audit.no-checkpoint');
  });
});
