import { describe, expect, it } from '@jest/globals';
import { plainResolverName, type PolicySubject, readUsers } from '../../src/policy/policy-conditions.ts';
import { refusalOf } from '../support/values/refusal.ts';

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
