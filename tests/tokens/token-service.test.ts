import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AccessControl } from '../../src/policy/access-control.ts';
import { checkPolicy } from '../../src/policy/policy.ts';
import type { Owner } from '../../src/users/user.ts';
import { TokenService } from '../../src/tokens/token-service.ts';
import { UserDirectory } from '../../src/users/user-directory.ts';
import { systemRandom } from '../../src/kernel/system-random.ts';
import { Vault } from '../../src/keys/vault.ts';
import { callerNamed } from '../support/values/callers.ts';
import { eventualRefusal } from '../support/values/refusal.ts';
import { GivenConfiguration } from '../support/values/configuration-value.ts';
import { TokenDatabase } from './token-database.ts';
import { tokenValue } from '../support/values/token-values.ts';
import { sourcesHolding } from '../support/application/user-sources.ts';

const ANNA: Owner = { resolverId: '1', resolver: 'res', userId: 'anna-id', login: 'anna' };
const CAROL: Owner = { resolverId: '2', resolver: 'other', userId: 'carol-id', login: 'carol' };
/** Bound to the realms alpha and gamma. */
const bound = callerNamed('bound');

const vault = new Vault({ keys: [Buffer.alloc(32, 1)], random: systemRandom });
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

describe('a change', () => {
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
});
