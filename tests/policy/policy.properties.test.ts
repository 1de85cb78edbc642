import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ServiceError } from '../../src/kernel/errors.ts';
import { AccessControl } from '../../src/policy/access-control.ts';
import type { Principal } from '../../src/policy/caller.ts';
import {
  type Obstacle,
  type PolicyVerdict,
  explainRight,
  explainValue,
} from '../../src/policy/explanation.ts';
import {
  type PolicyBase,
  type Right,
  decideRight,
  grantedActions,
  grantingPolicies,
} from '../../src/policy/granting.ts';
import { knownActions, readActions } from '../../src/policy/policy-actions.ts';
import { readClients, readTimes, readUsers } from '../../src/policy/policy-conditions.ts';
import { checkPolicy } from '../../src/policy/policy.ts';
import { ReadPolicy, policyValue } from '../../src/policy/read-policy.ts';
import { POLICY_SCOPES, type Policy, RIGHT_SCOPES } from '../../src/policy/stored-policy.ts';
import { anyText } from '../support/values/any-text.ts';
import { configurationOf } from '../support/values/configuration-value.ts';

/** Texts as people and attackers write them: of the signs that the readers know, and of any others. */
const text = fc.oneof(
  anyText({ maxLength: 60 }),
  fc.string({ unit: fc.constantFrom(...Array.from('*,;!-/:@=.()[]|+?\\^$"\' 0159afxyz')), maxLength: 60 }),
  fc.constantFrom('*', '* * * * * *;', '10.0.0.0/8', 're.*', 'request, status', 'a@b', 'res:'),
);
const subject = fc.record({
  login: fc.oneof(text, fc.constantFrom('alice', '')),
  realms: fc.array(fc.constantFrom('alpha', 'beta'), { maxLength: 2 }),
  resolver: fc.option(fc.constantFrom('res', ''), { nil: undefined }),
});
const at = fc.date({ min: new Date(1980, 0, 1), max: new Date(2090, 0, 1), noInvalidDate: true });

/** @returns the outcome; anything but a refusal with a reason fails the test */
function attempt<Value>(work: () => Value): Value | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof ServiceError && error.message.length < 10_000) {
      return undefined;
    }
    throw error;
  }
}

