import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AccessControl } from '../../src/policy/access-control.ts';
import { checkPin, type TokenSettings } from '../../src/tokens/token-settings.ts';
import { checkPolicy } from '../../src/policy/policy.ts';
import type { Owner } from '../../src/users/user.ts';
import type { Token } from '../../src/tokens/token.ts';
import { TOKEN_ORDERS, type TokenListing } from '../../src/tokens/token-selection.ts';
import { TokenService } from '../../src/tokens/token-service.ts';
import { UserDirectory } from '../../src/users/user-directory.ts';
import { systemRandom } from '../../src/kernel/system-random.ts';
import { SecretVault } from '../../src/keys/vault.ts';
import { callerNamed } from '../support/values/callers.ts';
import { eventualRefusal } from '../support/application/eventual-refusal.ts';
import { GivenConfiguration } from '../support/values/configuration-value.ts';
import { TokenDatabase } from '../support/database/token-database.ts';
import { tokenValue } from '../support/values/token-values.ts';
import { sourcesHolding } from '../support/application/user-sources.ts';

const ANNA: Owner = { resolverId: '1', resolver: 'res', userId: 'anna-id', login: 'anna' };
const CAROL: Owner = { resolverId: '2', resolver: 'other', userId: 'carol-id', login: 'carol' };
const admin = callerNamed('admin');
/** Bound to the realms alpha and gamma. */
const bound = callerNamed('bound');

const vault = new SecretVault({ keys: [Buffer.alloc(32, 1)], random: systemRandom });
const sources = sourcesHolding({ 1: ['anna', 'bernd'], 2: ['carol'] });
const configuration = new GivenConfiguration({
  realms: [
    { name: 'alpha', resolvers: ['res'] },
    { name: 'beta', resolvers: ['other'] },
    { name: 'gamma', resolvers: ['res'] },
  ],
  resolvers: [
    { id: '1', name: 'res' },
    { id: '2', name: 'other' },
  ],
  policies: [
    checkPolicy({ name: 'all', scope: 'admin', action: '*', realm: '*', user: 'admin' }),
    checkPolicy({ name: 'some', scope: 'admin', action: '*', realm: 'alpha, gamma', user: 'bound' }),
    checkPolicy({ name: 'show', scope: 'admin', action: 'show', realm: '*', user: 'viewer' }),
  ],
});
const access = new AccessControl({ clock: { now: () => new Date(0) } });

let held: TokenDatabase;
let service: TokenService;

beforeAll(async () => {
  held = await TokenDatabase.create();
});

afterAll(async () => {
  await held.drop();
});

beforeEach(async () => {
  await held.hold([
    tokenValue('T1', { owner: ANNA, realms: ['alpha'], failCount: 7, active: false }),
    tokenValue('T2', { owner: CAROL, realms: ['beta'] }),
    tokenValue('T3', { realms: ['alpha', 'beta'] }),
    tokenValue('T4', { realms: [] }),
    tokenValue('T5', { realms: ['gamma'], rollout: 'phase1', active: false }),
  ]);
  const users = new UserDirectory({ sources });
  service = new TokenService({
    configuration,
    tokens: held.tokens,
    users,
    access,
    vault,
    clock: { now: () => new Date(0) },
    confirmations: { isConfirmed: () => Promise.resolve(false) },
    random: systemRandom,
  });
});

async function serials(listing: TokenListing, caller = admin): Promise<string[]> {
  return (await service.list(caller, listing)).map(({ serial }) => serial);
}

async function stored(serial: string): Promise<Token> {
  const token = await held.tokens.findBySerial(serial);
  if (token === undefined) {
    throw new Error(`There is no ${serial}.`);
  }
  return token;
}

