import { describe, expect, it } from '@jest/globals';
import { checkPolicy, type PolicyDraft } from '../../src/policy/policy.ts';
import { policyValue, type PolicyValueQuestion, ReadPolicy } from '../../src/policy/read-policy.ts';
import type { PolicySubject, UserMatch } from '../../src/policy/policy-conditions.ts';
import type { Policy } from '../../src/policy/stored-policy.ts';
import { refusalOf } from '../support/values/refusal.ts';

const DRAFT: PolicyDraft = { name: 'p', scope: 'ocra', action: 'request', user: 'alice' };
const AT = new Date(2026, 10, 20, 14, 35);

describe('a policy that somebody writes', () => {
  it('is trimmed, and what is left out is filled in', () => {
    expect(checkPolicy({ name: ' p ', scope: ' ocra ', action: ' request ', user: ' alice ' })).toEqual({
      name: 'p',
      scope: 'ocra',
      action: 'request',
      user: 'alice',
      realm: '*',
      client: '',
      time: '',
      active: true,
    });
    expect(checkPolicy({ name: 'url', scope: 'authentication', action: 'otppin=1', realm: 'r' }).user).toBe(
      '*',
    );
  });

  it.each<[string, Partial<PolicyDraft>, string]>([
    [
      'an unknown scope',
      { scope: 'ocre' },
      "Unknown scope 'ocre': did you mean ocra? Known: admin, system, monitoring, ocra, authentication, selfservice.",
    ],
    [
      'an unknown action',
      { action: 'x' },
      "Unknown action 'x' in scope ocra. Known: request, status, activationcode, calcOTP, secondfactor, *.",
    ],
    ['a bad network', { client: '10.0.0.0/99' }, "'10.0.0.0/99' is not a client."],
    ['a bad time', { time: 'always' }, "'always' is not a time"],
    ['a bad pattern', { user: '*x' }, "'*' has nothing to repeat"],
    ['no user', { user: ' , ' }, "Name the users of the policy, or '*' for everybody"],
    ['no realm', { scope: 'monitoring', action: 'tokens' }, "Name the realms of the policy, or '*' for all"],
    ['no realm', { scope: 'admin', action: 'init' }, "Name the realms of the policy, or '*' for all"],
    [
      'no realm',
      { scope: 'authentication', action: 'otppin=1' },
      "Name the realms of the policy, or '*' for all",
    ],
    ['no user', { user: undefined }, "Name the users of the policy, or '*' for everybody"],
    ['no user', { user: undefined, scope: 'system' }, "Name the users of the policy, or '*' for everybody"],
    ['a name too long', { name: 'p'.repeat(129) }, 'The name of a policy has 1 to 128 letters'],
    [
      'a scope of 101 letters',
      { scope: 'x'.repeat(101) },
      `Unknown scope '${'x'.repeat(100)}…'. Known: admin, system, monitoring, ocra, authentication, selfservice.`,
    ],
    ['a scope of 100 letters', { scope: 'x'.repeat(100) }, `Unknown scope '${'x'.repeat(100)}'.`],
    ['a name of blanks', { name: '  ' }, 'The name of a policy has 1 to 128 letters'],
    ['a name with a path', { name: '../p' }, 'The name of a policy has 1 to 128 letters'],
    ['a control character', { user: 'a\0b' }, 'The user of a policy has at most 4096 characters'],
    ['half of a character', { realm: '\ud800' }, 'The realm of a policy has at most 4096 characters'],
    [
      'an endless list',
      { client: '10.0.0.1,'.repeat(1000) },
      'The client of a policy has at most 4096 characters',
    ],
  ])('is refused for %s, and the text says so', (_what, change, message) => {
    const refusal = refusalOf(() => checkPolicy({ ...DRAFT, ...change }));
    expect(refusal.code).toBe('policy.invalid');
    expect(refusal.message).toContain(message);
  });
});

describe('a policy of the longest fields', () => {
  it('is kept', () => {
    const action = `request${','.repeat(4_096 - 14)}request`;
    expect(checkPolicy({ ...DRAFT, name: 'p'.repeat(128), action }).action).toHaveLength(4_096);
  });
});

interface PolicyQuestion {
  readonly action: string;
  readonly subject: PolicySubject;
  readonly client: string;
  readonly at: Date;
}

function matchPolicy(policy: Policy, { action, subject, client, at }: PolicyQuestion): UserMatch {
  const read = new ReadPolicy(policy);
  return read.holds(client, at) ? read.means(action, subject) : 'nobody';
}

