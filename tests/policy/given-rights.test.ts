import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { GivenRights } from '../../src/policy/given-rights.ts';
import { grantingPolicies } from '../../src/policy/granting.ts';
import { changeOfRights } from '../../src/policy/lost-rights.ts';
import { knownActions } from '../../src/policy/policy-actions.ts';
import { type Policy, RIGHT_SCOPES } from '../../src/policy/stored-policy.ts';

const NAMES = ['anna', 'bert', 'carl.x'];

const anyPolicy: fc.Arbitrary<Policy> = fc.record({
  name: fc.string(),
  scope: fc.constantFrom(...RIGHT_SCOPES, 'authentication', 'strange'),
  action: fc.constantFrom(
    '*',
    'show',
    'show, enable',
    'read',
    'read, write',
    'tokenlist',
    'tokens',
    'nonsense',
    '',
  ),
  realm: fc.constantFrom('*', 'office'),
  user: fc.constantFrom(
    '*',
    'anna',
    'anna, bert',
    '!anna',
    'an.*',
    '*, !bert',
    '(',
    'group:anna',
    'oidc:anna',
  ),
  client: fc.constantFrom('', '10.0.0.0/8'),
  time: fc.constantFrom('', '* * * * * 2001;'),
  active: fc.boolean(),
});

describe('the rights that policies give', () => {
  it('are those of each single question', () => {
    fc.assert(
      fc.property(
        fc.array(anyPolicy, { maxLength: 6 }),
        fc.constantFrom(...NAMES),
        (policies, administrator) => {
          const given = new GivenRights(policies);
          for (const scope of RIGHT_SCOPES) {
            const asked = knownActions(scope).filter((action) => {
              const granting = grantingPolicies(policies, { administrator }, { scope, action });
              return granting === 'open' || granting.length > 0;
            });
            expect([...given.of(administrator, scope)]).toEqual(asked);
          }
        },
      ),
      { numRuns: 500 },
    );
  });

  it('are compared in a time that does not hold up other requests', () => {
    let reads = 0;
    const policies = Array.from({ length: 300 }, (_none, place): Policy => ({
      ...{ name: `p${place}`, scope: 'admin', action: 'show, enable', realm: '*', client: '', time: '' },
      active: true,
      get user() {
        reads += 1;
        return `helpdesk-${place}, boss`;
      },
    }));
    const names = Array.from({ length: 200 }, (_none, place) => `helpdesk-${place}`);
    const { lost } = changeOfRights(policies, policies.slice(1), names);
    expect(lost).toEqual([{ administrators: ['helpdesk-0'], rights: ['admin:*'] }]);
    // A reading of each policy for each administrator and action would be two million.
    expect(reads).toBeLessThan(2 * policies.length);
  });
});