describe('the list of tokens', () => {
  it.each<[TokenListing, string[]]>([
    [{}, ['T1', 'T2', 'T3', 'T4', 'T5']],
    [{ serial: 'T3' }, ['T3']],
    [{ serial: 't3' }, []],
    [{ serial: '*' }, []],
    [{ serial: '' }, []],
    [{ user: 'anna' }, ['T1']],
    [{ user: 'carol@beta' }, ['T2']],
    [{ user: 'carol', userRealm: 'beta' }, ['T2']],
    [{ user: 'bernd' }, []],
    [{ realm: ' Beta ' }, ['T2', 'T3']],
    [{ realm: null }, ['T4']],
    [{ active: false }, ['T1', 'T5']],
    [{ assigned: false, active: true }, ['T3', 'T4']],
    [{ limit: 2, offset: 1 }, ['T2', 'T3']],
    [{ limit: 0 }, []],
  ])('for %j has %j', async (listing, expected) => {
    expect(await serials(listing)).toEqual(expected);
    const unlimited = { ...listing, limit: undefined, offset: undefined };
    expect(await service.count(admin, listing)).toBe((await serials(unlimited)).length);
  });

  it('comes in pages, as large as one answer can hold where nobody says how large', async () => {
    const first = await service.page(admin, { page: { pageSize: 2 } });
    expect(first).toMatchObject({ total: 5, page: 1, pageSize: 2 });
    expect(first.tokens.map(({ serial }) => serial)).toEqual(['T1', 'T2']);
    const last = await service.page(admin, { page: { page: 3, pageSize: 2 } });
    expect(last.tokens.map(({ serial }) => serial)).toEqual(['T5']);
    expect(await service.page(admin, { page: { page: 4, pageSize: 2 } })).toMatchObject({
      tokens: [],
      total: 5,
    });
    const whole = await service.page(admin, { page: {} });
    expect(whole).toMatchObject({ total: 5, page: 1, pageSize: 5 });
    expect(whole.resolverKinds.get('res')).toBe('managed');
    expect(JSON.stringify(whole.tokens, (_key, value: unknown) => String(value))).not.toContain('secrets');
  });

  it('in pages of any size and order has the tokens of the whole list, those of equal values, too', async () => {
    for (const [caller, total] of [
      [admin, 5],
      [bound, 3],
    ] as const) {
      for (const sort of [undefined, ...new Set(TOKEN_ORDERS.values())].flatMap((by) =>
        [false, true].map((descending) => by && { by, descending }),
      )) {
        const whole = await serials({ sort }, caller);
        expect(whole).toHaveLength(total);
        for (let pageSize = 1; pageSize <= total + 1; pageSize += 1) {
          const paged: string[] = [];
          for (let page = 1; page <= total + 1; page += 1) {
            const { tokens } = await service.page(caller, { sort, page: { page, pageSize } });
            expect(tokens.length).toBe(Math.max(0, Math.min(pageSize, total - (page - 1) * pageSize)));
            paged.push(...tokens.map(({ serial }) => serial));
          }
          expect(paged).toEqual(whole);
        }
      }
    }
  });

  it('reads a page from the end that is nearer', async () => {
    const offsets: unknown[] = [];
    const listen = ({ sql, bindings }: { sql: string; bindings: readonly unknown[] }): void => {
      if (/offset/i.test(sql)) {
        offsets.push(bindings.at(-1));
      }
    };
    held.database.knex.on('query', listen);
    for (const page of [2, 3, 4, 5, 6, 1000]) {
      await service.page(admin, { sort: { by: 'login', descending: true }, page: { page, pageSize: 1 } });
    }
    held.database.knex.removeListener('query', listen);
    expect(offsets.map(Number)).toEqual([1, 2, 1]);
  });

  it.each([
    { page: 0 },
    { page: 1.5 },
    { page: Number.NaN },
    { pageSize: 0 },
    { pageSize: 1001 },
    { pageSize: -1 },
  ])('has no page %j', async (page) => {
    expect((await eventualRefusal(service.page(admin, { page }))).code).toBe('parameter.invalid');
  });

  it('in pages shows a bound administrator no more, not even how many there are', async () => {
    expect(await service.page(bound, { page: {} })).toMatchObject({ total: 3, pageSize: 3 });
    expect(await service.page(bound, { serial: 'T2', page: {} })).toMatchObject({ tokens: [], total: 0 });
    expect(await service.page(bound, { realms: ['gamma', 'ALPHA'], page: {} })).toMatchObject({ total: 3 });
    const hidden = await eventualRefusal(service.page(bound, { realms: ['alpha', 'beta'], page: {} }));
    expect(hidden.code).toBe('realm.unknown');
  });

  it('of several realms has the tokens of each once', async () => {
    expect(await serials({ realms: ['alpha', 'beta'] })).toEqual(['T1', 'T2', 'T3']);
    expect(await serials({ realms: ['gamma'] })).toEqual(['T5']);
    expect(await serials({ realms: [] })).toEqual([]);
  });

  it('of a bound administrator has the tokens of the realms alone, none that is in no realm', async () => {
    expect(await serials({}, bound)).toEqual(['T1', 'T3', 'T5']);
    expect(await serials({ limit: 1, offset: 1 }, bound)).toEqual(['T3']);
    expect(await serials({ realm: 'alpha' }, bound)).toEqual(['T1', 'T3']);
    expect(await serials({ realm: null }, bound)).toEqual([]);
    expect(await serials({ serial: 'T2' }, bound)).toEqual([]);
    expect(await service.count(bound, {})).toBe(3);
    expect(await service.count(bound, { realm: null })).toBe(0);
  });

  it('does not tell a bound administrator which other realms there are', async () => {
    const hidden = await eventualRefusal(service.list(bound, { realm: 'beta' }));
    const missing = await eventualRefusal(service.list(bound, { realm: 'nosuch' }));
    expect([hidden.code, missing.code]).toEqual(['realm.unknown', 'realm.unknown']);
    expect(hidden.message.replace('beta', 'nosuch')).toBe(missing.message);
  });

  it.each([{ limit: -1 }, { limit: 1.5 }, { offset: Number.NaN }])('is refused for %j', async (listing) => {
    expect((await eventualRefusal(service.list(admin, listing))).code).toBe('parameter.invalid');
  });

  it('is refused for users and realms that are not there', async () => {
    expect((await eventualRefusal(service.list(admin, { user: '*' }))).code).toBe('user.unknown');
    expect((await eventualRefusal(service.list(admin, { realm: '' }))).code).toBe('realm.unknown');
  });
});

