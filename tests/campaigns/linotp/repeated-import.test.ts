import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
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
import { mkdtemp } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { runCli, startCli } from '../../cli/cli-process.ts';
import { startServerProcess } from '../../support/servers/server-process.ts';
import { createTestDatabase } from '../../support/database/test-database.ts';
import { temporaryFolder } from '../../support/values/temporary-folder.ts';

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

/** Has the source change the type of a token. */
const changing = (serial: string) => (text: string) =>
  replaced(text, `'${serial}', 'ocra'`, `'${serial}', 'ocra2'`);

const storedToken = (serial: string): Promise<unknown> =>
  sql('tokens').where({ serial }).first('type', 'active', 'counter');

describe('a repeated import', () => {
  beforeEach(() => importFixture(app.services, FIXTURE));

  it('takes what the source has changed, added or removed since, and leaves what was changed here', async () => {
    await app.asAdmin('/admin/disable', { serial: 'PL22' });
    await sql('policies').where({ name: 'chalresp' }).update({ action: 'otppin=0', active: true });
    const imported = await importEdited((text) => {
      const counted =
        text.split('\n').find((line) => line.includes("'QR16'") && line.endsWith('0, false, false);')) ?? '';
      const edits = [
        [", 'PL23', 'ocra'", ", 'PL99', 'ocra'"],
        [counted, counted.replace('0, false, false);', '1, true, false);')],
        [/^.*'linotp\.Policy\.mon\..*\n/gm, ''],
        ["'linotp.OcraMaxChallenges', '8'", "'linotp.OcraMaxChallenges', '9'"],
      ] as const;
      const changed = changing('PL21')(changing('PL22')(text));
      return edits.reduce((edited, [from, to]) => replaced(edited, from, to), changed);
    });
    const { settings } = await app.services.configuration.current();
    const serials = (await storedTokens(sql)).map(({ serial }) => serial);
    expect({
      tokens: differences(imported, 'tokens').toSorted(),
      policies: [differences(imported, 'policies'), await sql('policies').where({ name: 'mon' })],
      settings: [differences(imported, 'settings'), settings.get('OcraMaxChallenges')],
      challenges: differences(imported, 'challenges'),
      changedHere: [
        await storedToken('PL22'),
        await sql('policies').where({ name: 'chalresp' }).first('active'),
      ],
      changedThere: await storedToken('PL21'),
      serials: [serials.includes('PL99'), serials.includes('PL23'), serials.length],
    }).toEqual({
      tokens: [
        expect.stringMatching(/^left PL22 it has changed on both sides/),
        'removed PL23 the source has it no longer',
        'taken PL99',
        'updated PL21',
      ],
      policies: [['removed mon the source has it no longer'], []],
      settings: [expect.arrayContaining(['updated OcraMaxChallenges']), '9'],
      challenges: [expect.stringMatching(/^updated \d{12}$/)],
      changedHere: [expect.objectContaining({ type: 'ocra', active: false }), { active: true }],
      changedThere: expect.objectContaining({ type: 'ocra2' }),
      serials: [true, false, 54],
    });
  });

  it('does not bring back what was removed here, also where it has changed there, nor loses what can no longer be read', async () => {
    await app.asAdmin('/admin/remove', { serial: 'QR07' });
    await sql('policies').where({ name: 'chalresp' }).delete();
    const imported = await importEdited((text) =>
      replaced(
        replaced(text, /('linotp\.Policy\.chalresp\.user', ')[^']*/, "'linotp.Policy.chalresp.user', 'anna"),
        "'linotp.OcraMaxChallenges', '8'",
        "'linotp.OcraMaxChallenges', 'x'",
      ),
    );
    const { settings } = await app.services.configuration.current();
    expect({
      tokens: differences(imported, 'tokens'),
      policies: differences(imported, 'policies'),
      settings: [differences(imported, 'settings'), settings.get('OcraMaxChallenges')],
      present: [await storedToken('QR07'), await sql('policies').where({ name: 'chalresp' })],
    }).toEqual({
      tokens: ['left QR07 it has been removed here since the last import'],
      policies: ['left chalresp it has been removed here since the last import'],
      settings: [expect.arrayContaining([expect.stringMatching(/^left OcraMaxChallenges /)]), '8'],
      present: [undefined, []],
    });
  });

  it('takes a token that the source has again', async () => {
    await importEdited((text) => replaced(text, "'QR07', 'ocra'", "'QR99', 'ocra'"));
    expect(differences(await importFixture(app.services, FIXTURE), 'tokens')).toContain('taken QR07');
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
    expect(differences(await importEdited(changing('QR16')), 'tokens')).toEqual(['updated QR16']);
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
    const outcomes = await importWhile('tokens', changing('QR07'), () =>
      sql('tokens').where({ serial: 'QR07' }).update({ counter: 4711 }),
    );
    expect(outcomes.get('QR07')).toMatch(/^left: it has changed on both sides/);
    expect(await storedToken('QR07')).toMatchObject({ type: 'ocra', counter: '4711' });
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

const folder = temporaryFolder();

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
