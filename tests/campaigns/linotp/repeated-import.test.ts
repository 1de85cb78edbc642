import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Knex } from 'knex';
import { openDatabase } from '../../../src/database/database.ts';
import { TestApplication } from '../../support/application/test-application.ts';
import {
  fixtureFile,
  type Imported,
  importFixture,
  replaced,
  withDump,
} from '../../linotp/linotp-fixture.ts';
import { openContent, storedTokens } from '../../linotp/stored-installation.ts';
import type { ImportEntry } from '../../../src/linotp/import-report.ts';
import { momentsAt } from '../../../src/housekeeping/housekeeping.ts';
import { HousekeepingStore } from '../../../src/housekeeping/housekeeping-store.ts';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { runCli, startCli } from '../../cli/cli-process.ts';
import { startServerProcess } from '../../support/servers/server-process.ts';
import { createTestDatabase } from '../../support/database/test-database.ts';

const FIXTURE = '2.12.6-postgresql';

let app: TestApplication;
let sql: Knex;

beforeEach(async () => {
  app = await TestApplication.open();
  sql = app.sql;
});

afterEach(() => app.close());

function importEdited(edit: (text: string) => string): Promise<Imported> {
  return withDump(FIXTURE, (place) => importFixture(app.services, FIXTURE, { place }), edit);
}

/** @returns the entries of things that were written or left in the group */
function differences({ entries }: Imported, group: string): readonly string[] {
  return entries
    .filter((entry) => entry.group === group && entry.outcome !== 'unchanged')
    .map(({ outcome, name, reasons }) => [outcome, name, ...reasons].join(' '));
}

function tokenStatement(text: string, serial: string): string {
  const at = text.indexOf(`, '${serial}', 'ocra'`);
  const start = text.lastIndexOf('INSERT INTO', at);
  return text.slice(start, text.indexOf(');\n', at) + 3);
}

