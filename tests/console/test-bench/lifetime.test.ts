import { expect, it } from '@jest/globals';
import { lifetimeSeconds, shownDuration } from '../../../console/src/test-bench/lifetime.ts';

it.each([
  [null, 1_200],
  ['300', 300],
  ['20M', 1_200],
  ['1D2H3M4S', 93_784],
  ['soon', undefined],
])('the setting %j gives a challenge %j seconds', (setting, seconds) => {
  expect(lifetimeSeconds(setting)).toBe(seconds);
});

it.each([
  [0, '0:00'],
  [65, '1:05'],
  [1_199, '19:59'],
  [3_661, '1:01:01'],
])('%d seconds are shown as %s', (seconds, text) => {
  expect(shownDuration(seconds)).toBe(text);
});
