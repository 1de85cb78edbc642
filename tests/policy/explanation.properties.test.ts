import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { AccessControl } from '../../src/policy/access-control.ts';
import { decideRight, type PolicyBase, type Right } from '../../src/policy/granting.ts';
import type { Principal } from '../../src/policy/caller.ts';
import {
  explainRight,
  explainValue,
  type Obstacle,
  type PolicyVerdict,
} from '../../src/policy/explanation.ts';
import { policyValue, ReadPolicy } from '../../src/policy/read-policy.ts';
import type { Policy } from '../../src/policy/stored-policy.ts';
import { ServiceError } from '../../src/kernel/errors.ts';
import { configurationOf } from '../support/values/configuration-value.ts';

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
