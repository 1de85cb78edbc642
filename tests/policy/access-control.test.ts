import { describe, expect, it } from '@jest/globals';
import { AccessControl } from '../../src/policy/access-control.ts';
import type { Right } from '../../src/policy/granting.ts';
import type { Caller } from '../../src/policy/caller.ts';
import { checkPolicy, type PolicyDraft } from '../../src/policy/policy.ts';
import type { Configuration } from '../../src/configuration/configuration.ts';
import { callerNamed, OPERATOR } from '../support/values/callers.ts';
import { refusalOf } from '../support/values/refusal.ts';
import { configurationOf } from '../support/values/configuration-value.ts';

const AT = new Date(2026, 10, 20, 14, 35);
const access = new AccessControl({ clock: { now: () => AT } });
const REALMS = ['alpha', 'beta', 'gamma'].map((name) => ({ name, resolvers: [] }));
const TOKENS: Right = { scope: 'monitoring', action: 'tokens' };
const REQUEST: Right = { scope: 'ocra', action: 'request' };
const ENABLE: Right = { scope: 'admin', action: 'enable' };
const WRITE: Right = { scope: 'system', action: 'write' };
const alice = callerNamed('alice');

function withPolicies(...drafts: readonly Partial<PolicyDraft>[]): Configuration {
  const policies = drafts.map((draft, index) =>
    checkPolicy({ name: `p${index}`, scope: 'monitoring', action: '*', realm: '*', user: '*', ...draft }),
  );
  return configurationOf({ realms: REALMS, policies });
}

function outcome(configuration: Configuration, right: Right, caller: Caller = alice): unknown {
  try {
    return access.authorize(configuration, caller, right).realms;
  } catch {
    return refusalOf(() => access.authorize(configuration, caller, right)).code;
  }
}

describe('without any policy', () => {
  it('monitoring and administration are open to every administrator, /ocra to none', () => {
    const configuration = withPolicies();
    expect([TOKENS, ENABLE, WRITE].map((right) => outcome(configuration, right))).toEqual([
      'all',
      'all',
      'all',
    ]);
    expect(outcome(configuration, REQUEST)).toBe('right.missing');
  });

  it('the refusal names the policy that would give the right', () => {
    expect(refusalOf(() => access.authorize(withPolicies(), alice, REQUEST))).toMatchObject({
      message: 'No policy gives the right ocra:request',
      payload: { policy: { scope: 'ocra', action: 'request' } },
    });
  });
});

describe('a stored policy that another version may have written', () => {
  const everybody = checkPolicy({ name: 'all', scope: 'admin', action: 'show', realm: '*', user: '*' });
  const own = { ...everybody, name: 'own', user: 'alice', realm: 'alpha' };
  const right = (action: string): Right => ({ scope: 'admin', action });

  it.each([
    ['show, enable, foretell', ['alpha'], ['alpha']],
    ['show=own, enable', 'right.missing', ['alpha']],
    ['*, show=own', 'right.missing', ['alpha']],
    ['*=own, enable', 'right.missing', ['alpha']],
    ['*, !foretell', ['alpha'], ['alpha']],
    ['show, enable, maxtoken=3', ['alpha'], ['alpha']],
    ['foretell', 'all', 'right.missing'],
    ['foretell=3', 'all', 'right.missing'],
  ])(
    '%s: passes over unknown actions alone, and gives no right with an unknown value',
    (action, show, enable) => {
      const configuration = configurationOf({ realms: REALMS, policies: [everybody, { ...own, action }] });
      expect([right('show'), right('enable')].map((one) => outcome(configuration, one))).toEqual([
        show,
        enable,
      ]);
    },
  );

  it.each([{ client: 'portal.example' }, { time: 'noon' }, { user: 'alice, (' }])(
    'gives nothing with %j, and no policy for everybody stands in for it',
    (change) => {
      const configuration = configurationOf({ realms: REALMS, policies: [everybody, { ...own, ...change }] });
      expect(outcome(configuration, right('show'))).toBe('right.missing');
    },
  );
});

