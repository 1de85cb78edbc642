import { describe, expect, it } from '@jest/globals';
import { checkOcraSettings, readOcraSettings } from '../../src/ocra/ocra-settings.ts';

describe('the OCRA settings', () => {
  it('are the documented defaults where the configuration is silent', () => {
    expect(readOcraSettings(new Map())).toEqual({
      autoResync: false,
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

  it('say what a duration looks like', () => {
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

  it('pass the check as they are by default', () => {
    expect(() => {
      checkOcraSettings(new Map());
    }).not.toThrow();
  });
});
