import { describe, expect, it } from '@jest/globals';
import { canonicalKey } from '../../src/configuration/settings.ts';

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
