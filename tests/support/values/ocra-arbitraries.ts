import fc from 'fast-check';
import type { QuestionFormat } from '../../../src/ocra/suite.ts';

const ALPHABETS: Readonly<Record<QuestionFormat, string>> = {
  A: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789',
  N: '0123456789',
  H: '0123456789abcdefABCDEF',
};

const optional = (part: fc.Arbitrary<string>) => fc.option(part, { nil: undefined });
const hash = fc.constantFrom('SHA1', 'SHA256', 'SHA512');
const twoDigits = (max: number) => fc.integer({ min: 1, max }).map(String);

const timeStep = fc.oneof(
  fc.constant('T'),
  twoDigits(59).map((seconds) => `T${seconds}S`),
  twoDigits(59).map((minutes) => `T${minutes}M`),
  twoDigits(48).map((hours) => `T${hours}H`),
);

const parts = fc.record({
  counter: optional(fc.constant('C')),
  question: fc
    .tuple(fc.constantFrom('A', 'N', 'H'), fc.integer({ min: 4, max: 64 }))
    .map(([format, length]) => `Q${format}${String(length).padStart(2, '0')}`),
  pin: optional(
    fc.oneof(
      fc.constant('P'),
      hash.map((name) => `P${name}`),
    ),
  ),
  session: optional(fc.integer({ min: 1, max: 512 }).map((length) => `S${String(length).padStart(3, '0')}`)),
  time: optional(timeStep),
});

/** The text of a suite in the form of RFC 6287 §6. */
export const suiteText = fc
  .tuple(hash, fc.constantFrom(0, 4, 5, 6, 7, 8, 9, 10), parts)
  .map(([name, truncation, { counter, question, pin, session, time }]) => {
    const dataInput = [counter, question, pin, session, time].filter((part) => part !== undefined);
    return `OCRA-1:HOTP-${name}-${truncation}:${dataInput.join('-')}`;
  });

/** A question that fits. */
export function questionFor(question: {
  readonly format: QuestionFormat;
  readonly length: number;
}): fc.Arbitrary<string> {
  return fc.string({
    unit: fc.constantFrom(...Array.from(ALPHABETS[question.format])),
    minLength: 1,
    maxLength: question.length,
  });
}

export function bytes(minLength: number, maxLength: number): fc.Arbitrary<Buffer> {
  return fc.uint8Array({ minLength, maxLength }).map((array) => Buffer.from(array));
}
