import { describe, expect, it } from '@jest/globals';
import { checkPolicy, type PolicyDraft } from '../../src/policy/policy.ts';
import { policyValue, type PolicyValueQuestion, ReadPolicy } from '../../src/policy/read-policy.ts';
import {
  type PolicySubject,
  readTimes,
  readClients,
  plainResolverName,
  readUsers,
} from '../../src/policy/policy-conditions.ts';
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
      "Unknown scope 'ocre'. Known: admin, system, monitoring, ocra, authentication, selfservice.",
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
      { ...url('e', ONE), client: 'portal.example' },
      { ...url('f', ONE), scope: 'ocra' as const },
      { ...url('g', ONE), scope: 'monitoring' as const },
      { ...url('h', ONE), scope: 'ocra' as const, action: '*' },
    ];
    expect(valueOf(policies, requested)).toEqual([]);
  });
});

describe('otppin and qrtanurl of a stored policy that another version may have written', () => {
  const ONE = 'https://one.example/';
  const valuesOf = (change: Partial<Policy>): readonly string[] => {
    const policy = checkPolicy({ name: 'p', scope: 'authentication', action: 'otppin=1', realm: 'mine' });
    return ['qrtanurl', 'otppin'].map((action) =>
      policyValue([new ReadPolicy({ ...policy, ...change })], {
        scope: 'authentication',
        action,
        realms: ['mine'],
        at: AT,
      }).join(' '),
    );
  };

  it.each<[string, Partial<Policy>, string, string]>([
    ['an unknown action', { action: `qrtanurl=${ONE}, otppin=1, unheard=7` }, ONE, '1'],
    ['one beside no PIN', { action: `otppin=2, qrtanurl=${ONE}, unheard, !unseen` }, ONE, '2'],
    ['an unknown value', { action: `otppin=7, qrtanurl=${ONE}` }, ONE, '0'],
    ['two values', { action: `otppin=2, otppin=1, qrtanurl=${ONE}` }, ONE, '0'],
    ['an URL that is none', { action: 'qrtanurl=here, otppin=1' }, '', '1'],
    ['an unknown client', { action: `qrtanurl=${ONE}, otppin=1`, client: 'portal.example' }, '', '1'],
    ['unknown users', { action: `qrtanurl=${ONE}, otppin=1`, user: '(' }, '', '1'],
    ['an unknown time', { action: 'otppin=2', time: 'noon' }, '', ''],
    ['an unknown scope', { scope: 'authentification' }, '', ''],
  ])('%s: %j', (_what, change, url, pin) => {
    expect(valuesOf(change)).toEqual([url, pin]);
  });
});

/** Friday, in the server's local time zone, whichever the tests run in. */
const FRIDAY = new Date(2026, 10, 20, 14, 35, 12);

const SUNDAY = new Date(2026, 10, 22, 0, 0, 0);

