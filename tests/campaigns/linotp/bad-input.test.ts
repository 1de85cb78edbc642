import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Knex } from 'knex';
import { EncryptionKey } from '../../../src/linotp/secrets.ts';
import type { ImportRequest } from '../../../src/linotp/import-service.ts';
import { TestApplication } from '../../support/application/test-application.ts';
import { OPERATOR } from '../../support/values/callers.ts';
import {
  appended,
  type Imported,
  importFixture,
  keyOf,
  replaced,
  withDump,
} from '../../linotp/linotp-fixture.ts';
import { storedTokens, wholeContent } from '../../linotp/stored-installation.ts';

const FIXTURE = '2.12.6-postgresql';

let app: TestApplication;
let sql: Knex;

beforeEach(async () => {
  app = await TestApplication.open();
  sql = app.sql;
});

afterEach(() => app.close());

function importEdited(
  edit: (text: string) => string,
  options: Partial<ImportRequest> = {},
): Promise<Imported> {
  return withDump(FIXTURE, (place) => importFixture(app.services, FIXTURE, { ...options, place }), edit);
}

function reported({ entries }: Imported, group: string, begin: string): readonly string[] {
  return entries
    .filter(({ name, ...entry }) => entry.group === group && name.startsWith(begin))
    .map(({ outcome, reasons }) => `${outcome}: ${reasons.join('; ')}`);
}

/** @returns the first row of a table, as SQL */
function rowOf(text: string, table: string, mark: string): string {
  const start = text.split(`INSERT INTO public.${table} VALUES `).find((part) => part.includes(mark)) ?? '';
  return start.slice(0, start.indexOf(');') + 2);
}

/** @returns the dump with columns of any width, as SQLite and views have them */
function unbounded(text: string): string {
  const indexes = /^(?:ALTER TABLE ONLY \S+\s+ADD CONSTRAINT|CREATE (?:UNIQUE )?INDEX) [^;]*;$/gm;
  return text.replace(/character varying\(\d+\)/g, 'text').replace(indexes, '');
}

describe('a key file of another installation', () => {
  it.each(['with the known secret', 'without the known secret'])(
    'is refused %s, and nothing is written',
    async (which) => {
      const before = await wholeContent(sql);
      const other = EncryptionKey.fromFile(randomBytes(96)) ?? keyOf(FIXTURE);
      const edit = (text: string): string =>
        which === 'with the known secret'
          ? text
          : replaced(text, /^.*'linotp\.SecretKey\.Partition\.0'.*\n/m, '');
      await expect(importEdited(edit, { encryptionKey: other })).rejects.toMatchObject({
        code: 'import.refused',
        message: expect.stringMatching(/not the plain encKey.*under a password.*hardware security module/s),
      });
      expect(await wholeContent(sql)).toEqual(before);
    },
  );

  it.each([0, 32, 95, 97])('is no key file with %s bytes', (size) => {
    expect(EncryptionKey.fromFile(randomBytes(size))).toBeUndefined();
  });
});

describe('a database', () => {
  it('of another program is refused', async () => {
    const refusal = importEdited(() => 'CREATE TABLE users (id integer);\nINSERT INTO users VALUES (1);\n');
    await expect(refusal).rejects.toMatchObject({
      code: 'import.refused',
      message: /not a database of LinOTP/,
    });
  });
});

/** Changes the row of a token. */
const inToken = (serial: string, change: (row: string) => string) => (text: string) => {
  const row = rowOf(text, '"Token"', `'${serial}'`);
  return replaced(text, row, change(row));
};

/** Tokens of more than a batch, of which some differ from others in case only. */
const BULK = Array.from({ length: 1_500 }, (_, n) =>
  n % 100 === 99 && n > 399 ? `bulk${n - 399}` : `BULK${n}`,
);
const TWINS = BULK.filter((serial) => serial.startsWith('bulk'));

