import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { grantedActions, grantingPolicies } from '../../src/policy/granting.ts';
import { knownActions } from '../../src/policy/policy-actions.ts';
import { ReadPolicy } from '../../src/policy/read-policy.ts';
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
        (drafts, administrator) => {
          const policies = drafts.map((draft) => new ReadPolicy(draft));
          for (const scope of RIGHT_SCOPES) {
            const asked = knownActions(scope).filter((action) => {
              const granting = grantingPolicies(policies, { administrator }, { scope, action });
              return granting === 'open' || granting.length > 0;
            });
            expect([...grantedActions(policies, administrator, scope)]).toEqual(asked);
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});
