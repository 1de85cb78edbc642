import { describe, expect, it } from '@jest/globals';
import { isRotating, progressOf, type ShownKey, useOf } from '../../../console/src/keys/key-use.ts';

const AT = '2026-11-20T12:00:00.000Z';
const key = (changes: Partial<ShownKey>): ShownKey => ({
  keyid: 'aa'.repeat(8),
  current: false,
  added: AT,
  current_since: AT,
  retired: null,
  secrets: null,
  ...changes,
});

describe('the use of a key', () => {
  it.each([
    [{ current: true }, 'current'],
    [{ current_since: null }, 'added'],
    [{}, 'former'],
    [{ secrets: 1 }, 'needed'],
    [{ secrets: 0 }, 'unused'],
    [{ retired: AT, secrets: 0 }, 'retired'],
    [{ added: null, current_since: null, secrets: 3 }, 'unknown'],
  ] as const)('of %j is %s', (changes, use) => {
    expect(useOf(key(changes))).toBe(use);
  });
});

describe('a rotation', () => {
  const report = (counted: string | null, ...keys: readonly ShownKey[]) => ({
    counted,
    keys: [...keys],
    servers: [],
  });

  it('is under way while a secret is sealed with another key', () => {
    const keys = [key({ current: true, secrets: 3 }), key({ secrets: 2 })];
    expect(progressOf(report(AT, ...keys))).toEqual({ done: 3, all: 5 });
    expect(isRotating(report(AT, ...keys))).toBe(true);
    expect(isRotating(report(AT, key({ current: true, secrets: 3 })))).toBe(false);
    expect(isRotating(report(null, ...keys))).toBe(false);
    expect(isRotating(undefined)).toBe(false);
  });
});
