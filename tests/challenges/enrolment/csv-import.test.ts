import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Knex } from 'knex';
import { openDatabase } from '../../../src/database/database.ts';
import { OPERATOR, TestApplication } from '../../support/application/test-application.ts';
import { eventualRefusal } from '../../support/application/eventual-refusal.ts';

const SUITE = 'OCRA-1:HOTP-SHA256-8:C-QN08';
const KEY = Buffer.from('12345678901234567890123456789012', 'latin1');
const HEADER = 'serial,key,suite,counter,user,realm';

let app: TestApplication;
let sql: Knex;
let close: () => Promise<void>;

beforeEach(async () => {
  app = await TestApplication.open();
  const database = openDatabase({ connection: app.databaseUrl, applicationName: 'test' });
  sql = database.knex;
  close = () => database.close();
  await app.addRealm('office', ['anna', 'bert']);
  await app.addRealm('lab', ['anna']);
});

afterEach(async () => {
  await close();
  await app.close();
});

const load = (lines: readonly string[], realm?: string): Promise<readonly string[]> =>
  app.services.tokenImport.load(OPERATOR, { format: 'csv', file: [HEADER, ...lines].join('\n'), realm });

describe('tokens of a table', () => {
  it('belong to their users and realms, and answer at the counter of the table', async () => {
    const hex = KEY.toString('hex');
    const lines = [
      `K1,${hex},${SUITE},5,anna,office`,
      `K2,${hex},${SUITE},,anna,lab`,
      `K3,${hex},,,bert,`,
      `K4,${hex},,,,lab`,
      `K5,${hex},,,,`,
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

  it('are stored all or, if one is wrong, none', async () => {
    const many = Array.from({ length: 2_500 }, (_, index) => `M${index},${KEY.toString('hex')},,,,`);
    await load(many.slice(2_400, 2_401));
    expect(await eventualRefusal(load(many))).toMatchObject({ code: 'token.exists' });
    expect(await eventualRefusal(load(['K1,00,,,,', ...many.slice(0, 2)]))).toMatchObject({
      code: 'key-file.invalid',
      message: 'The key file is wrong in line 2: a secret has 16 to 128 bytes',
    });
    expect(await sql('tokens').pluck('serial')).toEqual(['M2400']);
  });

  it('are stored in pieces of any number', async () => {
    const many = Array.from(
      { length: 2_500 },
      (_, index) => `M${index},${KEY.toString('hex')},,,anna,office`,
    );
    expect(await load(many)).toHaveLength(2_500);
    expect(await sql('tokens').where({ owner_login: 'anna' }).count('* AS n').first()).toEqual({ n: '2500' });
  });
});
