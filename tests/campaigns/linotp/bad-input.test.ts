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

function reported({ entries }: Imported, group: string, name: string): readonly string[] {
  return entries
    .filter((entry) => entry.group === group && entry.name === name)
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

describe('a row', () => {
  it('of a token without its secret is left and named', async () => {
    const imported = await importEdited((text) => {
      const row = rowOf(text, '"Token"', "'QR07'");
      const cipher = /'([0-9a-f]{160,})'/.exec(row)?.[1] ?? '';
      return replaced(text, cipher, `00${cipher.slice(2, -32)}${'0'.repeat(32)}`);
    });
    expect(reported(imported, 'tokens', 'QR07')).toEqual([
      expect.stringMatching(/^left: its secret cannot be read/),
    ]);
    expect(imported.summary.groups.tokens).toMatchObject({ left: 1 });
  });

  it('of a PIN that does not decrypt leaves a token that no PIN fits', async () => {
    const imported = await importEdited((text) => {
      const row = rowOf(text, '"Token"', "'O201'");
      const pin = /'(@@[0-9a-f]+)'/.exec(row)?.[1] ?? '';
      return replaced(text, pin, pin.slice(0, -64));
    });
    expect(reported(imported, 'tokens', 'O201')).toEqual([
      expect.stringMatching(/encrypted PIN does not decrypt/),
    ]);
  });

  it('of an OCRA PIN that does not decrypt leaves a token that the empty PIN does not fit', async () => {
    const suite = /"OCRA-1:[^"]*-PSHA1"|OCRA-1:[^",]*-PSHA1/;
    const imported = await importEdited((text) => {
      const row = rowOf(text, '"Token"', "'QR09'");
      expect(row).toMatch(suite);
      const [, cipher = ''] = /'QR09'.*?'([0-9a-f]{32,64})', '[0-9a-f]{32}'/s.exec(row) ?? [];
      return replaced(text, cipher, '0'.repeat(cipher.length));
    });
    expect(reported(imported, 'tokens', 'QR09')).toEqual([
      expect.stringMatching(/user PIN does not decrypt and matches no input/),
    ]);
    const token = (await storedTokens(sql)).find(({ serial }) => serial === 'QR09');
    expect(token?.secrets.ocraPin?.length).toBeGreaterThan(0);
  });

  it('of a serial that looks like another one is kept, named, and can be administered', async () => {
    const imported = await importEdited((text) => {
      const row = rowOf(text, '"Token"', "'QR07'");
      return replaced(text, row, replaced(row, "'QR07'", "'QR\u200b07'"));
    });
    expect(reported(imported, 'tokens', 'QR\u200b07')).toEqual([
      expect.stringMatching(/its serial, which could be taken for another one, is kept/),
    ]);
    expect(await app.services.tokens.disable(OPERATOR, { serial: 'QR\u200b07' })).toBe(1);
  });

  it('of values that the database cannot hold is left or mended, and stops nothing', async () => {
    const imported = await importEdited((text) => {
      const row = rowOf(text, '"Token"', "'QR07'");
      const odd = replaced(row, "'ocra'", "' '").replace('{', String.raw`{"a\u0000b": 1, `);
      return replaced(text, row, odd);
    });
    expect(reported(imported, 'tokens', 'QR07')).toEqual([expect.any(String)]);
    const token = (await storedTokens(sql)).find(({ serial }) => serial === 'QR07');
    expect(token?.type).toBe('hmac');
    expect(token?.info).toMatchObject({ 'a\u{FFFD}b': 1 });
  });

  it('of texts without end is left or cut, is named shortly, and stops nothing', async () => {
    const long = 'x'.repeat(2_000_000);
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
    const named = (group: string, begin: string): readonly string[] =>
      imported.entries
        .filter((entry) => entry.group === group && entry.name.startsWith(begin))
        .map(({ outcome, reasons }) => `${outcome}: ${reasons.join('; ')}`);
    const column = (name: string, length: number): string =>
      `left: its column ${name} has more than ${length} characters`;
    expect(named('tokens', 'xxx')).toEqual([column('linotptokenserialnumber', 64)]);
    expect(named('tokens', 'LONGKEY')).toEqual([column('linotpkeyenc', 65_536)]);
    expect(named('tokens', 'LONGINFO')).toEqual([column('linotptokeninfo', 65_536)]);
    expect(named('challenges', 'xxx')).toEqual([column('transid', 64)]);
    expect(named('realms', 'xxx')).toEqual(['left: its name has more than 255 characters']);
    expect(named('settings', '…linotp.')).toEqual([column('key', 255), column('key', 255)]);
    expect(named('settings', 'my.')).toEqual([
      'left: it has more than 8192 characters',
      column('value', 65_536),
    ]);
    expect(named('policies', 'ocra_status_only')).toEqual([
      'changed: is now inactive: client cannot be read: its column value has more than 65536 characters',
    ]);
    expect(named('resolvers', 'xxx')).toEqual([]);
    const { policies } = await app.services.configuration.current();
    expect(policies.find(({ name }) => name === 'ocra_status_only')?.active).toBe(false);
    expect(JSON.stringify(imported.entries).length).toBeLessThan(200_000);
  });

  it('of a long description is cut', async () => {
    const imported = await importEdited((text) => {
      const row = rowOf(text, '"Token"', "'QR07'");
      return replaced(
        unbounded(text),
        row,
        replaced(row, "'', 'QR07'", `'${'x'.repeat(254)}\u{1f600}${'y'.repeat(2_000)}', 'QR07'`),
      );
    });
    expect(reported(imported, 'tokens', 'QR07')).toEqual([
      'changed: its description is cut to 255 characters',
    ]);
    const token = (await storedTokens(sql)).find(({ serial }) => serial === 'QR07');
    expect(token?.description).toBe('x'.repeat(254));
  });

  it('of realm links without token is passed over, and one without realm named', async () => {
    const imported = await importEdited((text) =>
      appended(
        text,
        'INSERT INTO public."TokenRealm" VALUES (9001, 9999, 1);\nINSERT INTO public."TokenRealm" VALUES (9002, 1, 99);',
      ),
    );
    expect(reported(imported, 'tokens', 'QR07')).toEqual([
      expect.stringMatching(/^changed: its realm with the id 99/),
    ]);
  });

  it('of a challenge whose token is gone is left and named', async () => {
    const imported = await importEdited((text) =>
      appended(
        text,
        String.raw`INSERT INTO public.challenges VALUES (900, '000000000001', '', '', '\x7261773a61', '', '', '\x7261773a61', '', 'GONE', '2026-11-20 12:41:56', 0, false, false);`,
      ),
    );
    expect(reported(imported, 'challenges', '000000000001')).toEqual([
      expect.stringMatching(/^left: its token GONE/),
    ]);
  });

  it('of such a serial is left and named, too, where the tokens are more than a batch', async () => {
    const serials = Array.from({ length: 1_500 }, (_, n) =>
      n % 100 === 99 && n > 399 ? `bulk${n - 399}` : `BULK${n}`,
    );
    const imported = await importEdited((text) => {
      const row = rowOf(text, '"Token"', "'QR07'");
      const rows = serials.map((serial, n) =>
        row.replace(/^\(\d+/, `(${9000 + n}`).replace("'QR07'", `'${serial}'`),
      );
      return appended(text, rows.map((one) => `INSERT INTO public."Token" VALUES ${one}`).join('\n'));
    });
    const twins = serials.filter((serial) => serial.startsWith('bulk'));
    const left = imported.entries.filter(
      ({ outcome, name }) => outcome === 'left' && name.startsWith('bulk'),
    );
    expect(left.map(({ name }) => name).sort()).toEqual(twins.toSorted());
    const stored = await sql('tokens').where('serial', 'like', 'BULK%').count();
    expect(stored).toEqual([{ count: String(serials.length - twins.length) }]);
  });

  it('of a resolver of an unknown class is left, with what refers to it', async () => {
    const imported = await importEdited((text) =>
      appended(
        replaced(
          text,
          "'useridresolver.SQLIdResolver.IdResolver.sql-intern'",
          "'useridresolver.HTTPIdResolver.IdResolver.web'",
        ),
        `INSERT INTO public."Config" VALUES ('linotp.httpresolver.uri.web', 'https://example.com', NULL, NULL);`,
      ),
    );
    expect(reported(imported, 'resolvers', 'web')).toEqual([
      expect.stringMatching(/^left: resolvers of the type httpresolver/),
    ]);
    expect(reported(imported, 'realms', 'sqlwelt')).toEqual([
      expect.stringMatching(/^changed: its resolver web/),
    ]);
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
