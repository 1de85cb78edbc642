import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { openDatabase } from '../../../src/database/database.ts';
import { OPERATOR, TestApplication } from '../../support/application/test-application.ts';
import { insertTokens } from '../../support/database/token-rows.ts';

const FOR_TOKENS = { licensee: 'Sparkasse Köln', expire: '2027-12-31', 'token-num': 5 };
const FOR_USERS = { licensee: 'bank', expire: '2027-12-31', 'user-num': 2 };
const COMMUNITY = { support: 'community support' };

interface Envelope {
  readonly result: { readonly status: boolean; readonly value: unknown };
}

let application: TestApplication;
let database: ReturnType<typeof openDatabase>;

beforeAll(async () => {
  application = await TestApplication.open();
  database = openDatabase({ connection: application.databaseUrl, poolSize: 2 });
  await application.addRealm('bank');
});

afterAll(async () => {
  await database.close();
  await application.close();
});

beforeEach(async () => {
  await database.knex('tokens').delete();
  application.clock.set(new Date('2026-11-20T12:00:00Z'));
});

async function valueOf(path: string, given: Record<string, string> = {}): Promise<unknown> {
  return ((await application.asAdmin(path, given)).body as Envelope).result.value;
}

const license = (): Promise<unknown> => valueOf('/monitoring/license');

async function set(fields: unknown): Promise<Envelope> {
  const text = typeof fields === 'string' ? fields : JSON.stringify(fields);
  return (await application.asAdmin('/system/setConfig', { 'monitoring.license': text })).body as Envelope;
}

/** Active tokens of as many users, and such that nobody has. */
async function addTokens(users: number, unassigned = 0): Promise<void> {
  const numbers = (size: number): number[] => Array.from({ length: size }, (_, index) => index);
  await insertTokens(database, [
    ...numbers(users).map((index) => ({
      serial: `U${index}`,
      realms: ['bank'],
      owner: { resolver: 'bank', userId: `user${index}` },
    })),
    ...numbers(unassigned).map((index) => ({ serial: `N${index}`, realms: [] })),
    { serial: 'OFF', realms: ['bank'], active: false },
  ]);
}

describe('the licence that the setting has', () => {
  it('is shown with all its fields, and how many active tokens are left', async () => {
    await addTokens(1, 2);
    expect(await license()).toEqual(COMMUNITY);
    await set(FOR_TOKENS);
    expect(await license()).toEqual({ ...FOR_TOKENS, 'token-active': 3, 'token-left': 2 });
    expect(await valueOf('/system/getSupportInfo')).toEqual(FOR_TOKENS);
    expect(await valueOf('/system/isSupportValid')).toBe(true);
    await valueOf('/system/delConfig', { key: 'monitoring.license' });
    expect(await license()).toEqual(COMMUNITY);
  });

  it('counts users with an active token of theirs, each once', async () => {
    await addTokens(1, 2);
    await insertTokens(database, [
      { serial: 'SECOND', realms: [], owner: { resolver: 'bank', userId: 'user0' } },
    ]);
    await set(FOR_USERS);
    expect(await license()).toEqual({ ...FOR_USERS, 'user-active': 1, 'user-left': 1 });
  });

  it('lets two more through than are licensed, and says by how much it is exceeded beyond', async () => {
    await set(FOR_USERS);
    await addTokens(4, 1);
    expect(await license()).toMatchObject({ 'user-active': 4, 'user-left': -2 });
    await database.knex('tokens').delete();
    await addTokens(5);
    const message = 'volume exceeded: 5 token users found > 2 token users licensed.';
    expect(await license()).toEqual({ valid: false, message });
    expect(await valueOf('/admin/installation/overview')).toMatchObject({
      licence: { state: 'invalid', reason: 'exceeded', licensed: 2, active: 5 },
    });
  });

  it('ends with its last day, in UTC', async () => {
    await set(FOR_TOKENS);
    application.clock.set(new Date('2027-12-31T23:59:59.999Z'));
    expect(await license()).toMatchObject({ 'token-left': 5 });
    application.clock.set(new Date('2028-01-01T00:00:00Z'));
    expect(await license()).toEqual({ valid: false, message: "expired - valid till '2027-12-31'" });
    expect(await valueOf('/system/isSupportValid')).toBe(false);
  });

  it.each([
    'garbage',
    '[]',
    'null',
    { licensee: 'bank', expire: '2027-12-31' },
    { ...FOR_USERS, 'token-num': 5 },
    { ...FOR_USERS, 'user-num': 0 },
    { ...FOR_USERS, 'user-num': '2' },
    { ...FOR_USERS, expire: '2027-02-30' },
    { 'user-num': 2 },
    { ...FOR_USERS, contact: { name: 'x' } },
  ])('cannot be %j, and the one that there is stays', async (fields) => {
    await set(FOR_USERS);
    const refused = await set(fields);
    expect(refused).toHaveProperty('result.status', false);
    expect(JSON.stringify(refused)).toContain('monitoring.license must be a JSON object');
    expect(await license()).toMatchObject(FOR_USERS);
  });

  it('is refused to an administrator who is bound to realms, as its numbers are those of all', async () => {
    await set(FOR_USERS);
    const { policies, administrators } = application.services;
    await administrators.add(OPERATOR, 'probe', 'the password of the probe');
    const { token } = await administrators.addApiToken(OPERATOR, 'probe', { name: 'probe', rights: ['*'] });
    const probe = { scope: 'monitoring', action: '*', user: 'probe', client: '', time: '', active: true };
    const asked = async (realm: string): Promise<string> => {
      await policies.set(OPERATOR, { ...probe, name: 'probes', realm });
      return (
        await application.send('/monitoring/license', {}, 'get').set('Authorization', `Bearer ${token}`)
      ).text;
    };
    expect(await asked('*')).toContain('"user-active": 0');
    expect(await asked('bank')).toMatch(/"message": "ERR410: .*bound to realms/);
    expect(await asked('bank')).not.toContain('user-');
    await policies.remove(OPERATOR, 'probes');
  });
});
