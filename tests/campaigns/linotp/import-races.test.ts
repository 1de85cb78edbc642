import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Knex } from 'knex';
import type { ImportEntry } from '../../../src/linotp/import-report.ts';
import { openDatabase } from '../../../src/database/database.ts';
import { momentsAt } from '../../../src/housekeeping/housekeeping.ts';
import { HousekeepingStore } from '../../../src/housekeeping/housekeeping-store.ts';
import { TestApplication } from '../../support/application/test-application.ts';
import { importFixture, replaced, withDump } from '../../linotp/linotp-fixture.ts';

const FIXTURE = '2.12.6-postgresql';

let app: TestApplication;
let sql: Knex;
let close: () => Promise<void>;

beforeEach(async () => {
  app = await TestApplication.open();
  const database = openDatabase({ connection: app.databaseUrl, applicationName: 'test' });
  sql = database.knex;
  close = () => database.close();
});

afterEach(async () => {
  await close();
  await app.close();
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

describe('a repeated import', () => {
  it('does not bring back a token that was removed here', async () => {
    await importFixture(app.services, FIXTURE);
    await app.asAdmin('/admin/remove', { serial: 'QR07' });
    const { entries } = await importFixture(app.services, FIXTURE);
    expect(entries.filter(({ name }) => name === 'QR07')).toMatchObject([
      { group: 'tokens', outcome: 'left', reasons: ['it has been removed here since the last import'] },
    ]);
    expect(await sql('tokens').where({ serial: 'QR07' })).toEqual([]);
  });

  it('takes a token that the source has again', async () => {
    await importFixture(app.services, FIXTURE);
    const without = (text: string): string => replaced(text, "'QR07', 'ocra'", "'QR99', 'ocra'");
    await withDump(FIXTURE, (place) => importFixture(app.services, FIXTURE, { place }), without);
    const { entries } = await importFixture(app.services, FIXTURE);
    expect(entries.filter(({ group, name }) => group === 'tokens' && name === 'QR07')).toMatchObject([
      { outcome: 'taken' },
    ]);
  });

  it('does not bring back an entry that was removed here and changed there', async () => {
    await importFixture(app.services, FIXTURE);
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
    await importFixture(app.services, FIXTURE);
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
    await importFixture(app.services, FIXTURE);
    const outcomes = await importWhile(
      'settings',
      (text) => replaced(text, "'linotp.OcraMaxChallenges', '8'", "'linotp.OcraMaxChallenges', 'x'"),
      () => Promise.resolve(),
    );
    expect(outcomes.get('OcraMaxChallenges')).toMatch(/^left: /);
    expect((await app.services.configuration.current()).settings.get('OcraMaxChallenges')).toBe('8');
  });

  it.each([false, true])('of another installation is refused (dry run: %s)', async (dryRun) => {
    await importFixture(app.services, FIXTURE);
    const count = await sql('tokens').count();
    await expect(importFixture(app.services, '3.4.4-postgresql', { dryRun })).rejects.toMatchObject({
      code: 'import.refused',
      message: /^Another LinOTP installation/,
    });
    expect(await sql('tokens').count()).toEqual(count);
  });
});

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