const EDITS: readonly ((text: string) => string)[] = [
  (text) => {
    const row = rowOf(text, '"Token"', "'QR07'");
    const rows = BULK.map((serial, n) =>
      row.replace(/^\(\d+/, `(${9000 + n}`).replace("'QR07'", `'${serial}'`),
    );
    return appended(text, rows.map((one) => `INSERT INTO public."Token" VALUES ${one}`).join('\n'));
  },
  inToken('O201', (row) => {
    const pin = /'(@@[0-9a-f]+)'/.exec(row)?.[1] ?? '';
    return replaced(row, pin, pin.slice(0, -64));
  }),
  inToken('QR09', (row) => {
    expect(row).toMatch(/"OCRA-1:[^"]*-PSHA1"|OCRA-1:[^",]*-PSHA1/);
    const [, cipher = ''] = /'QR09'.*?'([0-9a-f]{32,64})', '[0-9a-f]{32}'/s.exec(row) ?? [];
    return replaced(row, cipher, '0'.repeat(cipher.length));
  }),
  inToken('QR12', (row) => replaced(row, "'QR12'", "'QR\u200b12'")),
  inToken('QR13', (row) => replaced(row, "'ocra'", "' '").replace('{', String.raw`{"a\u0000b": 1, `)),
  (text) =>
    appended(
      text,
      String.raw`INSERT INTO public."TokenRealm" VALUES (9001, 9999, 1);
        INSERT INTO public."TokenRealm" VALUES (9002, 2, 99);
        INSERT INTO public.challenges VALUES (900, '000000000001', '', '', '\x7261773a61', '', '', '\x7261773a61', '', 'GONE', '2026-11-20 12:41:56', 0, false, false);
        INSERT INTO public."Config" VALUES ('linotp.httpresolver.uri.web', 'https://example.com', NULL, NULL);`,
    ),
  (text) =>
    replaced(
      text,
      "'useridresolver.SQLIdResolver.IdResolver.sql-intern'",
      "'useridresolver.HTTPIdResolver.IdResolver.web'",
    ),
];

const TOLD = [
  // PINs that do not decrypt.
  ['tokens', 'O201', /encrypted PIN does not decrypt/],
  ['tokens', 'QR09', /user PIN does not decrypt and matches no input/],
  ['tokens', 'QR\u200b12', /its serial, which could be taken for another one, is kept/],
  // Values that the database cannot hold.
  ['tokens', 'QR13', /./],
  ['tokens', 'QR08', /^changed: its realm with the id 99/],
  ['challenges', '000000000001', /^left: its token GONE/],
  ['resolvers', 'web', /^left: resolvers of the type httpresolver/],
  ['realms', 'sqlwelt', /^changed: its resolver web/],
] as const;

describe('rows that cannot be taken as they are', () => {
  it('are each named; what is left of them can be used and administered, and an unreadable PIN is not the empty one', async () => {
    const imported = await importEdited((text) => EDITS.reduce((edited, change) => change(edited), text));
    expect(TOLD.map(([group, name]) => [name, ...reported(imported, group, name)])).toEqual(
      TOLD.map(([, name, told]) => [name, expect.stringMatching(told)]),
    );
    // Twins in other batches: the first one is taken.
    const left = imported.entries.filter(({ outcome }) => outcome === 'left').map(({ name }) => name);
    expect(left.filter((name) => name.startsWith('bulk')).toSorted()).toEqual(TWINS.toSorted());
    const stored = await sql('tokens').where('serial', 'like', 'BULK%').count();
    expect(stored).toEqual([{ count: String(BULK.length - TWINS.length) }]);
    const tokens = new Map((await storedTokens(sql)).map((token) => [token.serial, token]));
    expect(tokens.get('QR09')?.secrets.ocraPin?.length).toBeGreaterThan(0);
    expect(tokens.get('QR13')).toMatchObject({ type: 'hmac', info: { 'a\u{FFFD}b': 1 } });
    expect(await app.services.tokens.disable(OPERATOR, { serial: 'QR\u200b12' })).toBe(1);
  });
});