describe('what is shown of a token', () => {
  it('holds no secret, sealed or not', async () => {
    const shown = await service.show(admin, 'T1');
    expect(shown).toMatchObject({ serial: 'T1', owner: ANNA, realms: ['alpha'], failCount: 7 });
    expect(Object.keys(shown)).not.toEqual(expect.arrayContaining(['secrets']));
    expect(Object.keys(shown)).not.toEqual(expect.arrayContaining(['replayMarkers']));
    const [listed] = await service.list(admin, { serial: 'T1' });
    expect(listed).toEqual(shown);
  });
});

describe('a change', () => {
  it('of the state does what it says, in the name of who did it', async () => {
    await service.enable(admin, { serial: 'T1' });
    expect(await stored('T1')).toMatchObject({ active: true });
    await service.disable(admin, { serial: 'T1' });
    expect(await stored('T1')).toMatchObject({ active: false });
    await service.reset(admin, { serial: 'T1' });
    expect(await stored('T1')).toMatchObject({ failCount: 0 });
    await service.unassign(admin, { serial: 'T1' });
    expect(await stored('T1')).toMatchObject({ owner: null, realms: ['alpha'] });
    await service.remove(admin, { serial: 'T1' });
    expect(await held.tokens.findBySerial('T1')).toBeUndefined();
    expect((await held.acts()).map(({ actor, action }) => `${actor} ${action}`)).toEqual([
      'admin token/enable',
      'admin token/disable',
      'admin token/reset',
      'admin token/unassign',
      'admin token/remove',
    ]);
  });

  it('enables no token whose roll-out has not given it its key', async () => {
    expect((await eventualRefusal(service.enable(admin, { serial: 'T5' }))).code).toBe('token.state');
    expect((await stored('T5')).active).toBe(false);
  });

  it.each(['enable', 'disable', 'reset', 'remove', 'unassign', 'show'] as const)(
    '(%s) of a token that is not there, not to be seen, or named hostilely is refused alike',
    async (verb) => {
      for (const serial of ['T9', 'T2', 'T4', '', '*', 'T\0', 'x'.repeat(10_000), 'T1 ']) {
        const refusal = await eventualRefusal(
          verb === 'show' ? service.show(bound, serial) : service[verb](bound, { serial }),
        );
        expect(refusal.code).toBe('token.unknown');
        expect(refusal.message).toBe(`No token found with the serial '${serial.slice(0, 64)}'`);
      }
      expect(await held.acts()).toEqual([]);
    },
  );

  it('needs its own right', async () => {
    const viewer = callerNamed('viewer');
    expect(await serials({ serial: 'T1' }, viewer)).toEqual(['T1']);
    const attempts = [
      service.enable(viewer, { serial: 'T1' }),
      service.remove(viewer, { serial: 'T1' }),
      service.assign(viewer, { serial: 'T1', user: 'anna' }),
      service.set(viewer, { serial: 'T1' }, { pin: 'x' }),
      service.setRealms(viewer, { serial: 'T1', realms: ['alpha'] }),
    ];
    const codes = await Promise.all(attempts.map(async (attempt) => (await eventualRefusal(attempt)).code));
    expect(new Set(codes)).toEqual(new Set(['right.missing']));
    expect(await held.acts()).toEqual([]);
  });
});