describe('whatever somebody writes into a policy', () => {
  it('is read or refused with a reason, and what was read answers every question', () => {
    fc.assert(
      fc.property(text, subject, text, at, (written, who, client, when) => {
        const users = attempt(() => readUsers(written));
        expect(['everybody', 'named', 'nobody', undefined]).toContain(users?.(who));
        expect([true, false, undefined]).toContain(attempt(() => readClients(written))?.(client));
        expect([true, false, undefined]).toContain(attempt(() => readTimes(written))?.(when));
        for (const scope of POLICY_SCOPES) {
          attempt(() => readActions(scope, written));
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('is kept only if it can be read again', () => {
    const draft = fc.record({
      name: text,
      scope: fc.oneof(fc.constantFrom(...POLICY_SCOPES), text),
      action: text,
      realm: text,
      user: text,
      client: text,
      time: text,
      active: fc.boolean(),
    });
    fc.assert(
      fc.property(draft, (written) => {
        const policy = attempt(() => checkPolicy(written));
        if (policy !== undefined) {
          expect(checkPolicy(policy)).toEqual(policy);
        }
      }),
      { numRuns: 1000 },
    );
  });
});

describe('whatever stands in the database in place of a policy', () => {
  const policy: fc.Arbitrary<Policy> = fc.record({
    name: text,
    scope: fc.constantFrom(...POLICY_SCOPES),
    action: text,
    realm: text,
    user: text,
    client: text,
    time: text,
    active: fc.boolean(),
  });

  it('never breaks a decision, and switched off gives nothing', () => {
    fc.assert(
      fc.property(policy, subject, text, at, (kept, who, client, when) => {
        const read = new ReadPolicy(kept);
        expect(['everybody', 'named', 'nobody']).toContain(read.means('request', who));
        expect([true, false]).toContain(read.holds(client, when));
        const off = new ReadPolicy({ ...kept, active: false });
        expect(off.means('request', who)).toBe('nobody');
        expect(off.holds(client, when)).toBe(false);
      }),
    );
  });
});

describe('clients', () => {
  it('are in a network when its first bits are theirs', () => {
    const bytes = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(255));
    const number = (address: readonly number[]): number => address.reduce((sum, byte) => sum * 256 + byte, 0);
    fc.assert(
      fc.property(
        bytes,
        bytes,
        fc.integer({ min: 0, max: 32 }),
        fc.boolean(),
        (network, host, prefix, near) => {
          const client = near ? network.map((byte, index) => (index < 3 ? byte : host[3])) : host;
          const size = 2 ** (32 - prefix);
          const expected = Math.floor(number(network) / size) === Math.floor(number(client) / size);
          const reads = readClients(`${network.join('.')}/${prefix}`);
          expect(reads(client.join('.'))).toBe(expected);
          expect(reads(`::ffff:${client.join('.')}`)).toBe(expected);
          expect(readClients(`*, -${network.join('.')}/${prefix}`)(client.join('.'))).toBe(!expected);
        },
      ),
    );
  });
});

describe('times', () => {
  it('that spell out an instant hold then, and not a minute, day or year later', () => {
    fc.assert(
      fc.property(at, (when) => {
        const fields = [
          when.getMinutes(),
          when.getHours(),
          when.getDate(),
          when.getMonth() + 1,
          when.getDay(),
        ];
        const holds = readTimes(`${fields.join(' ')} ${when.getFullYear()}`);
        expect(holds(when)).toBe(true);
        expect(holds(new Date(when.getTime() + 60_000))).toBe(false);
        expect(holds(new Date(when.getTime() + 86_400_000))).toBe(false);
        expect(readTimes('* * * * * *')(when)).toBe(true);
      }),
    );
  });
});

const AT = new Date(2026, 10, 20, 14, 35);
const access = new AccessControl({ clock: { now: () => AT } });
const REALMS = ['alpha', 'beta', 'gamma'];

/** Policies of few scopes and people, so that most of them meet; some of them cannot be read. */
const policy = fc.record({
  scope: fc.constantFrom('admin', 'system', 'ocra', 'monitoring', 'enrollment'),
  action: fc.constantFrom('*', 'read, write', 'show, enable', 'request', 'tokens', 'nonsense'),
  realm: fc.constantFrom('*', 'alpha', 'Alpha, beta', 'nowhere'),
  user: fc.constantFrom(
    '*',
    'alice',
    'bert, alice',
    '!alice',
    'group:desk',
    'oidc:zoe',
    'al.*',
    '((',
    'res:',
  ),
  client: fc.constantFrom('', '*', '192.0.2.0/24', '10.0.0.0/8', '!192.0.2.7', 'x'),
  time: fc.constantFrom('', '* 8-17 * * * *', '* * * * 6 *', 'never'),
  active: fc.boolean(),
});
const base = fc.array(policy, { maxLength: 6 }).map((parts) =>
  configurationOf({
    realms: REALMS.map((name) => ({ name, resolvers: [] })),
    policies: parts.map((one, index) => ({ name: `p${index}`, ...one })),
  }),
);
const principal = fc
  .record({
    who: fc.constantFrom(
      { administrator: 'alice' },
      { administrator: 'carol' },
      { administrator: 'oidc:zoe', groups: [] },
      { administrator: 'oidc:yan', groups: ['desk'] },
    ),
    rights: fc.constantFrom(['*'], ['ocra:*']),
    client: fc.constantFrom('192.0.2.7', '10.1.2.3', ''),
  })
  .map(({ who, ...rest }): Principal => ({ ...who, ...rest, operator: false }));
const right = fc.constantFrom<Right>(
  { scope: 'admin', action: 'show' },
  { scope: 'system', action: 'write' },
  { scope: 'ocra', action: 'request' },
  { scope: 'monitoring', action: 'tokens' },
);
const realm = fc.option(fc.constantFrom(...REALMS), { nil: undefined });

/** @returns the extent of the right by the access control; undefined: refused */
function granted(on: PolicyBase, who: Principal, wanted: Right): 'all' | readonly string[] | undefined {
  try {
    return access.authorize(on, { principal: who, requestId: 'r' }, wanted).realms;
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'right.missing') {
      return undefined;
    }
    throw error;
  }
}

/** @returns the policy without what is in its way */
function mended(one: Policy, obstacles: readonly Obstacle[], who: Principal): ReadPolicy {
  const kinds = obstacles.map(({ kind }) => kind);
  return new ReadPolicy({
    ...one,
    ...(kinds.includes('inactive') && { active: true }),
    ...((kinds.includes('user') || kinds.includes('precedence')) && { user: who.administrator }),
    ...(kinds.includes('client') && { client: '' }),
    ...(kinds.includes('time') && { time: '' }),
    ...(kinds.includes('realm') && { realm: '*' }),
  });
}

function kindsOf({ obstacles }: PolicyVerdict): readonly string[] {
  return obstacles.map(({ kind }) => kind);
}

describe('the rights that policies give', () => {
  it('are those of each single question', () => {
    const administrators = fc.constantFrom('alice', 'bert', 'carol');
    fc.assert(
      fc.property(
        base,
        administrators,
        fc.constantFrom(...RIGHT_SCOPES),
        ({ policies }, administrator, scope) => {
          const asked = knownActions(scope).filter((action) => {
            const granting = grantingPolicies(policies, { administrator }, { scope, action });
            return granting === 'open' || granting.some((policy) => !policy.withholds(action));
          });
          expect([...grantedActions(policies, administrator, scope)]).toEqual(asked);
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('are none where a policy that names the administrator cannot be read, beside one for everybody', () => {
    const own = { scope: 'system', action: 'write', realm: '*', client: '', active: true } as const;
    const policies = [
      new ReadPolicy({ ...own, name: 'named', user: 'alice', time: 'never' }),
      new ReadPolicy({ ...own, name: 'everybody', user: '*', time: '' }),
    ];
    expect([...grantedActions(policies, 'alice', 'system')]).toEqual([]);
    expect([...grantedActions(policies, 'bert', 'system')]).toEqual(['write']);
  });

  it('are never more when one of the policies is out of its time', () => {
    const outOfTime = (one: Policy) => new ReadPolicy({ ...one, time: '* * * * * 1990' });
    const realmsOf = (on: PolicyBase, who: Principal, wanted: Right): readonly string[] => {
      const extent = granted(on, who, wanted);
      return extent === 'all' ? ['some', 'all', ...REALMS] : extent === undefined ? [] : ['some', ...extent];
    };
    fc.assert(
      fc.property(base, principal, right, fc.nat(5), (on, who, wanted, late) => {
        const policies = on.policies.map((one, at) => (at === late ? outOfTime(one) : one));
        const before = realmsOf(on, who, wanted);
        expect(realmsOf({ ...on, policies }, who, wanted).filter((one) => !before.includes(one))).toEqual([]);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('an explanation of a right', () => {
  it('says what the access control decides', () => {
    fc.assert(
      fc.property(base, principal, right, realm, (on, who, wanted, where) => {
        const extent = granted(on, who, wanted);
        const explained = explainRight(on, who, wanted, AT, where);
        expect(explained.reason === 'none' ? undefined : explained.realms).toEqual(
          extent === 'all' ? ['*'] : extent,
        );
        const holdsThere = where === undefined || extent === 'all' || extent?.includes(where) === true;
        expect(explained.isAllowed).toBe(extent !== undefined && holdsThere);
      }),
      { numRuns: 500 },
    );
  });

  it('names exactly the policies that give the right', () => {
    fc.assert(
      fc.property(base, principal, right, (on, who, wanted) => {
        const { policies, reason } = explainRight(on, who, wanted, AT);
        const decision = decideRight(on, who, wanted, AT);
        const applying = policies.filter(({ applies }) => applies).map((one) => one.policy);
        expect(policies.every((one) => one.applies === (one.obstacles.length === 0))).toBe(true);
        if (decision.allowed && reason === 'policies') {
          expect(applying).toEqual(decision.policies.map(({ name }) => name));
        }
      }),
      { numRuns: 500 },
    );
  });

  it('names all that is in the way of a policy, and nothing else', () => {
    fc.assert(
      fc.property(base, principal, right, fc.constantFrom(...REALMS), (on, who, wanted, where) => {
        const explained = explainRight(on, { ...who, rights: ['*'] }, wanted, AT, where);
        for (const verdict of explained.policies.filter(({ applies }) => !applies)) {
          const stored = on.policies.find(({ name }) => name === verdict.policy);
          if (stored === undefined || kindsOf(verdict).includes('unreadable')) {
            continue;
          }
          const verdictOf = (one: ReadPolicy): PolicyVerdict | undefined => {
            const policies = on.policies.map((other) => (other.name === one.name ? one : other));
            return explainRight(
              { ...on, policies },
              { ...who, rights: ['*'] },
              wanted,
              AT,
              where,
            ).policies.find(({ policy: name }) => name === one.name);
          };
          const whole = mended(stored, verdict.obstacles, who);
          expect(verdictOf(whole)).toMatchObject({ applies: true, obstacles: [] });
          const policies = on.policies.map((other) => (other.name === whole.name ? whole : other));
          const extent = granted({ ...on, policies }, { ...who, rights: ['*'] }, wanted);
          expect(extent).toBeDefined();
          // Each of the reasons alone is enough.
          for (const one of verdict.obstacles) {
            const rest = verdict.obstacles.filter((other) => other !== one);
            expect(verdictOf(mended(stored, rest, who))?.applies).toBe(false);
          }
        }
      }),
      { numRuns: 500 },
    );
  });
});

const valuePolicy = fc.record({
  action: fc.constantFrom('otppin=1', 'otppin=2', 'qrtanurl=https://a.example', 'otppin=9'),
  realm: fc.constantFrom('*', 'alpha', 'beta'),
  user: fc.constantFrom('*', 'bert', '*@alpha', 'staff:', '!bert'),
  client: fc.constantFrom('', '10.0.0.0/8'),
  time: fc.constantFrom('', '* * * * 6 *'),
  active: fc.boolean(),
});

describe('an explanation of a value', () => {
  it('says what applies, and that the policies with this value apply', () => {
    const question = fc.record({
      action: fc.constantFrom('otppin', 'qrtanurl'),
      realms: fc.constantFrom([], ['alpha'], ['alpha', 'beta']),
      user: fc.constantFrom('bert', undefined),
      resolver: fc.constantFrom('staff', undefined),
      client: fc.constantFrom('10.1.2.3', ''),
    });
    fc.assert(
      fc.property(fc.array(valuePolicy, { maxLength: 5 }), question, (parts, asked) => {
        const policies = parts.map(
          (one, index) => new ReadPolicy({ name: `p${index}`, scope: 'authentication', ...one }),
        );
        const whole = { ...asked, scope: 'authentication' as const, at: AT };
        const explained = explainValue(policies, whole);
        expect(explained.values).toEqual(policyValue(policies, whole));
        const given = explained.policies.filter(({ applies }) => applies).map(({ value }) => value);
        expect([...new Set(given)].sort()).toEqual(explained.values);
      }),
      { numRuns: 500 },
    );
  });
});