describe('a text without end', () => {
  it('is left or cut, is named shortly, and stops nothing', async () => {
    const long = 'x'.repeat(2_000_000);
    const described = `${'x'.repeat(254)}\u{1f600}${'y'.repeat(2_000)}`;
    const config = (key: string, value: string): string =>
      `INSERT INTO public."Config" VALUES ('linotp.${key}', '${value}', '', '');`;
    const imported = await importEdited((text) => {
      const row = rowOf(text, '"Token"', "'QR07'");
      const twin = (id: number, serial: string): string =>
        `INSERT INTO public."Token" VALUES ${row.replace(/^\(\d+/, `(${id}`).replace("'QR07'", `'${serial}'`)}`;
      const statements = [
        twin(9000, long),
        twin(9001, 'LONGKEY').replace(/'[0-9a-f]{160,}'/, `'${long}'`),
        twin(9002, 'LONGINFO').replace('{', `{"a": "${long}", `),
        replaced(twin(9003, 'LONGTEXT'), "'', 'LONGTEXT'", `'${described}', 'LONGTEXT'`),
        `INSERT INTO public."Realm" VALUES (900, '${long}', false, '');`,
        String.raw`INSERT INTO public.challenges VALUES (900, '${long}', '', '', '\x7261773a61', '', '', '\x7261773a61', '', 'QR08', '2026-11-20 12:41:56', 0, false, false);`,
        config(`ldapresolver.LDAPURI.${long}`, 'ldap://example.com'),
        config(`Policy.${long}.scope`, 'admin'),
        config('Policy.selfs.note', 'x'),
        config('my.own', long),
        config('my.other', 'x'.repeat(8_193)),
      ];
      const withoutClient = replaced(unbounded(text), "'192.168.0.0/16'", `'${long}'`);
      return appended(withoutClient, statements.join('\n'));
    });
    const column = (name: string, length: number): string =>
      `left: its column ${name} has more than ${length} characters`;
    for (const [group, begin, ...told] of [
      ['tokens', 'xxx', column('linotptokenserialnumber', 64)],
      ['tokens', 'LONGKEY', column('linotpkeyenc', 65_536)],
      ['tokens', 'LONGINFO', column('linotptokeninfo', 65_536)],
      ['tokens', 'LONGTEXT', 'changed: its description is cut to 255 characters'],
      ['challenges', 'xxx', column('transid', 64)],
      ['realms', 'xxx', 'left: its name has more than 255 characters'],
      ['settings', '…linotp.', column('key', 255), column('key', 255)],
      ['settings', 'my.', 'left: it has more than 8192 characters', column('value', 65_536)],
      [
        'policies',
        'ocra_status_only',
        'changed: is now inactive: client cannot be read: its column value has more than 65536 characters',
      ],
      ['resolvers', 'xxx'],
    ] as const) {
      expect([group, begin, ...reported(imported, group, begin)]).toEqual([group, begin, ...told]);
    }
    const { policies } = await app.services.configuration.current();
    expect(policies.find(({ name }) => name === 'ocra_status_only')?.active).toBe(false);
    const token = (await storedTokens(sql)).find(({ serial }) => serial === 'LONGTEXT');
    expect(token?.description).toBe('x'.repeat(254));
    expect(JSON.stringify(imported.entries).length).toBeLessThan(200_000);
  });
});

describe('a target that is not empty', () => {
  it('keeps its own token, realm and resolver, and names them', async () => {
    await app.addRealm('zweite', ['ole']);
    await app.addRealm('pw-one');
    await app.enrolPlain('QR07', 'OCRA-1:HOTP-SHA256-8:C-QA64');
    const imported = await importFixture(app.services, FIXTURE);
    const reason = expect.stringMatching(/^left: there is .* here already that was not imported$/);
    expect(reported(imported, 'tokens', 'QR07')).toEqual([reason]);
    expect(reported(imported, 'realms', 'zweite')).toEqual([reason]);
    expect(reported(imported, 'resolvers', 'pw-one')).toEqual([reason]);
    // Nobody of LinOTP's resolver becomes a user of another one.
    const owned = await sql('tokens')
      .join('resolvers', 'resolvers.id', 'owner_resolver_id')
      .where('name', 'pw-one');
    expect(owned).toEqual([]);
  });
});

describe('reports and logs', () => {
  it('have no secret', async () => {
    const { entries } = await importFixture(app.services, FIXTURE);
    const { rows: seeds } = await sql.raw<{ rows: { seed: Buffer }[] }>(
      'SELECT seed FROM tokens WHERE seed IS NOT NULL',
    );
    expect(seeds.length).toBeGreaterThan(0);
    const text = JSON.stringify([entries, app.logged]);
    for (const secret of ['sql-geheim#1', 'ldap:geheim:', 'alt-geheim-', '9bf0c11a1752aa36', '$6$O5OWc']) {
      expect(text).not.toContain(secret);
    }
  });
});
