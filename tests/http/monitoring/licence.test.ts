import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { openDatabase } from '../../../src/database/database.ts';
import { CLAIMS, licenceVendor, signedWith, tampered } from '../../support/values/signed-licence.ts';
import { OPERATOR, TestApplication } from '../../support/application/test-application.ts';
import { insertTokens } from '../../support/database/token-rows.ts';

const FOR_USERS = { licensee: 'bank', expire: '2027-12-31', 'user-num': 2 };
const COMMUNITY = { support: 'community support' };
const vendor = licenceVendor();

interface Envelope {
  readonly result: { readonly value: unknown };
}

let application: TestApplication;
let database: ReturnType<typeof openDatabase>;

beforeAll(async () => {
  application = await TestApplication.open({ licenceSignature: vendor.signature });
  database = openDatabase({ connection: application.databaseUrl, poolSize: 2 });
  await application.addRealm('bank');
});

afterAll(async () => {
  await database.close();
  await application.close();
});

beforeEach(async () => {
  await database.knex('tokens').delete();
  await database.knex('licence').delete();
  await database.knex('audit').delete();
  application.clock.set(new Date('2026-11-20T12:00:00Z'));
});

/** The value of /monitoring/license. */
async function license(): Promise<unknown> {
  return ((await application.asAdmin('/monitoring/license', {}, 'get')).body as Envelope).result.value;
}

async function install(claims: unknown): Promise<void> {
  await application.services.licences.install(OPERATOR, await vendor.sign(claims));
}