describe('a policy and a question', () => {
  const policy = checkPolicy({ ...DRAFT, client: '10.0.0.0/8', time: '* 14 * * * *' });
  const question: PolicyQuestion = {
    action: 'request',
    subject: { login: 'alice', realms: [], resolver: undefined },
    client: '10.1.1.1',
    at: AT,
  };

  it('fit when action, user, client and time do', () => {
    expect(matchPolicy(policy, question)).toBe('named');
    expect(matchPolicy({ ...policy, action: '*' }, question)).toBe('named');
    expect(matchPolicy({ ...policy, action: 'request, unheard' }, question)).toBe('named');
    expect(matchPolicy({ ...policy, user: '*' }, question)).toBe('everybody');
  });

  it.each<[string, Partial<Policy>, Partial<PolicyQuestion>]>([
    ['it is switched off', { active: false }, {}],
    ['another action is asked for', {}, { action: 'status' }],
    ['somebody else asks', {}, { subject: { login: 'bob', realms: [], resolver: undefined } }],
    ['the client is elsewhere', {}, { client: '11.1.1.1' }],
    ['the client is not known', {}, { client: '' }],
    ['it is another time', {}, { at: new Date(2026, 10, 20, 15, 35) }],
    ['its time cannot be read', { time: 'whenever' }, {}],
    ['its clients cannot be read', { client: 'here' }, {}],
    ['its users cannot be read', { user: '*alice' }, {}],
    ['an action may bound another one', { action: 'request, !unheard' }, {}],
    ['it names no user', { user: '' }, {}],
  ])('do not when %s', (_what, change, requested) => {
    expect(matchPolicy({ ...policy, ...change }, { ...question, ...requested })).toBe('nobody');
  });

  it('fit by user and action whatever the time and the client', () => {
    const means = (change: Partial<Policy>) =>
      new ReadPolicy({ ...policy, ...change }).means('request', question.subject);
    expect(means({ time: '* * * * * 1990', client: '11.0.0.0/8' })).toBe('named');
    expect(means({ active: false })).toBe('nobody');
  });

  it('leave the realms aside, which are read without regard to case', () => {
    const realmsOf = (realm: string) => new ReadPolicy({ ...policy, realm }).realms;
    expect(realmsOf(' A , b ')).toEqual(['a', 'b']);
    expect(realmsOf('a, *')).toBe('all');
    expect(realmsOf('')).toEqual([]);
  });
});

describe('a value of the scope authentication', () => {
  const url = (name: string, value: string, change: Partial<PolicyDraft> = {}): Policy =>
    checkPolicy({
      name,
      scope: 'authentication',
      action: `qrtanurl=${value}`,
      realm: '*',
      ...change,
    });
  const valueOf = (policies: readonly Policy[], question: PolicyValueQuestion): readonly string[] =>
    policyValue(
      policies.map((policy) => new ReadPolicy(policy)),
      question,
    );
  const ONE = 'https://one.example/';
  const TWO = 'https://two.example/';
  const requested: PolicyValueQuestion = {
    scope: 'authentication',
    action: 'qrtanurl',
    realms: ['mine'],
    at: AT,
  };

  it('comes from the policies for the realms of the token', () => {
    expect(valueOf([url('a', ONE, { realm: 'Mine, other' })], requested)).toEqual([ONE]);
    expect(valueOf([url('a', ONE, { realm: 'other' })], requested)).toEqual([]);
    expect(valueOf([url('a', ONE)], { ...requested, realms: [] })).toEqual([ONE]);
  });

  it('is told once where policies agree, and all of them where they do not', () => {
    expect(valueOf([url('a', ONE), url('b', ONE)], requested)).toEqual([ONE]);
    expect(valueOf([url('a', TWO), url('b', ONE)], requested)).toEqual([ONE, TWO]);
  });

  it('of a policy for some users counts for their tokens only', () => {
    const policies = [url('a', ONE, { user: 'alice, res:' })];
    expect(valueOf(policies, { ...requested, user: 'alice' })).toEqual([ONE]);
    expect(valueOf(policies, { ...requested, user: 'bob', resolver: 'res' })).toEqual([ONE]);
    expect(valueOf(policies, { ...requested, user: 'bob', resolver: 'other' })).toEqual([]);
    expect(valueOf(policies, requested)).toEqual([]);
    expect(valueOf([url('a', ONE, { user: '.*' })], requested)).toEqual([]);
  });

  it('is not taken from other scopes, actions, switched off or unreadable policies', () => {
    const policies = [
      url('a', ONE, { active: false }),
      url('b', ONE, { action: 'otppin=1' }),
      url('c', ONE, { client: '10.0.0.0/8' }),
      url('d', ONE, { time: '* * * * * 1990' }),
      { ...url('e', ONE), action: `qrtanurl=${ONE}, unheard` },
      { ...url('f', ONE), scope: 'ocra' as const },
      { ...url('g', ONE), scope: 'monitoring' as const },
      { ...url('h', ONE), scope: 'ocra' as const, action: '*' },
    ];
    expect(valueOf(policies, requested)).toEqual([]);
  });
});
