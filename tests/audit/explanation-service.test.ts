import { beforeEach, describe, expect, it } from '@jest/globals';
import { ExplanationService, type RightsExplanation } from '../../src/audit/explanation-service.ts';
import { checkPolicy, type PolicyDraft } from '../../src/policy/policy.ts';
import type { PolicyChange, RefusedRight } from '../../src/audit/refused-right-search.ts';
import { eventualRefusal } from '../support/values/refusal.ts';
import { GivenConfiguration } from '../support/values/configuration-value.ts';
import { OPERATOR } from '../support/values/callers.ts';

const NOW = new Date(2026, 10, 20, 14, 35);
const AT_NIGHT = new Date(2026, 10, 20, 3, 0);
const clock = { now: () => NOW };
const DESK = { name: 'desk', scope: 'admin', action: 'show, reset', realm: 'office', user: 'anna' };
const CHANGE: PolicyChange = { policy: 'desk', kind: 'set', administrator: 'bert', at: NOW };

let refusal: RefusedRight | undefined;
let service: ExplanationService;

function withPolicies(...drafts: readonly PolicyDraft[]): ExplanationService {
  return new ExplanationService({
    configuration: new GivenConfiguration({
      realms: ['office', 'lab'].map((name) => ({ name, resolvers: [] })),
      resolvers: [{ name: 'staff' }],
      policies: drafts.map((draft) => checkPolicy(draft)),
    }),
    administrators: { list: () => Promise.resolve([{ name: 'bert' }, { name: 'anna' }]) },
    readRefusals: () => ({
      find: () => Promise.resolve(refusal),
      policyChangesSince: () => Promise.resolve([CHANGE]),
    }),
    clock,
  });
}

beforeEach(() => {
  refusal = undefined;
  service = withPolicies(DESK);
});

function explained({ rights }: RightsExplanation, name: string): object | undefined {
  const found = rights.find(({ scope, action }) => `${scope}:${action}` === name);
  return (
    found && {
      isAllowed: found.isAllowed,
      realms: found.reason === 'none' ? undefined : found.realms,
      why: found.policies.map(({ policy, obstacles }) => [policy, ...obstacles.map(({ text }) => text)]),
    }
  );
}

describe('what an administrator may do', () => {
  it('with the policies that give it, and what is in the way of the others', async () => {
    service = withPolicies(
      DESK,
      { ...DESK, name: 'day', realm: '*', client: '10.0.0.0/8', time: '* 8-17 * * * *' },
      { ...DESK, name: 'everybody', user: '*' },
      { ...DESK, name: 'off', active: false },
      { ...DESK, name: 'other', user: 'bert' },
    );
    const question = { administrator: 'anna', time: AT_NIGHT.toISOString(), client: '192.0.2.7' };
    expect(explained(await service.explainRights(question), 'admin:show')).toEqual({
      isAllowed: true,
      realms: ['office'],
      why: [
        ['day', 'it is for the clients 10.0.0.0/8', 'it holds at * 8-17 * * * *'],
        ['desk'],
        ['everybody', 'policies that name anna come before it: day and desk'],
        ['off', 'it is switched off'],
        ['other', 'it is for the users bert'],
      ],
    });
  });

  it('with the first ones of very many policies that come before another one', async () => {
    const many = Array.from({ length: 60 }, (_none, place) => ({ ...DESK, name: `desk${place}` }));
    service = withPolicies(...many, { ...DESK, name: 'everybody', user: '*' });
    const found = await service.explainRights({ administrator: 'anna' });
    const shown = found.rights.find(({ action }) => action === 'show')?.policies ?? [];
    expect(shown.find(({ policy }) => policy === 'everybody')?.obstacles).toEqual([
      {
        kind: 'precedence',
        text: 'policies that name anna come before it: desk0, desk1, desk10, desk11 and 56 others',
      },
    ]);
  });

  it('for people who sign in by single sign-on, by their groups', async () => {
    service = withPolicies({ ...DESK, user: 'group:desk' }, { ...DESK, name: 'all', user: '*' });
    const zoe = { administrator: 'oidc:zoe', groups: ['desk'] };
    expect(explained(await service.explainRights(zoe), 'admin:show')).toEqual({
      isAllowed: true,
      realms: ['office'],
      why: [
        ['all', 'a policy for everybody does not include people who signed in by single sign-on'],
        ['desk'],
      ],
    });
    const without = await service.explainRights({ administrator: 'oidc:zoe' });
    expect(without.isKnown).toBe(true);
    expect(explained(without, 'admin:show')).toMatchObject({ isAllowed: false });
  });

  it.each([
    ['realm.unknown', { administrator: 'anna', realm: 'attic' }],
    ['parameter.invalid', { administrator: 'anna', client: 'here' }],
    ['parameter.invalid', { administrator: 'anna', groups: ['desk'] }],
    ['parameter.invalid', { administrator: ' ' }],
  ] as const)('is refused with %s where the question makes no sense', async (code, question) => {
    expect((await eventualRefusal(service.explainRights(question))).code).toBe(code);
  });
});

describe('the values for the owner of a token', () => {
  it('with the policies that give them', async () => {
    const pin = { scope: 'authentication', action: 'otppin=1' };
    service = withPolicies(
      { ...pin, name: 'lab', realm: 'lab' },
      { ...pin, name: 'one', action: 'otppin=2', realm: 'office', user: 'zoe' },
      { ...pin, name: 'staff', realm: '*', user: 'staff:' },
    );
    const { values } = await service.explainValues({ user: 'zoe', realm: 'office' });
    expect(values.find(({ action }) => action === 'otppin')).toMatchObject({
      values: ['2'],
      policies: [
        { policy: 'lab', value: '1', obstacles: [{ kind: 'realm' }] },
        { policy: 'one', value: '2', applies: true },
        { policy: 'staff', value: '1', obstacles: [{ kind: 'user' }] },
      ],
    });
    const other = await service.explainValues({ user: 'bob', resolver: 'staff', realm: 'office' });
    expect(other.values.find(({ action }) => action === 'otppin')?.values).toEqual(['1']);
  });
});

describe('a refusal', () => {
  const REFUSED: RefusedRight = {
    requestId: 'r1',
    administrator: 'anna',
    endpoint: 'admin/init',
    realm: 'Office',
    right: { scope: 'admin', action: 'init' },
    isByApiToken: false,
    client: '10.0.0.5',
    at: AT_NIGHT,
  };

  it('is explained for its actor, right, client, realm and time, with the changes since then', async () => {
    refusal = REFUSED;
    const found = await service.explainRefusal(OPERATOR, 'r1');
    expect(found).toMatchObject({
      administrator: 'anna',
      client: '10.0.0.5',
      realm: 'office',
      at: AT_NIGHT,
      changes: [CHANGE],
      rights: [{ scope: 'admin', action: 'init', isAllowed: false }],
    });
    expect(found.rights).toHaveLength(1);
  });
});

describe('the names', () => {
  it('are those of the code and of the configuration', async () => {
    service = withPolicies({ ...DESK, user: 'anna, !group:boss, group:desk' });
    const names = await service.names();
    expect(names).toMatchObject({
      realms: ['lab', 'office'],
      resolvers: ['staff'],
      groups: ['boss', 'desk'],
      administrators: ['anna', 'bert'],
    });
    expect(names.scopes.find(({ name }) => name === 'ocra')).toMatchObject({
      isOpen: false,
      hasWildcard: true,
      requiresRealm: false,
      actions: [{ name: 'request', meaning: 'issue challenges' }, {}, {}, {}, {}],
    });
  });
});