describe('a repeated import', () => {
  beforeEach(() => importFixture(app.services, FIXTURE));

  it('takes a token that has changed at the source since', async () => {
    const imported = await importEdited((text) => {
      const statement = tokenStatement(text, 'QR07');
      return replaced(text, statement, replaced(statement, "'ocra'", "'ocra2'"));
    });
    expect(differences(imported, 'tokens')).toEqual(['updated QR07']);
    expect((await storedTokens(sql)).find(({ serial }) => serial === 'QR07')?.type).toBe('ocra2');
  });

  it('takes a new token, and removes one that the source has no longer', async () => {
    const imported = await importEdited((text) => replaced(text, ", 'QR07', 'ocra'", ", 'QR99', 'ocra'"));
    expect(differences(imported, 'tokens')).toEqual([
      'taken QR99',
      'removed QR07 the source has it no longer',
    ]);
    const serials = (await storedTokens(sql)).map(({ serial }) => serial);
    expect([serials.includes('QR99'), serials.includes('QR07'), serials.length]).toEqual([true, false, 54]);
  });

  it('leaves a token that has changed on both sides', async () => {
    await app.asAdmin('/admin/disable', { serial: 'QR07' });
    const imported = await importEdited((text) => {
      const statement = tokenStatement(text, 'QR07');
      return replaced(text, statement, replaced(statement, "'ocra'", "'ocra2'"));
    });
    expect(differences(imported, 'tokens')).toEqual([
      expect.stringMatching(/^left QR07 it has changed on both sides/),
    ]);
    expect((await storedTokens(sql)).find(({ serial }) => serial === 'QR07')).toMatchObject({
      type: 'ocra',
      active: false,
    });
  });

  it('takes changed policies and settings, and removes those that the source has no longer', async () => {
    const imported = await importEdited((text) =>
      replaced(
        replaced(text, /^.*'linotp\.Policy\.mon\..*\n/gm, ''),
        "'linotp.OcraMaxChallenges', '8'",
        "'linotp.OcraMaxChallenges', '9'",
      ),
    );
    expect(differences(imported, 'policies')).toEqual(['removed mon the source has it no longer']);
    expect(differences(imported, 'settings')).toContain('updated OcraMaxChallenges');
    const { settings } = await app.services.configuration.current();
    expect(settings.get('OcraMaxChallenges')).toBe('9');
  });

  it('leaves what has been changed here and not at the source', async () => {
    await sql('policies').where({ name: 'chalresp' }).update({ action: 'otppin=0', active: true });
    const imported = await importFixture(app.services, FIXTURE);
    expect(differences(imported, 'policies')).toEqual([]);
    expect(await sql('policies').where({ name: 'chalresp' }).first()).toMatchObject({ active: true });
  });

  it('takes a wrong response to a challenge that LinOTP has counted since', async () => {
    const imported = await importEdited((text) => {
      const row =
        text.split('\n').find((line) => line.includes("'QR16'") && line.endsWith('0, false, false);')) ?? '';
      return replaced(text, row, row.replace('0, false, false);', '1, true, false);'));
    });
    expect(differences(imported, 'challenges')).toEqual([expect.stringMatching(/^updated \d{12}$/)]);
  });

  it('does not bring back a token that was removed here', async () => {
    await app.asAdmin('/admin/remove', { serial: 'QR07' });
    const { entries } = await importFixture(app.services, FIXTURE);
    expect(entries.filter(({ name }) => name === 'QR07')).toMatchObject([
      { group: 'tokens', outcome: 'left', reasons: ['it has been removed here since the last import'] },
    ]);
    expect(await sql('tokens').where({ serial: 'QR07' })).toEqual([]);
  });

  it('takes a token that the source has again', async () => {
    const without = (text: string): string => replaced(text, "'QR07', 'ocra'", "'QR99', 'ocra'");
    await withDump(FIXTURE, (place) => importFixture(app.services, FIXTURE, { place }), without);
    const { entries } = await importFixture(app.services, FIXTURE);
    expect(entries.filter(({ group, name }) => group === 'tokens' && name === 'QR07')).toMatchObject([
      { outcome: 'taken' },
    ]);
  });

  it('does not bring back an entry that was removed here and changed there', async () => {
    await sql('policies').where({ name: 'chalresp' }).delete();
    const outcomes = await importWhile(
      'policies',
      (text) =>
        replaced(text, /('linotp\.Policy\.chalresp\.user', ')[^']*/, "'linotp.Policy.chalresp.user', 'anna"),
      () => Promise.resolve(),
    );
    expect(outcomes.get('chalresp')).toBe('left: it has been removed here since the last import');
    expect(await sql('policies').where({ name: 'chalresp' })).toEqual([]);
  });

  it('takes a changed token whose old challenge has been cleared away here', async () => {
    const database = openDatabase({ connection: app.databaseUrl, applicationName: 'test' });
    const now = new Date();
    await new HousekeepingStore({ database }).clear(momentsAt(now, 0), {
      signal: new AbortController().signal,
      removed: () => undefined,
    });
    await database.close();
    expect(await sql('challenges').whereNull('closed_by')).toEqual([]);
    const outcomes = await importWhile(
      'tokens',
      (text) => replaced(text, "'QR16', 'ocra'", "'QR16', 'ocra2'"),
      () => Promise.resolve(),
    );
    expect(outcomes.get('QR16')).toBe('updated: ');
  });

  it('keeps a setting that the source has still, but that can no longer be read', async () => {
    const outcomes = await importWhile(
      'settings',
      (text) => replaced(text, "'linotp.OcraMaxChallenges', '8'", "'linotp.OcraMaxChallenges', 'x'"),
      () => Promise.resolve(),
    );
    expect(outcomes.get('OcraMaxChallenges')).toMatch(/^left: /);
    expect((await app.services.configuration.current()).settings.get('OcraMaxChallenges')).toBe('8');
  });

  it.each([false, true])('of another installation is refused (dry run: %s)', async (dryRun) => {
    const count = await sql('tokens').count();
    await expect(importFixture(app.services, '3.4.4-postgresql', { dryRun })).rejects.toMatchObject({
      code: 'import.refused',
      message: /^Another LinOTP installation/,
    });
    expect(await sql('tokens').count()).toEqual(count);
  });
});

/** Imports an edited dump, and runs `meanwhile` at the first entry of the group. @returns outcomes by name */
async function importWhile(
  group: ImportEntry['group'],
  edit: (text: string) => string,
  meanwhile: () => Promise<unknown>,
): Promise<ReadonlyMap<string, string>> {
  const outcomes = new Map<string, string>();
  let isFirst = true;
  const write = async (entry: ImportEntry): Promise<void> => {
    outcomes.set(entry.name, `${entry.outcome}: ${entry.reasons.join('; ')}`);
    if (entry.group === group && isFirst) {
      isFirst = false;
      await meanwhile();
    }
  };
  await withDump(FIXTURE, (place) => importFixture(app.services, FIXTURE, { place, sink: { write } }), edit);
  return outcomes;
}

describe('two imports at once', () => {
  it('wait for each other: the second one changes nothing', async () => {
    const outcomes = async (): Promise<readonly string[]> => {
      const { entries } = await importFixture(app.services, FIXTURE, { only: ['tokens'] });
      return [...new Set(entries.map(({ outcome }) => outcome))];
    };
    const both = await Promise.all([outcomes(), outcomes()]);
    expect(both).toContainEqual(['unchanged']);
  });
});

describe('an import beside live requests', () => {
  beforeEach(() => importFixture(app.services, FIXTURE));

  it('leaves a token that is written after it was found', async () => {
    const outcomes = await importWhile(
      'tokens',
      (text) => replaced(text, "'QR07', 'ocra'", "'QR07', 'ocra2'"),
      () => sql('tokens').where({ serial: 'QR07' }).update({ counter: 4711 }),
    );
    expect(outcomes.get('QR07')).toMatch(/^left: it has changed on both sides/);
    expect(await sql('tokens').where({ serial: 'QR07' }).first('type', 'counter')).toEqual({
      type: 'ocra',
      counter: '4711',
    });
  });

  it('leaves a challenge that is answered after it was found', async () => {
    const open = await sql('challenges')
      .join('tokens', 'tokens.id', 'token_id')
      .where({ serial: 'QR16', received_tan: false })
      .whereNull('closed_by')
      .select<{ id: string; transaction_id: string }[]>('challenges.id', 'transaction_id');
    const { id, transaction_id: transaction } = open[0] ?? { id: '', transaction_id: '' };
    const closed = { received_tan: true, valid_tan: true, closed_by: 'accepted', closed_at: new Date() };
    await importWhile(
      'challenges',
      (text) => {
        const row = text.split('\n').find((line) => line.includes(`'${transaction}'`)) ?? '';
        return replaced(text, row, replaced(row, '0, false, false);', '1, true, false);'));
      },
      () => sql('challenges').where({ id }).update(closed),
    );
    expect(await sql('challenges').where({ id }).first('closed_by', 'wrong_count')).toEqual({
      closed_by: 'accepted',
      wrong_count: 0,
    });
  });
});

const KILLS = 5;

const NOTHING = { taken: 0, changed: 0, updated: 0, left: 0, removed: 0 };

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tankeeper-import-'));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

const KEY = fixtureFile(FIXTURE, 'encKey');

const OPTIONS = ['--enckey', KEY, '--time-zone', 'Europe/Berlin', '--passwd-dir', dirname(KEY)];

async function withInstallation(
  work: (environment: Readonly<Record<string, string>>, content: () => Promise<object>) => Promise<void>,
): Promise<void> {
  const test = await createTestDatabase();
  const dataDir = await mkdtemp(join(folder, 'data-'));
  const environment = { DATABASE_URL: test.url, DATA_DIR: dataDir, RESOLVER_TIMEOUT: '3' };
  try {
    // Makes the key that seals secrets, and the first administrator.
    await (await startServerProcess(environment)).stop();
    await test.database.knex('administrators').delete();
    await work(environment, () => openContent(test.database.knex));
  } finally {
    await test.drop();
  }
}

it('ends the same where it is killed at five moments and repeated', () =>
  withDump(FIXTURE, async (database) => {
    const importing = ['import', 'linotp', '--database', database, ...OPTIONS];
    let whole: object = {};
    let took = 0;
    await withInstallation(async (environment, content) => {
      const start = performance.now();
      expect(await runCli(importing, environment)).toMatchObject({ code: 0 });
      took = performance.now() - start;
      whole = await content();
    });
    await withInstallation(async (environment, content) => {
      const moments: number[] = [];
      for (let kill = 0; kill < KILLS; kill += 1) {
        const running = startCli(importing, environment);
        const moment = took * (0.3 + 0.7 * Math.random());
        moments.push(Math.round(moment));
        setTimeout(() => {
          running.kill();
        }, moment).unref();
        await running.ended;
      }
      const last = await runCli(importing, environment);
      expect({ moments, ...last }).toMatchObject({ moments, code: 0 });
      expect(await content()).toEqual(whole);
      const again = await runCli(['--json', ...importing, '--dry-run'], environment);
      expect(JSON.parse(again.out)).toMatchObject({
        summary: {
          groups: {
            tokens: { ...NOTHING, unchanged: 54 },
            challenges: { ...NOTHING, unchanged: 76 },
          },
        },
      });
    });
  }));
