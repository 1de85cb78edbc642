import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Knex } from 'knex';
import { OPERATOR, TestApplication } from '../../support/application/test-application.ts';

const SUITE = 'OCRA-1:HOTP-SHA256-8:C-QN08';
const KEY = Buffer.from('12345678901234567890123456789012', 'latin1');
const HEADER = 'serial,key,suite,counter,user,realm';
const HEX = KEY.toString('hex');

let app: TestApplication;
let sql: Knex;

beforeEach(async () => {
  app = await TestApplication.open();
  sql = app.sql;
  await app.addRealm('office', ['anna', 'bert']);
  await app.addRealm('lab', ['anna']);
});

afterEach(() => app.close());

const load = (lines: readonly string[], realm?: string): Promise<readonly string[]> =>
  app.services.tokenImport.load(OPERATOR, { format: 'csv', file: [HEADER, ...lines].join('\n'), realm });

describe('tokens of a table', () => {
  it('belong to their users and realms, and answer at the counter of the table', async () => {
    const lines = [
      `K1,${HEX},${SUITE},5,anna,office`,
      `K2,${HEX},${SUITE},,anna,lab`,
      `K3,${HEX},,,bert,`,
      `K4,${HEX},,,,lab`,
      `K5,${HEX},,,,`,
    ];
    expect(await load(lines, 'office')).toEqual(['K1', 'K2', 'K3', 'K4', 'K5']);
    const { rows } = await sql.raw<{ rows: object[] }>(
      `SELECT serial, resolvers.name AS resolver, owner_login AS login,
         ARRAY(SELECT name FROM realms WHERE id = ANY (realm_ids)) AS realms
       FROM tokens JOIN realm_sets ON realm_sets.id = realm_set_id
       LEFT JOIN resolvers ON resolvers.id = owner_resolver_id ORDER BY serial`,
    );
    expect(rows).toEqual([
      { serial: 'K1', resolver: 'office', login: 'anna', realms: ['office'] },
      { serial: 'K2', resolver: 'lab', login: 'anna', realms: ['lab'] },
      { serial: 'K3', resolver: 'office', login: 'bert', realms: ['office'] },
      { serial: 'K4', resolver: null, login: null, realms: ['lab'] },
      { serial: 'K5', resolver: null, login: null, realms: ['office'] },
    ]);
    const { transactionid, question } = await app.challenge('K1');
    const response = app.respond(SUITE, question, { counter: 5n, key: KEY });
    expect(await app.check(transactionid, response)).toMatchObject({ result: true });
  });

  it('have the PINs and descriptions of the table', async () => {
    const file = `serial,key,suite,pin,ocra_pin,description\nK1,${HEX},OCRA-1:HOTP-SHA256-8:QN08-PSHA1, 12 ,34,red\n`;
    await app.services.tokenImport.load(OPERATOR, { format: 'csv', file });
    expect(await app.services.tokens.show(OPERATOR, 'K1')).toMatchObject({
      description: 'red',
      hasPin: true,
    });
    const { transactionid, question } = await app.challenge('K1');
    const response = app.respond('OCRA-1:HOTP-SHA256-8:QN08-PSHA1', question, { pin: '34', key: KEY });
    expect(await app.check(transactionid, response)).toMatchObject({ result: false });
    expect(await app.check(transactionid, ` 12 ${response}`)).toMatchObject({ result: true });
  });

  it('of HOTP and TOTP are refused with what cannot be computed', async () => {
    const file = `serial,key,type,otplen,timestep,hashlib,counter
K1,${HEX},hotp,7,,,
K2,${HEX},totp,6,45,,
K3,${HEX},totp,6,,md5,
K4,${HEX.slice(0, 18)},hotp,6,,,
K5,${HEX.slice(0, 20)},hotp,6,,,4
K6,${HEX.slice(0, 20)},totp,,,,4
K7,${HEX.slice(0, 20)},ocra,,,,
`;
    const { serials, refused } = await app.services.tokenImport.check(OPERATOR, { format: 'csv', file });
    const wrong = 'The key file is wrong in';
    expect([serials, refused.map(({ reason }) => reason)]).toEqual([
      ['K5', 'K6'],
      [
        `${wrong} line 2: The parameter otplen must be 6 or 8`,
        `${wrong} line 3: The parameter timestep must be 30 or 60`,
        `${wrong} line 4: The parameter hashlib must be sha1, sha256 or sha512`,
        `${wrong} line 5: a secret has 10 to 128 bytes`,
        `${wrong} line 8: a secret has 16 to 128 bytes`,
      ],
    ]);
    const lines = file.split('\n').filter((_line, index) => [0, 5, 6].includes(index));
    await app.services.tokenImport.load(OPERATOR, { format: 'csv', file: lines.join('\n') });
    expect(await app.services.tokens.show(OPERATOR, 'K5')).toMatchObject({ type: 'hmac', counter: 4n });
    expect(await app.services.tokens.show(OPERATOR, 'K6')).toMatchObject({ type: 'totp', counter: 0n });
  });

  it('are checked without an import: every one that would be refused is named, and nothing is stored', async () => {
    await load([`TAKEN,${HEX},,,,`]);
    const lines = [
      'K1,,',
      'k1,,',
      'taken,,',
      'a b,,',
      'K2,nobody,office',
      'K3,bert,lab',
      'K4,,nowhere',
      'K5,,',
    ].map((line) => line.replace(',', `,${HEX},${line.startsWith('K5') ? 'x' : SUITE},,`));
    const file = [HEADER, ...lines].join('\n');
    const { serials, refused } = await app.services.tokenImport.check(OPERATOR, { format: 'csv', file });
    expect([serials, refused.map(({ serial, reason }) => `${serial}: ${reason}`)]).toEqual([
      ['K1'],
      [
        "k1: The key file is wrong in line 3: the serial 'k1' stands in the file twice",
        "taken: There is a token with the serial 'taken' already",
        'a b: The key file is wrong in line 5: a serial has 1 to 64 printable ASCII characters, no blank and no *',
        "K2: The key file is wrong in line 6: there is no user 'nobody' in the realm",
        "K3: The key file is wrong in line 7: there is no user 'bert' in the realm",
        "K4: The key file is wrong in line 8: There is no realm 'nowhere'",
        expect.stringMatching(/^K5: The key file is wrong in line 9: Not an OCRA suite/),
      ],
    ]);
    expect(await sql('tokens').pluck('serial')).toEqual(['TAKEN']);
  });
});
