import { describe, expect, it } from '@jest/globals';
import { assertAnswer, type Expectation } from '../../../src/cli/demo/exchange.ts';

describe('what the demo expects of an answer', () => {
  it.each<[unknown, Expectation]>([
    [{ a: 1, b: 2 }, { a: 1 }],
    [{ a: { b: [1, 'x', null] } }, { a: { b: [1, 'x', null] } }],
    [{ a: 'text' }, { a: (actual) => typeof actual === 'string' }],
    [[], []],
  ])('is met by %j', (actual, expected) => {
    expect(() => {
      assertAnswer(actual, expected);
    }).not.toThrow();
  });

  it.each<[unknown, Expectation, string]>([
    [{ a: 1 }, { a: 2 }, 'answer.a is 1, expected 2'],
    [{ a: '1' }, { a: 1 }, 'answer.a is "1", expected 1'],
    [{}, { a: 1 }, 'answer.a is missing, expected 1'],
    [{ a: null }, { a: { b: 1 } }, 'answer.a is null, expected an object'],
    [{ a: [1, 2] }, { a: [1] }, 'answer.a is [1,2], expected 1 items'],
    [{ a: [1, 2] }, { a: [1, 3] }, 'answer.a[1] is 2, expected 3'],
    [{ a: 'x' }, { a: ['x'] }, 'answer.a is "x", expected 1 items'],
    [{ a: 1 }, { a: () => false }, 'answer.a is 1, expected something else'],
    ['<h1>no</h1>', { result: {} }, 'answer is "<h1>no</h1>", expected an object'],
  ])('is not met by %j', (actual, expected, message) => {
    expect(() => {
      assertAnswer(actual, expected);
    }).toThrow(message);
  });
});