describe('a licence, whose numbers are those of all realms', () => {
  it('is shown to an administrator without a bound, and refused to one who is bound to realms', async () => {
    await install({ ...FOR_USERS });
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

/** Active tokens of as many users, all of them in the realm. */
async function addTokens(
  users: number,
  more: { readonly unassigned?: number; readonly off?: number } = {},
): Promise<void> {
  const numbers = (size = 0): number[] => Array.from({ length: size }, (_, index) => index);
  await insertTokens(database, [
    ...numbers(users).map((index) => ({
      serial: `U${index}`,
      realms: ['bank'],
      owner: { resolver: 'bank', userId: `user${index}` },
    })),
    ...numbers(more.unassigned).map((index) => ({ serial: `N${index}`, realms: [] })),
    ...numbers(more.off).map((index) => ({ serial: `O${index}`, realms: ['bank'], active: false })),
  ]);
}

async function audit(): Promise<unknown> {
  return database
    .knex('audit')
    .where('action', 'like', 'licence/%')
    .orderBy('id')
    .select('actor', 'action', 'subject', 'outcome');
}

describe('an installed licence', () => {
  it('shows all that was signed, and how many active tokens are left', async () => {
    await addTokens(1, { unassigned: 2, off: 3 });
    expect(await license()).toEqual(COMMUNITY);
    await install(CLAIMS);
    expect(await license()).toEqual({ ...CLAIMS, 'token-num': 5, 'token-active': 3, 'token-left': 2 });
    await application.asAdmin('/admin/enable', { serial: 'O0' });
    expect(await license()).toMatchObject({ 'token-active': 4, 'token-left': 1 });
  });

  it('counts users with an active token of theirs, each once', async () => {
    await addTokens(1, { unassigned: 2, off: 3 });
    await insertTokens(database, [
      { serial: 'SECOND', realms: [], owner: { resolver: 'bank', userId: 'user0' } },
      { serial: 'OFF', realms: ['bank'], active: false, owner: { resolver: 'bank', userId: 'other' } },
    ]);
    await install(FOR_USERS);
    expect(await license()).toEqual({ ...FOR_USERS, 'user-active': 1, 'user-left': 1 });
  });

  it('takes the place of the one before', async () => {
    await install(CLAIMS);
    await install(FOR_USERS);
    expect(await license()).toMatchObject({ 'user-num': 2 });
    expect(await audit()).toEqual([
      {
        actor: 'test',
        action: 'licence/install',
        subject: CLAIMS.licensee,
        outcome: 'installed, 5 tokens till 2027-12-31',
      },
      {
        actor: 'test',
        action: 'licence/install',
        subject: 'bank',
        outcome: 'installed, 2 users till 2027-12-31',
      },
    ]);
  });

  it('can be removed, once', async () => {
    await install(CLAIMS);
    await application.services.licences.remove(OPERATOR);
    expect(await license()).toEqual(COMMUNITY);
    await expect(application.services.licences.remove(OPERATOR)).rejects.toMatchObject({
      code: 'licence.unknown',
    });
    expect(await audit()).toMatchObject([
      { action: 'licence/install' },
      { action: 'licence/remove', outcome: 'removed' },
    ]);
  });
});

describe('a licence for fewer than there are', () => {
  it('counts up to two more than licensed, and says by how much it is exceeded beyond', async () => {
    await addTokens(4);
    await install(FOR_USERS);
    expect(await license()).toMatchObject({ 'user-active': 4, 'user-left': -2 });
    await insertTokens(database, [
      { serial: 'X', realms: [], owner: { resolver: 'bank', userId: 'one more' } },
    ]);
    expect(await license()).toEqual({
      valid: false,
      message: 'volume exceeded: 5 token users found > 2 token users licensed.',
    });
    await database.knex('tokens').where({ serial: 'X' }).delete();
    expect(await license()).toMatchObject({ 'user-active': 4 });
  });

  it('names tokens where it is for tokens', async () => {
    await install(CLAIMS);
    await addTokens(4, { unassigned: 4, off: 1 });
    expect(await license()).toEqual({
      valid: false,
      message: 'volume exceeded: 8 active tokens found > 5 tokens licensed.',
    });
  });
});

describe('the days of a licence', () => {
  it('end with the last one, in UTC', async () => {
    await install(CLAIMS);
    application.clock.set(new Date('2027-12-31T23:59:59.999Z'));
    expect(await license()).toMatchObject({ 'token-left': 5 });
    application.clock.set(new Date('2028-01-01T00:00:00Z'));
    expect(await license()).toEqual({ valid: false, message: "expired - valid till '2027-12-31'" });
  });

  it('come before its numbers, and after its signature', async () => {
    await install(CLAIMS);
    await addTokens(8);
    application.clock.set(new Date('2030-01-01T00:00:00Z'));
    expect(await license()).toMatchObject({ message: "expired - valid till '2027-12-31'" });
    await database
      .knex('licence')
      .update({ text: tampered(await vendor.sign(CLAIMS), CLAIMS).slice(0, -10) });
    expect(await license()).toMatchObject({ message: 'signature could not be verified!' });
  });

  it('may begin later', async () => {
    await database.knex('licence').insert({ text: await vendor.sign({ ...CLAIMS, nbf: 1_800_000_000 }) });
    expect(await license()).toEqual({ valid: false, message: "not valid before '2027-01-15T08:00:00.000Z'" });
    application.clock.set(new Date('2027-01-15T08:00:00Z'));
    expect(await license()).toMatchObject({ 'token-num': 5 });
  });
});

describe('a licence in the database', () => {
  it('is invalid once it was changed there, and valid again when it is restored', async () => {
    await install(CLAIMS);
    const text = await vendor.sign(CLAIMS);
    await database.knex('licence').update({ text: tampered(text, { ...CLAIMS, 'token-num': 500 }) });
    expect(await license()).toEqual({ valid: false, message: 'signature could not be verified!' });
    await database.knex('licence').update({ text });
    expect(await license()).toMatchObject({ 'token-num': 5 });
  });

  it.each(['', 'garbage', '\u{1F600}'])('that is none says so: %p', async (text) => {
    await database.knex('licence').insert({ text });
    expect(await license()).toEqual({ valid: false, message: 'license could not be read!' });
  });
});

describe('the installation of a licence', () => {
  it.each([
    [
      'of another vendor',
      () => licenceVendor().sign(CLAIMS),
      'it is not signed with the key of LICENCE_PUBLIC_KEY_FILE',
    ],
    [
      'changed on its way',
      async () => tampered(await vendor.sign(CLAIMS), FOR_USERS),
      'it is not signed with the key',
    ],
    [
      'with a shared secret',
      () => signedWith(Buffer.alloc(32), CLAIMS, { alg: 'HS256' }),
      "its algorithm is 'HS256'",
    ],
    [
      'that has expired',
      () => vendor.sign({ ...CLAIMS, expire: '2026-11-19' }),
      'it was valid till 2026-11-19',
    ],
    [
      'of next year',
      () => vendor.sign({ ...CLAIMS, nbf: 1_800_000_000 }),
      'it is not valid before 2027-01-15',
    ],
    [
      'for no number',
      () => vendor.sign({ expire: '2027-12-31' }),
      "exactly one of the claims 'user-num' and 'token-num'",
    ],
    ['for ever', () => vendor.sign({ 'token-num': 5 }), 'it does not say when it ends'],
    ['that is none', () => Promise.resolve('garbage'), 'it is no JWS in compact form'],
    ['that is empty', () => Promise.resolve(' \n'), 'it is no JWS in compact form'],
    ['without end', () => Promise.resolve('x'.repeat(70_000)), 'it is longer than 65536 characters'],
    [
      'for fewer users than there are',
      () => vendor.sign({ ...FOR_USERS, 'user-num': 1 }),
      'it is for 1 user, but 4 users own active tokens',
    ],
    [
      'for fewer tokens than there are',
      () => vendor.sign({ ...CLAIMS, 'token-num': 1 }),
      'it is for 1 token, but 4 tokens are active',
    ],
  ])('%s is refused, and the one that is there stays', async (_title, make, why) => {
    await addTokens(4);
    await install(FOR_USERS);
    const before = await license();
    await expect(application.services.licences.install(OPERATOR, await make())).rejects.toMatchObject({
      code: 'licence.invalid',
      message: expect.stringMatching(/^The licence is refused: .*\. Nothing was changed$/),
    });
    await expect(application.services.licences.install(OPERATOR, await make())).rejects.toThrow(why);
    expect(await license()).toEqual(before);
    expect(await audit()).toHaveLength(1);
  });

  it('lets blanks around it pass', async () => {
    await application.services.licences.install(OPERATOR, `\n  ${await vendor.sign(CLAIMS)}\r\n`);
    expect(await license()).toMatchObject({ 'token-num': 5 });
  });
});

describe('without a key for licences', () => {
  it('none can be installed, and none counts', async () => {
    const bare = await TestApplication.open();
    try {
      await expect(bare.services.licences.install(OPERATOR, await vendor.sign(CLAIMS))).rejects.toThrow(
        'there is no key to verify it with: LICENCE_PUBLIC_KEY_FILE is not set',
      );
      expect(await bare.services.licences.show()).toEqual({ kind: 'none' });
    } finally {
      await bare.close();
    }
  });
});

describe('in the dialect linotp', () => {
  it('the numbers stand alone, and an unreadable licence is reported as none', async () => {
    const linotp = await TestApplication.open({ dialect: 'linotp', licenceSignature: vendor.signature });
    const own = openDatabase({ connection: linotp.databaseUrl, poolSize: 1 });
    const ask = async (): Promise<unknown> =>
      ((await linotp.asAdmin('/monitoring/license', {}, 'get')).body as Envelope).result.value;
    try {
      await linotp.services.licences.install(OPERATOR, await vendor.sign(CLAIMS));
      expect(await ask()).toEqual({ 'token-num': 5, 'token-active': 0, 'token-left': 5 });
      await own.knex('licence').update({ text: 'garbage' });
      expect(await ask()).toEqual({ valid: false, message: 'license file is empty!' });
    } finally {
      await own.close();
      await linotp.close();
    }
  });
});