describe('assigning', () => {
  it('gives the token to the user and puts it into their realm, besides its own', async () => {
    expect(await service.assign(admin, { serial: 'T4', user: 'anna' })).toMatchObject({
      owner: ANNA,
      realms: ['alpha'],
    });
    expect(await service.assign(admin, { serial: 'T4', user: 'carol@beta' })).toMatchObject({
      owner: CAROL,
      realms: ['alpha', 'beta'],
    });
  });

  it('keeps the PIN, unless a new one comes with it', async () => {
    await service.assign(admin, { serial: 'T4', user: 'anna', pin: 'geheim' });
    const { pin } = (await stored('T4')).secrets;
    expect(pin && checkPin(vault.open(pin, 'pin', 'T4'), 'geheim')).toBe(true);
    await service.assign(admin, { serial: 'T4', user: 'bernd' });
    expect((await stored('T4')).secrets.pin).toEqual(pin);
  });

  it('does not tell a bound administrator which users there are elsewhere', async () => {
    for (const user of ['carol@beta', 'nosuch@beta', 'carol@nosuch', 'nosuch']) {
      const refusal = await eventualRefusal(service.assign(bound, { serial: 'T1', user }));
      expect([refusal.code, refusal.message]).toEqual(['user.unknown', `There is no user '${user}'`]);
      expect((await eventualRefusal(service.list(bound, { user }))).code).toBe('user.unknown');
    }
    expect((await stored('T1')).owner).toEqual(ANNA);
  });
});