describe('a policy', () => {
  it('of another scope opens and closes nothing', () => {
    expect(outcome(withPolicies({ scope: 'system', action: 'read' }), TOKENS)).toBe('all');
    expect(outcome(withPolicies({ scope: 'monitoring' }), REQUEST)).toBe('right.missing');
  });

  it.each<[string, Partial<PolicyDraft>]>([
    ['for somebody else', { user: 'bob' }],
    ['for another action', { action: 'userinfo' }],
    ['out of its time', { time: '* * * * * 1990' }],
    ['for another network', { client: '10.0.0.0/8' }],
  ])('%s closes the scope, and gives nothing', (_what, draft) => {
    const configuration = withPolicies(draft);
    expect(outcome(configuration, TOKENS)).toBe('right.missing');
  });

  it('that is switched off does not even close the scope', () => {
    expect(outcome(withPolicies({ user: 'bob', active: false }), TOKENS)).toBe('all');
  });

  it('that cannot be read closes the scope, and gives nothing', () => {
    const policy = checkPolicy({ name: 'p', scope: 'monitoring', action: '*', realm: '*', user: '*' });
    const broken = configurationOf({ realms: REALMS, policies: [{ ...policy, time: 'soon' }] });
    expect(outcome(broken, TOKENS)).toBe('right.missing');
  });

  it.each(['system', 'admin'] as const)('of scope %s closes it for those whom none names', (scope) => {
    const configuration = withPolicies({ scope, action: '*', user: 'bob' });
    expect(outcome(configuration, scope === 'system' ? WRITE : ENABLE)).toBe('right.missing');
    expect(outcome(configuration, scope === 'system' ? WRITE : ENABLE, callerNamed('bob'))).toBe('all');
  });

  it('meets administrators under the realm and resolver that LinOTP has them in', () => {
    const configuration = withPolicies(
      { user: 'alice@linotp_admins', realm: 'alpha' },
      { user: 'bob@alpha' },
    );
    expect(outcome(configuration, TOKENS)).toEqual(['alpha']);
    expect(outcome(configuration, TOKENS, callerNamed('bob'))).toBe('right.missing');
    expect(outcome(withPolicies({ user: 'LinOTP_local_admins:' }), TOKENS)).toBe('all');
  });
});

describe('the realms of a grant', () => {
  it.each<[string, Partial<PolicyDraft>[], unknown]>([
    ['those of the policy, in any case', [{ realm: 'Beta, ALPHA' }], ['alpha', 'beta']],
    ['none that is not there', [{ realm: 'nosuch, beta' }], ['beta']],
    ['none at all where none is there', [{ realm: 'nosuch' }], []],
    ['all with *', [{ realm: '*, alpha' }], 'all'],
    ['those of all policies that fit', [{ realm: 'alpha' }, { realm: 'gamma' }], ['alpha', 'gamma']],
    ['not those for another action', [{ realm: 'alpha' }, { realm: 'beta', action: 'userinfo' }], ['alpha']],
    [
      'not those out of their time',
      [{ realm: 'alpha' }, { realm: 'beta', time: '* * * * * 1990' }],
      ['alpha'],
    ],
    [
      'narrowed for who is named',
      [
        { realm: 'alpha', user: 'alice' },
        { realm: '*', user: '*' },
      ],
      ['alpha'],
    ],
    [
      'those for all where who is named has none for the action',
      [{ realm: 'alpha', user: 'alice', action: 'userinfo' }, { realm: 'beta' }],
      ['beta'],
    ],
    [
      'of all that name them',
      [
        { realm: 'alpha', user: 'alice' },
        { realm: 'beta', user: 'al.*' },
      ],
      ['alpha', 'beta'],
    ],
  ])('are %s', (_what, drafts, expected) => {
    expect(outcome(withPolicies(...drafts), TOKENS)).toEqual(expected);
    const administration = drafts.map((draft) => ({
      ...draft,
      scope: 'admin',
      action: draft.action === undefined ? '*' : 'disable',
    }));
    expect(outcome(withPolicies(...administration), ENABLE)).toEqual(expected);
  });

  it.each<[string, Partial<PolicyDraft>]>([
    ['out of its time', { time: '* * * * * 1990' }],
    ['for other clients', { client: '10.0.0.0/8' }],
  ])('do not widen to those for all while the policy that names somebody is %s', (_what, draft) => {
    const configuration = withPolicies({ realm: 'alpha', user: 'alice', ...draft }, { realm: '*' });
    expect(outcome(configuration, TOKENS)).toBe('right.missing');
    expect(outcome(configuration, TOKENS, callerNamed('bob'))).toBe('all');
  });

  it('do not bound the configuration', () => {
    expect(outcome(withPolicies({ scope: 'system', action: 'write', realm: 'alpha' }), WRITE)).toBe('all');
  });
});

describe('an API token', () => {
  const speaking = (...rights: readonly string[]): Caller => callerNamed('alice', { rights });

  it('needs the policies as well, and without rights may do nothing', () => {
    expect(outcome(withPolicies({ user: 'bob' }), TOKENS, speaking('*'))).toBe('right.missing');
    expect(outcome(withPolicies({}), TOKENS, speaking())).toBe('right.missing');
    expect(outcome(withPolicies({ realm: 'beta' }), TOKENS, speaking('monitoring:tokens'))).toEqual(['beta']);
  });
});

describe('an operator at the machine', () => {
  it('may do all, or a wrong policy could not be mended', () => {
    const configuration = withPolicies(
      { user: 'nobody' },
      { scope: 'system', action: 'read', user: 'nobody' },
    );
    expect([TOKENS, REQUEST, ENABLE, WRITE].map((right) => outcome(configuration, right, OPERATOR))).toEqual([
      'all',
      'all',
      'all',
      'all',
    ]);
  });
});