describe('the time of a policy', () => {
  it.each([
    ['', true],
    [' ; ', true],
    ['* * * * * *', true],
    ['* * * * * *;', true],
    ['* * * * * 1990', false],
    ['* * * * * 2026', true],
    ['35 14 20 11 5 2026', true],
    ['34 14 20 11 5 2026', false],
    ['* 8-17 * * 1-5 *', true],
    ['* 8-13 * * 1-5 *', false],
    ['* 14-14 * * * *', true],
    ['5,35 * * * * *', true],
    ['5,30-34,40 * * * * *', false],
    ['*/5 * * * * *', true],
    ['*/6 * * * * *', false],
    ['30-59/5 * * * * *', true],
    ['30/5 * * * * *', true],
    ['36/5 * * * * *', false],
    ['* * * * 6 *; * 14 * * * *;', true],
    ['* * * * 6 *; * 15 * * * *;', false],
    ['* * 20 * 1 *', false],
    ['  *   14 *  * * * ', true],
    ['3-59/8 * * * * *', true],
    ['5/10 * * * * *', true],
    ['*/10 * * * * *', false],
    ['2-59/8 * * * * *', false],
    ['34-59/2 * * * * *', false],
    ['31-59/3 * * * * *', false],
  ])('%j holds on a Friday afternoon: %s', (text, expected) => {
    expect(readTimes(text)(FRIDAY)).toBe(expected);
  });

  it.each([
    ['* * * * 0 *', true],
    ['* * * * 7 *', true],
    ['* * * * 6-7 *', true],
    ['* * * * 0-5 *', true],
    ['* * * * 1-6 *', false],
    ['0 0 * * * *', true],
    ['7 0 * * * *', false],
    ['0 7 * * * *', false],
  ])('%j holds on a Sunday at midnight: %s', (text, expected) => {
    expect(readTimes(text)(SUNDAY)).toBe(expected);
  });

  it.each([
    ['* * * * *', 'it needs 6 fields: minute hour day month weekday year'],
    ['* * * * * * *', 'it needs 6 fields: minute hour day month weekday year'],
    ['60 * * * * *', "'60' is no minute from 0 to 59"],
    ['* 24 * * * *', "'24' is no hour from 0 to 23"],
    ['* * 0 * * *', "'0' is no day from 1 to 31"],
    ['* * * 13 * *', "'13' is no month from 1 to 12"],
    ['* * * * 8 *', "'8' is no weekday from 0 to 7"],
    ['* * * * * 99999', "'99999' is no year from 1970 to 9999"],
    ['* 17-8 * * * *', "'17-8' is no hour from 0 to 23"],
    ['*/0 * * * * *', "'*/0' is no minute from 0 to 59"],
    ['1,,2 * * * * *', "'' is no minute from 0 to 59"],
    ['-5 * * * * *', "'-5' is no minute from 0 to 59"],
    ['* * * * mon *', "'mon' is no weekday from 0 to 7"],
    ['٣ * * * * *', "'٣' is no minute from 0 to 59"],
  ])('%s is refused, and the text names the field', (text, reason) => {
    const refusal = refusalOf(() => readTimes(`* * * * * *; ${text}`));
    expect([refusal.code, refusal.message]).toEqual(['policy.invalid', `'${text}' is not a time: ${reason}`]);
  });
});

