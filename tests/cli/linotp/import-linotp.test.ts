import { mkdtemp, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Knex } from 'knex';
import type { ImportEntry, ImportSummary } from '../../../src/linotp/import-report.ts';
import { expectedOf, loadDump, replaced, withDump } from '../../linotp/linotp-fixture.ts';
import { wholeContent } from '../../linotp/stored-installation.ts';
import { OPERATOR, TestApplication } from '../../support/application/test-application.ts';
import type { TestDatabase } from '../../support/database/test-database.ts';
import { temporaryFolder } from '../../support/values/temporary-folder.ts';
import { importLinotp } from './linotp-command.ts';

const FIXTURE = '2.12.6-postgresql';
const TOKENS = expectedOf(FIXTURE).tokens.length;
const CHALLENGES = expectedOf(FIXTURE).challenges.length;
const GROUPS = ['resolvers', 'realms', 'policies', 'settings', 'administrators', 'tokens', 'challenges'];

interface JsonReport {
  readonly entries: readonly ImportEntry[];
  readonly summary: ImportSummary;
}

const root = temporaryFolder();
let linotp: TestDatabase;
let app: TestApplication;
let sql: Knex;
let folder: string;
let report: string;

beforeAll(async () => {
  linotp = await loadDump(FIXTURE);
});

afterAll(() => linotp.drop());

beforeEach(async () => {
  app = await TestApplication.open();
  sql = app.sql;
  folder = await mkdtemp(join(root, 'each-'));
  report = join(folder, 'report.txt');
});

afterEach(() => app.close());

function importUnchanged(...more: readonly string[]): ReturnType<typeof importLinotp> {
  return importLinotp(app, { fixture: FIXTURE, database: linotp.url }, ...more);
}

describe('an import into an installation that has a default realm', () => {
  it('leaves it the default one, and says so', async () => {
    await app.setResolver('own', 'managed');
    await app.services.realms.set(OPERATOR, { name: 'office', resolvers: ['own'] });
    await importUnchanged('--report', report);
    expect(await sql('realms').where({ is_default: true }).pluck('name')).toEqual(['office']);
    expect(await readFile(report, 'utf8')).toContain('the default realm here stays office');
    await importUnchanged();
    expect(await sql('realms').where({ is_default: true }).pluck('name')).toEqual(['office']);
  });
});

async function jsonReport(): Promise<JsonReport> {
  return JSON.parse(await readFile(`${report}.json`, 'utf8')) as JsonReport;
}

/** Imports the fixture with one token whose secret cannot be read. @returns the result, and the row of the token */
function importWithUnreadable(...more: readonly string[]): ReturnType<typeof importLinotp> {
  return withDump(
    FIXTURE,
    (database) => importLinotp(app, { fixture: FIXTURE, database }, ...more),
    (text) => {
      const at = text.indexOf(", 'QR07', 'ocra'");
      const row = text.slice(text.lastIndexOf('INSERT', at), text.indexOf(');\n', at));
      const cipher = /'([0-9a-f]{160,})'/.exec(row)?.[1] ?? '';
      return replaced(text, cipher, `00${cipher.slice(2, -32)}${'0'.repeat(32)}`);
    },
  );
}

describe('the report file of an import', () => {
  it('has each row as text and as JSON, and the sums', async () => {
    const { code, out } = await importUnchanged('--report', report);
    expect(code).toBe(0);
    const { entries, summary } = await jsonReport();
    expect(Object.keys(summary.groups)).toEqual(GROUPS);
    expect(entries.filter(({ group }) => group === 'tokens')).toHaveLength(TOKENS);
    expect(entries.filter(({ group }) => group === 'challenges')).toHaveLength(CHALLENGES);
    const lines = (await readFile(report, 'utf8')).trimEnd().split('\n');
    expect(lines.filter((line) => /^(taken|changed|left) \S+ /.test(line))).toHaveLength(entries.length);
    expect(lines).toContainEqual(expect.stringMatching(/^taken tokens QR07 \(Token \d+\)$/));
    // The sums stand in both, and on the terminal.
    const sums = lines.slice(entries.length);
    expect(sums).toHaveLength(GROUPS.length + 2);
    expect(sums.at(-1)).toMatch(/^tables of LinOTP that are not read: REPORTING, ext_users, /);
    expect(out).toContain(sums.join('\n'));
  });

  it('names a row that is left, and why', async () => {
    const { code, out } = await importWithUnreadable('--report', report);
    expect(code).toBe(0);
    const { entries, summary } = await jsonReport();
    const entry = entries.find(({ name, group }) => name === 'QR07' && group === 'tokens');
    expect(entry).toEqual({
      group: 'tokens',
      outcome: 'left',
      name: 'QR07',
      row: expect.stringMatching(/^Token \d+$/),
      reasons: [expect.stringMatching(/^its secret cannot be read: /)],
    });
    expect(summary.groups.tokens).toMatchObject({ left: 1 });
    const line = `left tokens QR07 (${entry?.row}): ${entry?.reasons.join()}`;
    expect(await readFile(report, 'utf8')).toContain(`\n${line}\n`);
    expect(out).toContain(line);
  });

  it('is readable for its owner only, also where it replaces one that was not', async () => {
    await writeFile(report, 'of yesterday', { mode: 0o644 });
    await importUnchanged('--report', report, '--dry-run');
    const files = await readdir(folder);
    expect(files.sort()).toEqual(['report.txt', 'report.txt.json']);
    for (const file of files) {
      expect((await stat(join(folder, file))).mode & 0o777).toBe(0o600);
    }
    expect(await readFile(report, 'utf8')).not.toContain('of yesterday');
  });

  it('is not there after a failure, and leaves the earlier one as it was', async () => {
    await writeFile(report, 'of yesterday');
    const { code, err } = await withDump(
      FIXTURE,
      (database) => importLinotp(app, { fixture: FIXTURE, database }, '--report', report),
      (text) => replaced(text, "'2.12.0.0'", "'4.0.0.0'"),
    );
    expect([code, err]).toEqual([1, expect.stringMatching(/^tankeeper: The version 4\.0\.0\.0 of the data/)]);
    expect(await readdir(folder)).toEqual(['report.txt']);
    expect(await readFile(report, 'utf8')).toBe('of yesterday');
  });

  it('is not there where the import fails on its way', async () => {
    await sql.raw('ALTER TABLE challenges ADD CONSTRAINT refused CHECK (question IS NULL) NOT VALID');
    const { code, out } = await importUnchanged('--report', report);
    expect([code, out, await readdir(folder)]).toEqual([1, '', []]);
    // The groups before are complete.
    expect(await sql('imported_tokens').count('* AS n').first()).toEqual({ n: String(TOKENS) });
  });

  it('that cannot be made refuses the import before it begins', async () => {
    const nowhere = join(folder, 'missing', 'report.txt');
    const { code, err } = await importUnchanged('--report', nowhere);
    expect([code, err]).toEqual([1, `tankeeper: cannot write ${nowhere}: there is no such file\n`]);
    expect(await sql('imported_entries')).toEqual([]);
  });
});

