import { describe, expect, it } from '@jest/globals';
import type { Principal } from '../../src/policy/caller.ts';
import { decideRight, allRights } from '../../src/policy/granting.ts';
import { explainRight, explainValue } from '../../src/policy/explanation.ts';
import { changeOfRights } from '../../src/consequences/configuration-consequences.ts';
import { policyValue, ReadPolicy } from '../../src/policy/read-policy.ts';
import type { Policy } from '../../src/policy/stored-policy.ts';

const AT = new Date(2026, 10, 20, 14, 35);
const BOSS: Principal = { administrator: 'boss', rights: ['*'], operator: false, client: '10.0.0.5' };

/** Policies, and the number of readings of their texts from now on. */
function counted(drafts: readonly Policy[]): { policies: readonly ReadPolicy[]; readings: () => number } {
  let readings = 0;
  const policies = drafts.map((draft) => {
    const policy = new ReadPolicy(draft);
    for (const field of ['action', 'realm', 'user', 'client', 'time'] as const) {
      Object.defineProperty(policy, field, {
        get: () => {
          readings += 1;
          return draft[field];
        },
      });
    }
    return policy;
  });
  return { policies, readings: () => readings };
}

const DRAFTS = Array.from({ length: 300 }, (_none, place): Policy => ({
  name: `p${place}`,
  active: true,
  realm: '*',
  client: '10.0.0.0/8',
  time: '* * * * * *',
  ...(place % 3 === 0
    ? { scope: 'authentication', action: 'otppin=1', user: '*' }
    : { scope: 'admin', action: 'show, enable', user: `helpdesk-${place}, boss` }),
}));

describe('a policy that was read', () => {
  it('is not read again by decisions, values and comparisons of rights', () => {
    const { policies, readings } = counted(DRAFTS);
    const base = { policies, realms: [], resolvers: [] };
    for (const right of allRights()) {
      decideRight(base, BOSS, right, AT);
    }
    const question = { scope: 'authentication', action: 'otppin', realms: ['office'], at: AT } as const;
    expect(policyValue(policies, { ...question, client: '10.0.0.5' })).toEqual(['1']);
    const names = Array.from({ length: 200 }, (_none, place) => `helpdesk-${place}`);
    expect(changeOfRights(policies, policies.slice(2), names).lost).toEqual([
      { administrators: ['helpdesk-1'], rights: ['admin:*'] },
    ]);
    expect(readings()).toBe(0);
  });

  it('is not read again by explanations, but for their words', () => {
    const { policies, readings } = counted(DRAFTS);
    const base = { policies, realms: [], resolvers: [] };
    const explainAll = () => {
      for (const right of allRights()) {
        explainRight(base, BOSS, right, AT, 'office');
      }
      explainValue(policies, {
        scope: 'authentication',
        action: 'otppin',
        realms: ['office'],
        at: AT,
        client: '10.0.0.5',
      });
    };
    explainAll();
    const first = readings();
    explainAll();
    expect(readings()).toBe(first);
  });

  it('is the stored policy for everybody else: its JSON and a comparison have no more', () => {
    expect(DRAFTS.map((draft) => new ReadPolicy(draft))).toEqual(DRAFTS);
    expect(JSON.stringify(DRAFTS.map((draft) => new ReadPolicy(draft)))).toBe(
      JSON.stringify(
        DRAFTS.map(({ name, scope, action, realm, user, client, time, active }) => ({
          name,
          scope,
          action,
          realm,
          user,
          client,
          time,
          active,
        })),
      ),
    );
  });
});