describe('the clients of a policy', () => {
  it.each([
    ['', '10.1.2.3', true],
    ['', '', true],
    ['*', '', true],
    ['10.0.0.5', '10.0.0.5', true],
    ['10.0.0.5', '10.0.0.50', false],
    ['10.0.0.5', '', false],
    ['10.0.0.5', 'nonsense', false],
    ['10.99.0.0/16', '10.99.255.255', true],
    ['10.99.0.0/16', '10.100.0.0', false],
    ['10.99.7.7/16', '10.99.1.1', true],
    ['0.0.0.0/0', '203.0.113.9', true],
    ['0.0.0.0/0', '2001:db8::1', false],
    ['192.168.0.0/16, 10.0.0.5', '10.0.0.5', true],
    ['2001:db8::/32', '2001:DB8:0:0::1', true],
    ['2001:db8::/32', '2001:db9::1', false],
    ['2001:db8::/64', '2001:db8::1:2:3:4', true],
    ['2001:db8::/64', '2001:db8:0:1::1', false],
    ['2001:db8::1', '2001:db8::2', false],
    ['::ffff:110.120.130.0/120', '110.120.130.140', true],
    ['110.120.130.140', '::ffff:110.120.130.140', true],
    ['110.120.130.140', '::ffff:6e78:828c', true],
    ['- 10.0.0.5', '10.0.0.5', false],
    ['fe80::1', 'fe80::1%eth0\n2', true],
    ['::1', '0:0:0:0:0:0:0:1', true],
    ['fe80::1', 'fe80::1%eth0', true],
    ['10.0.0.0/8', '::ffff:10.1.2.3', true],
    ['10.0.0.0/8', '::ffff:a01:203', true],
    ['10.0.0.0/8', '::FFFF:10.1.2.3', true],
    ['::ffff:10.0.0.0/104', '10.1.2.3', true],
    ['::ffff:10.0.0.5', '10.0.0.5', true],
    ['10.0.0.0/8, -10.0.0.5', '10.0.0.5', false],
    ['10.0.0.0/8, !10.0.0.5', '::ffff:10.0.0.5', false],
    ['10.0.0.0/8, -10.0.0.5', '10.0.0.6', true],
    ['-10.0.0.5, 10.0.0.0/8', '10.0.0.5', false],
    ['*, -10.0.0.0/8', '10.0.0.5', false],
    ['*, -10.0.0.0/8', '11.0.0.5', true],
    ['-10.0.0.0/8', '11.0.0.5', true],
    ['-10.0.0.0/8', '10.0.0.5', false],
    ['-10.0.0.0/8', '', false],
    ['10.9.0.0/16, ::/0', '198.51.100.1', false],
    ['10.9.0.0/16, ::/0', '::ffff:198.51.100.1', false],
    ['10.9.0.0/16, ::/0', '2001:db8::1', true],
    ['::/1, ::/64, ::/80, ::ffff:0:0:0/80', '198.51.100.1', false],
    ['::1/0', '127.0.0.1', false],
    ['*, -::/0', '198.51.100.1', true],
    ['*, -::/0', '::ffff:198.51.100.1', true],
    ['*, -::/0', '2001:db8::1', false],
    ['!::/8', '198.51.100.1', true],
    ['*, -0.0.0.0/0', '2001:db8::1', true],
    ['*, -0.0.0.0/0', '::198.51.100.1', true],
    ['*, -0.0.0.0/0', '::ffff:198.51.100.1', false],
    ['::/0, -0.0.0.0/0', '198.51.100.1', false],
    ['::ffff:0:0/96', '198.51.100.1', true],
    ['::ffff:0.0.0.0/96', '2001:db8::1', false],
    ['0.0.0.0/0, ::/0', '198.51.100.1', true],
    ['0.0.0.0/0, ::/0', '2001:db8::1', true],
  ])('%j: the client %j counts as %s', (text, client, expected) => {
    expect(readClients(text)(client)).toBe(expected);
  });

  // prettier-ignore
  it.each([
    'intranet.example', '10.0.0', '10.0.0.0/33', '10.0.0.0/255.0.0.0', '10.0.0.0/', '10.0.0.0/x8',
    '10.0.0.0/8x', '10.0.0.0/0008', '10.0.0.0/8/8', '2001:db8::/129', '::ffff:10.0.0.0/8', 'fe80::1%eth0',
    '-', '!*', '10.0.0.1-10.0.0.9',
  ])('%s is refused, and the text quotes it', (text) => {
    const refusal = refusalOf(() => readClients(`10.0.0.1, ${text}`));
    expect(refusal.code).toBe('policy.invalid');
    expect(refusal.message).toContain(`'${text.replace(/^[-!]/, '')}' is not a client`);
  });
});

function subject(login: string, realms: readonly string[] = ['mydefrealm'], resolver = 'def'): PolicySubject {
  return { login, realms, resolver };
}

