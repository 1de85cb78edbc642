import { describe, expect, it } from '@jest/globals';
import {
  checkOcraSettings,
  OCRA_SETTINGS,
  readOcraSettings,
  whyRefused,
  canonicalKey,
} from '../../src/configuration/settings.ts';
import { refusalOf } from '../support/values/refusal.ts';

describe('the OCRA settings', () => {
  it('are the documented defaults where the configuration is silent', () => {
    expect(readOcraSettings(new Map())).toEqual({
      autoResync: false,
      autoResyncTimeout: 240,
      splitAtSign: true,
      prependPin: true,
      defaultResetFailCount: true,
      failCounterIncOnFalsePin: true,
      passOnUserNotFound: false,
      passOnUserNoToken: false,
      allowSamlAttributes: false,
      maxChallenges: 4,
      maxChallengeRequests: 3,
      challengeTimeout: 1200,
      timeWindow: 180,
      timeShift: 0,
      defaultSuite: 'OCRA-1:HOTP-SHA256-8:C-QN08',
      qrDefaultSuite: 'OCRA-1:HOTP-SHA256-8:C-QA64',
      defaultMaxFail: 10,
      defaultCountWindow: 10,
      defaultSyncWindow: 1000,
    });
  });

  it('follow the configuration, durations in each form', () => {
    const settings = readOcraSettings(
      new Map([
        ['OcraMaxChallenges', '2'],
        ['OcraChallengeTimeout', '1D2H3M4S'],
        ['ocra.timeShift', '-60'],
      ]),
    );
    expect(settings).toMatchObject({ maxChallenges: 2, challengeTimeout: 93_784, timeShift: -60 });
  });

  it.each([
    ['OcraMaxChallenges', '0'],
    ['OcraMaxChallenges', 'four'],
    ['OcraMaxChallengeRequests', '1.5'],
    ['ocra.timeWindow', '-1'],
    ['OcraChallengeTimeout', 'soon'],
  ])('name the key of a value that fits not: %s=%s', (key, value) => {
    expect(() => readOcraSettings(new Map([[key, value]]))).toThrow(
      expect.objectContaining({ code: 'configuration.invalid', message: expect.stringContaining(key) }),
    );
  });

  it.each([
    ['OcraMaxChallenges', 1, 1_000],
    ['OcraMaxChallengeRequests', 1, 1_000],
    ['ocra.timeWindow', 0, 86_400],
    ['ocra.timeShift', -86_400, 86_400],
    ['DefaultMaxFailCount', 1, 1_000_000],
    ['DefaultCountWindow', 1, 1_000],
    ['DefaultSyncWindow', 1, 10_000],
  ])('%s is a whole number from %i to %i', (key, least, most) => {
    for (const value of [least, most]) {
      const settings = readOcraSettings(new Map([[key, ` ${value} `]]));
      expect(Object.values(settings)).toContain(value);
    }
    for (const value of [least - 1, most + 1, '', '0x5', '1e2', `${most}x`]) {
      expect(refusalOf(() => readOcraSettings(new Map([[key, String(value)]])))).toMatchObject({
        code: 'configuration.invalid',
        message: `The configuration value ${key} must be a whole number from ${least} to ${most}`,
      });
    }
  });

  it.each(['True', ' true ', '1', 'YES', 'on'])('AutoResync is on for %j', (value) => {
    expect(readOcraSettings(new Map([['AutoResync', value]])).autoResync).toBe(true);
  });

  it.each(['False', ' FALSE', '0', 'no', 'off', ''])('AutoResync is off for %j', (value) => {
    expect(readOcraSettings(new Map([['AutoResync', value]])).autoResync).toBe(false);
  });

  it('are read whatever text was once stored in splitAtSign, which is refused where it is set', () => {
    const stored = new Map([['splitAtSign', 'maybe']]);
    expect(readOcraSettings(stored).splitAtSign).toBe(true);
    expect(readOcraSettings(new Map([['splitAtSign', 'Off']])).splitAtSign).toBe(false);
    const refusal = refusalOf(() => {
      checkOcraSettings(stored);
    });
    expect(refusal.message).toBe('The configuration value splitAtSign must be True or False');
  });

  it('name the format of a duration', () => {
    expect(() => readOcraSettings(new Map([['OcraChallengeTimeout', '5X']]))).toThrow(/300.*1D2H3M4S/);
  });

  it.each([
    ['OcraDefaultSuite', 'rubbish'],
    ['QrOcraDefaultSuite', 'OCRA-1:HOTP-SHA256-8:C'],
    ['OcraMaxChallenges', '0'],
  ])('are checked before they are stored: %s=%s', (key, value) => {
    expect(() => {
      checkOcraSettings(new Map([[key, value]]));
    }).toThrow(
      expect.objectContaining({ code: 'configuration.invalid', message: expect.stringContaining(key) }),
    );
  });
});

describe('a key of LinOTP that is not obeyed', () => {
  it.each([
    ['Policy.p.scope', 'a policy'],
    ['passwdresolver.fileName.x', 'a resolver'],
    ['SQLResolver.Password.x', 'a resolver'],
    ['useridresolver.group.main', 'a realm'],
    ['DefaultRealm', 'the default realm'],
    ['defaultrealm', 'the default realm'],
    ['MAYOVERWRITECLIENT', 'TRUST_PROXY'],
    ['root', 'old server'],
  ])('is refused with a reason: %s, for it is about %s', (key, what) => {
    expect(whyRefused(key, 'secret value')).toContain(what);
    expect(whyRefused(key, 'secret value')).not.toContain('secret value');
  });

  it.each([
    ['mayOverwriteClient', ' '],
    ['client.FORWARDED', 'False'],
    ['DefaultBlockingTimeout', '0'],
    ['SMSProvider.x.Config', '{}'],
  ])('is kept where it asks for nothing that would be missed: %s=%j', (key, value) => {
    expect(whyRefused(key, value)).toBeUndefined();
  });

  it.each(['PolicyOfTheHouse', 'DefaultRealmName', 'own', 'rootless'])('is not %s', (key) => {
    expect(whyRefused(key, 'x')).toBeUndefined();
  });

  it('never hides one that is obeyed', () => {
    for (const { key, default: initial } of OCRA_SETTINGS) {
      expect([key, whyRefused(key, initial)]).toEqual([key, undefined]);
    }
  });
});

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
});
