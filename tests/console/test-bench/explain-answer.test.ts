import { describe, expect, it } from '@jest/globals';
import { altered, explainAnswer } from '../../../console/src/test-bench/explain-answer.ts';

const OPEN = { status: { valid_tan: false, failcount: 1 }, isClosed: false, attempts: [] };

describe('the meaning of an answer', () => {
  it.each([
    ['accepted', { failcount: 0, result: true }, OPEN],
    ['wrong', { failcount: 2, result: false }, OPEN],
    ['refused', { failcount: 1, result: false }, OPEN],
    ['closed', { failcount: 2, result: false }, { ...OPEN, isClosed: true }],
    [
      'replay',
      { failcount: 0, result: false },
      { ...OPEN, status: { valid_tan: true, failcount: 0 }, isClosed: true },
    ],
    // The state has not arrived yet.
    ['replay', { failcount: 0, result: false }, { ...OPEN, attempts: [{ isAccepted: true }] }],
    ['wrong', { failcount: 1, result: false }, { ...OPEN, status: undefined }],
  ] as const)('is %s for %j', (meaning, answer, before) => {
    expect(explainAnswer(answer, before)).toBe(meaning);
  });
});

describe('an altered response', () => {
  it.each(['123456', '123459', '0', 'ABCDEF'])('differs from %s, with the same length', (response) => {
    const other = altered(response);
    expect(other).not.toBe(response);
    expect(other).toMatch(/^[0-9A-F]+$/);
    expect(other).toHaveLength(response.length);
  });
});
