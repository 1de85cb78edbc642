import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Knex } from 'knex';
import { openDatabase } from '../../../src/database/database.ts';
import { TestApplication } from '../../support/application/test-application.ts';
import { type Imported, importFixture, replaced, withDump } from '../../linotp/linotp-fixture.ts';
import { storedTokens, wholeContent } from '../../linotp/stored-installation.ts';

const FIXTURE = '2.12.6-postgresql';

let app: TestApplication;
let sql: Knex;
let close: () => Promise<void>;

beforeEach(async () => {
  app = await TestApplication.open();
  const database = openDatabase({ connection: app.databaseUrl, applicationName: 'test' });
  sql = database.knex;
  close = () => database.close();
  await importFixture(app.services, FIXTURE);
});

afterEach(async () => {
  await close();
  await app.close();
});

function importEdited(edit: (text: string) => string): Promise<Imported> {
  return withDump(FIXTURE, (place) => importFixture(app.services, FIXTURE, { place }), edit);
}

/** @returns the entries of things that were written or left in the group */
function differences({ entries }: Imported, group: string): readonly string[] {
  return entries
    .filter((entry) => entry.group === group && entry.outcome !== 'unchanged')
    .map(({ outcome, name, reasons }) => [outcome, name, ...reasons].join(' '));
}

/** @returns the statement that inserts the token */
function tokenStatement(text: string, serial: string): string {
  const at = text.indexOf(`, '${serial}', 'ocra'`);
  const start = text.lastIndexOf('INSERT INTO', at);
  return text.slice(start, text.indexOf(');\n', at) + 3);
}

describe('a repeated import', () => {
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

  it('takes only the groups that are asked for', async () => {
    const before = await wholeContent(sql);
    const imported = await withDump(
      FIXTURE,
      (place) => importFixture(app.services, FIXTURE, { place, only: ['realms', 'policies'] }),
      (text) => replaced(text, ", 'QR07', 'ocra'", ", 'QR99', 'ocra'"),
    );
    expect(Object.keys(imported.summary.groups)).toEqual(['realms', 'policies']);
    expect(await wholeContent(sql)).toEqual(before);
  });
});
