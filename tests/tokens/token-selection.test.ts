import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AccessControl } from '../../src/policy/access-control.ts';
import { checkPolicy } from '../../src/policy/policy.ts';
import { checkPin } from '../../src/tokens/token-settings.ts';
import type { Owner } from '../../src/users/user.ts';
import type { Token } from '../../src/tokens/token.ts';
import type { TokenSelection } from '../../src/tokens/token-selection.ts';
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
/** Bound to the realm alpha. */
const bound = callerNamed('bound');
const vault = new SecretVault({ keys: [Buffer.alloc(32, 1)], random: systemRandom });

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
    tokenValue('A1', { owner: ANNA, realms: ['alpha'], failCount: 7 }),
    tokenValue('A2', { owner: ANNA, realms: ['beta'], failCount: 8, active: false }),
    tokenValue('C1', { owner: CAROL, realms: ['beta'] }),
    tokenValue('C2', { owner: CAROL, realms: ['beta'], rollout: 'phase1', active: false }),
    tokenValue('N1', { failCount: 3 }),
  ]);
  const configuration = new GivenConfiguration({
    realms: [
      { name: 'alpha', resolvers: ['res'] },
      { name: 'beta', resolvers: ['other'] },
    ],
    resolvers: [
      { id: '1', name: 'res' },
      { id: '2', name: 'other' },
    ],
    policies: [
      checkPolicy({ name: 'all', scope: 'admin', action: '*', realm: '*', user: 'admin' }),
      checkPolicy({ name: 'some', scope: 'admin', action: '*', realm: 'alpha', user: 'bound' }),
    ],
  });
  const users = new UserDirectory({
    sources: sourcesHolding({ 1: ['anna', 'bernd'], 2: ['carol'] }),
  });
  const access = new AccessControl({ clock: { now: () => new Date(0) } });
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

async function stored(serial: string): Promise<Token | undefined> {
  return held.tokens.findBySerial(serial);
}

async function failCounts(): Promise<number[]> {
  return (await held.tokens.list({})).map(({ failCount }) => failCount);
}

describe('a change', () => {
  it.each<[TokenSelection, number[]]>([
    [{ serial: 'A1' }, [0, 8, 0, 0, 3]],
    [{ user: 'anna' }, [0, 0, 0, 0, 3]],
    [{ user: 'anna@alpha' }, [0, 0, 0, 0, 3]],
    [{ user: 'anna', realm: 'ALPHA' }, [0, 0, 0, 0, 3]],
    [{ user: 'anna', resolver: 'res' }, [0, 0, 0, 0, 3]],
    [{ serial: 'A2', user: 'anna' }, [7, 0, 0, 0, 3]],
    [{ serial: 'N1', user: ' ' }, [7, 8, 0, 0, 0]],
  ])('of %j meets these tokens and no others', async (selection, expected) => {
    const count = await service.reset(admin, selection);
    expect(await failCounts()).toEqual(expected);
    expect(await held.acts()).toHaveLength(count);
  });

  it.each<[TokenSelection, string]>([
    [{}, 'parameter.missing'],
    [{ user: ' ' }, 'parameter.missing'],
    [{ serial: '' }, 'token.unknown'],
    [{ serial: '', user: 'anna' }, 'token.unknown'],
    [{ serial: '*' }, 'token.unknown'],
    [{ serial: ' ' }, 'token.unknown'],
    [{ serial: 'A%' }, 'token.unknown'],
    [{ serial: "A1' OR '1'='1" }, 'token.unknown'],
    [{ serial: 'A1\0' }, 'token.unknown'],
    [{ serial: 'C1', user: 'anna' }, 'token.unknown'],
    [{ serial: 'N1', user: 'anna' }, 'token.unknown'],
    [{ user: 'bernd' }, 'token.unknown'],
    [{ user: '*' }, 'user.unknown'],
    [{ user: 'ann%' }, 'user.unknown'],
    [{ user: 'anna', realm: 'beta' }, 'user.unknown'],
    [{ user: 'anna', resolver: 'other' }, 'user.unknown'],
    [{ user: 'anna', resolver: '*' }, 'user.unknown'],
  ])('of %j is refused and meets no token', async (selection, code) => {
    for (const attempt of [
      service.reset(admin, selection),
      service.enable(admin, selection),
      service.disable(admin, selection),
      service.unassign(admin, selection),
      service.remove(admin, selection),
      service.set(admin, selection, { pin: 'x' }),
    ]) {
      expect((await eventualRefusal(attempt)).code).toBe(code);
    }
    expect(await held.acts()).toEqual([]);
  });

  it('meets none of a user when it cannot be done to one', async () => {
    const selection = { user: 'carol', realm: 'beta' };
    await service.disable(admin, { serial: 'C1' });
    expect((await eventualRefusal(service.enable(admin, selection))).code).toBe('token.state');
    expect((await stored('C1'))?.active).toBe(false);
  });

  it('by a bound administrator meets what they may see, and other users do not exist for them', async () => {
    expect(await service.reset(bound, { user: 'anna' })).toBe(1);
    expect(await failCounts()).toEqual([0, 8, 0, 0, 3]);
    expect((await eventualRefusal(service.remove(bound, { serial: 'A2' }))).code).toBe('token.unknown');
    expect((await eventualRefusal(service.remove(bound, { user: 'carol@beta' }))).code).toBe('user.unknown');
    expect((await eventualRefusal(service.remove(callerNamed('x'), { serial: 'A1' }))).code).toBe(
      'right.missing',
    );
  });
});

describe('what can be done', () => {
  it('is to switch off and on, to take away and to remove', async () => {
    expect(await service.disable(admin, { user: 'anna' })).toBe(2);
    expect((await stored('A1'))?.active).toBe(false);
    expect(await service.enable(admin, { user: 'anna' })).toBe(2);
    expect((await stored('A2'))?.active).toBe(true);
    expect(await service.unassign(admin, { serial: 'A1' })).toBe(1);
    expect(await stored('A1')).toMatchObject({ owner: null, realms: ['alpha'] });
    expect(await service.remove(admin, { user: 'carol@beta' })).toBe(2);
    expect(await stored('C1')).toBeUndefined();
    expect((await held.acts()).map(({ action }) => action)).toEqual([
      'token/disable',
      'token/disable',
      'token/enable',
      'token/enable',
      'token/unassign',
      'token/remove',
      'token/remove',
    ]);
  });

  it('is to set the same PIN for all tokens of a user, sealed for each', async () => {
    expect(await service.set(admin, { user: 'anna' }, { pin: 'pön', maxFail: 3 })).toBe(2);
    for (const serial of ['A1', 'A2']) {
      const token = await stored(serial);
      const pin = token?.secrets.pin ?? null;
      expect(token?.maxFail).toBe(3);
      expect(pin !== null && checkPin(vault.open(pin, 'pin', serial), 'pön')).toBe(true);
    }
    const refusal = await eventualRefusal(service.set(admin, { user: 'anna' }, {}));
    expect(refusal.code).toBe('parameter.missing');
  });
});
