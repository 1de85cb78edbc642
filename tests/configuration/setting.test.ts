import { describe, expect, it } from '@jest/globals';
import { assertSetting, canonicalKey } from '../../src/configuration/setting.ts';
import { refusalOf } from '../support/values/refusal.ts';

describe('a key', () => {
  it.each([
    ['OcraMaxChallenges', 'OcraMaxChallenges'],
    ['ocramaxchallenges', 'OcraMaxChallenges'],
    [' linotp.OCRAMAXCHALLENGES ', 'OcraMaxChallenges'],
    ['linotp.Own', 'Own'],
    ['own', 'own'],
    ['Ocra', 'Ocra'],
    ['', ''],
  ])('%j is kept as %j', (given, kept) => {
    expect(canonicalKey(given, ['OcraMaxChallenges', 'OcraMaxChallengeRequests'])).toBe(kept);
  });

  it.each([
    ['Policy.p.scope', 'a policy'],
    ['passwdresolver.fileName.x', 'a resolver'],
    ['SQLResolver.Password.x', 'a resolver'],
    ['useridresolver.group.main', 'a realm'],
    ['DefaultRealm', 'the default realm'],
    ['defaultrealm', 'the default realm'],
  ])('%s is refused, for it is %s', (key, what) => {
    const { code, message } = refusalOf(() => {
      assertSetting(key, 'secret value');
    });
    expect(code).toBe('configuration.invalid');
    expect(message).toContain(what);
    expect(message).not.toContain('secret value');
  });

  it('that only resembles these is taken', () => {
    expect(() => {
      assertSetting('PolicyOfTheHouse', 'x');
      assertSetting('DefaultRealmName', '');
    }).not.toThrow();
  });
});