describe('setting realms', () => {
  it('replaces them, in any order, case and number', async () => {
    const realms = ['Gamma', ' beta ', 'beta'];
    expect(await service.setRealms(admin, { serial: 'T1', realms })).toMatchObject({
      realms: ['beta', 'gamma'],
    });
    expect(await service.setRealms(admin, { serial: 'T1', realms: [] })).toMatchObject({ realms: [] });
  });

  it('is refused for realms that are not there', async () => {
    for (const name of ['nosuch', '', '*', '/:no realm:/']) {
      const refusal = await eventualRefusal(service.setRealms(admin, { serial: 'T1', realms: [name] }));
      expect(refusal.code).toBe('realm.unknown');
    }
  });

  it('of a bound administrator leaves other realms as they are and adds none', async () => {
    const changed = await service.setRealms(bound, { serial: 'T3', realms: ['gamma'] });
    expect(changed.realms).toEqual(['beta', 'gamma']);
    for (const name of ['beta', 'nosuch']) {
      const refusal = await eventualRefusal(service.setRealms(bound, { serial: 'T1', realms: [name] }));
      expect([refusal.code, refusal.message]).toEqual(['realm.unknown', `There is no realm '${name}'`]);
    }
  });
});

describe('settings', () => {
  it('change what is given and leave the rest', async () => {
    const settings = { maxFail: 3, counterWindow: 20, syncWindow: 100, description: ' my phone ' };
    await service.set(admin, { serial: 'T1' }, settings);
    expect(await stored('T1')).toMatchObject({
      maxFail: 3,
      counterWindow: 20,
      syncWindow: 100,
      description: 'my phone',
      failCount: 7,
    });
  });

  it('seal PINs for this token and no other, and never show them', async () => {
    await service.set(admin, { serial: 'T1' }, { pin: '1234', ocraPin: '5678' });
    const shown = await service.show(admin, 'T1');
    expect(JSON.stringify({ ...shown, counter: 0 })).not.toMatch(/1234|5678/);
    const { pin, ocraPin, seed } = (await stored('T1')).secrets;
    expect(pin && checkPin(vault.open(pin, 'pin', 'T1'), '1234')).toBe(true);
    expect(ocraPin && vault.open(ocraPin, 'ocra-pin', 'T1').toString()).toBe('5678');
    expect(() => pin && vault.open(pin, 'pin', 'T2')).toThrow('altered or is not where it belongs');
    expect(seed?.toString()).toBe('seed');
  });

  it('leave PINs alone until one is removed by that act', async () => {
    await service.set(admin, { serial: 'T1' }, { pin: '1234', ocraPin: '5678' });
    for (const empty of [{ pin: '' }, { ocraPin: '' }]) {
      expect((await eventualRefusal(service.set(admin, { serial: 'T1' }, empty))).code).toBe(
        'parameter.invalid',
      );
    }
    await service.removePin(admin, { serial: 'T1' }, 'ocraPin');
    expect((await stored('T1')).secrets).toMatchObject({ pin: expect.anything(), ocraPin: null });
    await service.removePin(admin, { serial: 'T1' }, 'pin');
    expect((await stored('T1')).secrets.pin).toBeNull();
    expect((await service.show(admin, 'T1')).hasPin).toBe(false);
    expect((await held.acts()).map(({ action }) => action)).toEqual([
      'token/set',
      'token/remove-ocra-pin',
      'token/remove-pin',
    ]);
  });

  it.each<[TokenSettings, string]>([
    [{}, 'parameter.missing'],
    [{ maxFail: 0 }, 'parameter.invalid'],
    [{ maxFail: 1_000_001 }, 'parameter.invalid'],
    [{ counterWindow: 1_001 }, 'parameter.invalid'],
    [{ syncWindow: 0.5 }, 'parameter.invalid'],
    [{ pin: 'x'.repeat(256) }, 'parameter.invalid'],
    [{ pin: ' ' }, 'parameter.invalid'],
    [{ ocraPin: 'x'.repeat(256) }, 'parameter.invalid'],
    [{ description: 'a\0b' }, 'parameter.invalid'],
  ])('%j are refused with %s', async (settings, code) => {
    expect((await eventualRefusal(service.set(admin, { serial: 'T1' }, settings))).code).toBe(code);
    expect(await held.acts()).toEqual([]);
  });
});