describe('the users of a policy', () => {
  it.each([
    ['alice', subject('alice'), 'named'],
    ['alice', subject('ALICE'), 'nobody'],
    ['Zoe\u0308', subject('Zo\u00eb'), 'named'],
    ['Zo\u00eb@mydefrealm', subject('Zoe\u0308'), 'named'],
    ['*, !Zoe\u0308', subject('Zo\u00eb'), 'nobody'],
    ['alice', subject('alicea'), 'nobody'],
    [' bob ,  alice ', subject('alice'), 'named'],
    ['*', subject('alice'), 'everybody'],
    ['*, alice', subject('alice'), 'named'],
    ['', subject('alice'), 'nobody'],
    [' , ', subject('alice'), 'nobody'],
    ['alice@mydefrealm', subject('alice'), 'named'],
    ['alice@MyDefRealm', subject('alice'), 'named'],
    ['alice@other', subject('alice'), 'nobody'],
    ['bob@mydefrealm', subject('alice'), 'nobody'],
    ['*@mydefrealm', subject('alice'), 'named'],
    ['*@other', subject('alice'), 'nobody'],
    ['alice@*', subject('alice', []), 'named'],
    ['fritz@intern', subject('fritz@intern'), 'named'],
    ['fritz@intern@mydefrealm', subject('fritz@intern'), 'named'],
    ['.*@example\\.com', subject('fritz@example.com'), 'named'],
    ['def:', subject('alice'), 'named'],
    ['DEF:', subject('alice'), 'nobody'],
    ['passwdresolver.def:', subject('alice'), 'named'],
    ['useridresolver.PasswdIdResolver.IdResolver.def:', subject('alice'), 'named'],
    ['re.*', subject('restricted'), 'named'],
    ['re.*', subject('RESTRICTED'), 'nobody'],
    ['*, !alice', subject('alice'), 'nobody'],
    ['*, !alice', subject('bob'), 'everybody'],
    ['!alice', subject('bob'), 'everybody'],
    ['!alice', subject('alice'), 'nobody'],
    ['alice, !al.*', subject('alice'), 'nobody'],
    ['alice, !bob', subject('carol'), 'nobody'],
    ['alpha', subject('', ['alpha']), 'nobody'],
    ['alice, ! bob', subject('bob'), 'nobody'],
    ['! bob', subject('bob'), 'nobody'],
    ['*@*', subject('alice', []), 'named'],
    ['alice@*', subject('bob'), 'nobody'],
    ['@mydefrealm', subject('alice'), 'nobody'],
    ['@mydefrealm', subject('@mydefrealm'), 'named'],
    ['a+b?', subject('a+b?', []), 'named'],
    ['x.passwdresolver.def:', subject('alice'), 'nobody'],
  ] as const)('%j: %j is %s', (text, who, expected) => {
    expect(readUsers(text)(who)).toBe(expected);
  });

  it('group:name matches the groups of a person alone', () => {
    const person = { login: 'oidc:anna', realms: [], resolver: undefined, groups: ['helpdesk'] };
    for (const [text, expected] of [
      ['group:helpdesk', 'named'],
      ['group:help', 'nobody'],
      ['group:.*', 'nobody'],
      ['*, !group:helpdesk', 'nobody'],
      ['oidc:anna', 'named'],
      ['anna', 'nobody'],
      ['helpdesk', 'nobody'],
      ['group:', 'nobody'],
      ['.*', 'nobody'],
      ['o.*', 'nobody'],
      ['.*anna', 'nobody'],
      ['*@*', 'nobody'],
      ['.*@*', 'nobody'],
      ['oidc:an.*', 'named'],
      ['oidc:an.*, !.*anna', 'nobody'],
      ['oidc:an.*, !*@*', 'nobody'],
    ] as const) {
      expect([text, readUsers(text)(person)]).toEqual([text, expected]);
    }
    expect(readUsers('group:helpdesk')(subject('helpdesk'))).toBe('nobody');
    expect(readUsers('group:')(subject('alice', [], 'group'))).toBe('named');
  });

  it.each(['eva.maria', 'anna+test', 'o-neil_1'])(
    'takes the login %s for what it is, not for a pattern',
    (login) => {
      expect(readUsers(login)(subject(login))).toBe('named');
      expect(readUsers(login)(subject(login.replace(/[.+_-]/, 'x')))).toBe('nobody');
    },
  );

  it('a login full of signs is matched by itself at most', () => {
    expect(readUsers('alice')(subject('.*'))).toBe('nobody');
    expect(readUsers('alice')(subject('*'))).toBe('nobody');
    expect(readUsers('alice')(subject(''))).toBe('nobody');
  });

  it.each(['!', ':', '!:', 'alice, *bob', '(', 'a@(b'])('%s is refused', (text) => {
    expect(refusalOf(() => readUsers(text)).code).toBe('policy.invalid');
  });

  it('says what names nobody', () => {
    expect(refusalOf(() => readUsers('alice, !')).message).toBe("'!' names nobody");
  });
});

describe('the name of a resolver', () => {
  it.each([
    ['def', 'def'],
    ['my.res', 'my.res'],
    [' useridresolver.PasswdIdResolver.IdResolver.my.res ', 'my.res'],
    ['useridresolveree.LDAPIdResolver.IdResolver.x', 'x'],
    ['sqlresolver.x', 'x'],
    ['my.sqlresolver.x', 'my.sqlresolver.x'],
  ])('%j is %j without its class', (text, name) => {
    expect(plainResolverName(text)).toBe(name);
  });
});