describe('the output of an import', () => {
  it('is one JSON document with --json', async () => {
    const { code, out, err } = await importWithUnreadable('--json');
    const printed = JSON.parse(out) as JsonReport & { more: number };
    expect([code, printed.more]).toEqual([0, 0]);
    expect(Object.keys(printed.summary.groups)).toEqual(GROUPS);
    expect(printed.entries.filter(({ outcome }) => outcome === 'left').map(({ name }) => name)).toContain(
      'QR07',
    );
    expect(printed.entries.filter(({ outcome }) => outcome === 'taken')).toEqual([]);
    expect(err).toBe('');
  });

  it('says how many differences it does not show, and where they are', async () => {
    await importUnchanged();
    await sql('imported_tokens').update({ token_version: -1, fingerprint: Buffer.alloc(32) });
    const { out } = await importUnchanged('--only', 'tokens');
    expect(out.split('\n').filter((line) => line.startsWith('left tokens '))).toHaveLength(50);
    expect(out).toContain(`\n… and ${TOKENS - 50} more: --report FILE writes all\n`);
  });
});

describe('a dry run', () => {
  it('gives the whole report, and writes nothing', async () => {
    const before = await wholeContent(sql);
    const dry = await importUnchanged('--dry-run', '--report', report);
    expect(dry.code).toBe(0);
    expect(dry.out).toContain('\nDry run: nothing is stored\n');
    expect(dry.out).toMatch(/^tokens by type: .*\b4 hmac, 1 motp \(1 only kept\), .*\b2 totp\b/m);
    expect(await wholeContent(sql)).toEqual(before);
    const rehearsed = await jsonReport();
    await importUnchanged('--report', report);
    const imported = await jsonReport();
    expect(imported.entries).toEqual(rehearsed.entries);
    expect(rehearsed.summary).toEqual({ ...imported.summary, dryRun: true });
  });
});

describe('a dry run after an import', () => {
  it('tells what is there, what differs from the import, and what would be lost', async () => {
    await importUnchanged();
    await sql('tokens').whereIn('serial', ['QR13', 'QR16']).update({ fail_count: 7 });
    const before = await wholeContent(sql);
    const { out } = await withDump(
      FIXTURE,
      (database) => importLinotp(app, { fixture: FIXTURE, database }, '--dry-run', '--report', report),
      (text) => {
        const withNew = replaced(text, "'QR14', 'ocra'", "'QR99', 'ocra'");
        const withChanged = replaced(withNew, "'QR07', 'ocra'", "'QR07', 'ocra2'");
        return replaced(withChanged, "'QR16', 'ocra'", "'QR16', 'ocra2'");
      },
    );
    const { entries } = await jsonReport();
    const told = entries.flatMap(({ group, outcome, name, reasons }) =>
      group === 'tokens' && /^QR(?:07|1[3467]|99)$/.test(name) ? [[name, outcome, ...reasons]] : [],
    );
    expect(told.sort()).toEqual([
      ['QR07', 'updated'],
      ['QR13', 'unchanged', 'it has been used or changed here since the import'],
      ['QR14', 'removed', 'the source has it no longer'],
      ['QR16', 'left', expect.stringMatching(/^it has changed on both sides/)],
      ['QR17', 'unchanged'],
      ['QR99', 'taken'],
    ]);
    expect(out).toContain('tokens: 1 taken, 0 changed, 1 updated, 1 left, 51 unchanged, 1 removed\n');
    expect(await wholeContent(sql)).toEqual(before);
  });
});

describe('--only', () => {
  it('imports these groups, in their order', async () => {
    const { code, out } = await importUnchanged('--only', 'realms, resolvers', '--json');
    const { summary } = JSON.parse(out) as JsonReport;
    expect([code, Object.keys(summary.groups)]).toEqual([0, ['resolvers', 'realms']]);
    expect(await sql('tokens')).toEqual([]);
    expect(await sql('realms').pluck('name')).toHaveLength(expectedOf(FIXTURE).realms.length);
  });

  it.each(['users', '', 'tokens,'])('refuses %j, and names the groups', async (groups) => {
    const { code, err } = await importUnchanged('--only', groups);
    expect(code).toBe(2);
    expect(err).toContain(`Known: ${GROUPS.join(', ')}.`);
  });
});
