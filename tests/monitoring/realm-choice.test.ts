import { describe, expect, it } from '@jest/globals';

import { chooseRealms, NO_REALM, visibleRealms } from '../../src/monitoring/monitoring-query.ts';
import { configurationOf } from '../support/values/configuration-value.ts';

const configuration = configurationOf({
  realms: ['limrealm', 'mydefrealm', 'sqlrealm'].map((name) => ({ name, resolvers: [] })),
});
const all = visibleRealms(configuration, { realms: 'all' });
const some = visibleRealms(configuration, { realms: ['sqlrealm', 'mydefrealm', 'nosuchrealm'] });
const none = visibleRealms(configuration, { realms: ['nosuchrealm'] });

describe('the visible realms', () => {
  it('are all realms, and tokens in no realm, for administrators with an unrestricted right', () => {
    expect(all).toEqual({ realms: ['limrealm', 'mydefrealm', 'sqlrealm'], noRealm: true });
  });

  it('are the existing realms of the policies, without tokens in no realm, for other administrators', () => {
    expect(some).toEqual({ realms: ['mydefrealm', 'sqlrealm'], noRealm: false });
    expect(none).toEqual({ realms: [], noRealm: false });
  });
});

describe('the parameter realms', () => {
  it('means all visible realms, sorted by name, when it is missing or empty', () => {
    for (const text of [undefined, '']) {
      expect(chooseRealms(all, text)).toEqual(['limrealm', 'mydefrealm', 'sqlrealm']);
      expect(chooseRealms(some, text)).toEqual(['mydefrealm', 'sqlrealm']);
      expect(chooseRealms(none, text)).toEqual([]);
    }
  });

  it('with * anywhere includes tokens in no realm, for administrators who may see those', () => {
    for (const text of ['*', '*,mydefrealm', 'mydefrealm,*']) {
      expect(chooseRealms(all, text)).toEqual(['limrealm', 'mydefrealm', 'sqlrealm', NO_REALM]);
      expect(chooseRealms(some, text)).toEqual(['mydefrealm', 'sqlrealm']);
      expect(chooseRealms(none, text)).toEqual([]);
    }
  });

  it('keeps the order of an explicit list, in any case, blanks around names dropped, each realm once', () => {
    expect(chooseRealms(all, ' sqlrealm , MyDefRealm,SQLREALM')).toEqual(['sqlrealm', 'mydefrealm']);
    expect(chooseRealms(all, '/:No Realm:/,limrealm')).toEqual([NO_REALM, 'limrealm']);
  });

  it('leaves out names that do not exist and names that are not visible, without a difference', () => {
    expect(chooseRealms(some, 'unknown,mydefrealm,limrealm,,/:no realm:/')).toEqual(['mydefrealm']);
  });

  it.each([
    ['unknown', ['unknown']],
    ['limrealm', ['limrealm']],
    ['/:no realm:/', ['/:no realm:/']],
    ['Unknown1, unknown2,unknown2', ['unknown1', 'unknown2', 'unknown2']],
    [',', ['', '']],
    [' ', ['']],
    [' * ', ['*']],
    ['myd*', ['myd*']],
    ['my%', ['my%']],
    ['no realm', ['no realm']],
    ['toString', ['tostring']],
    ["äö'", ["äö'"]],
  ])('%j is refused when nothing of it is left', (text, realms) => {
    expect(() => chooseRealms(some, text)).toThrow(
      expect.objectContaining({
        code: 'right.missing',
        payload: { realms },
      }),
    );
  });
});
