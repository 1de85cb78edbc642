import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { create } from 'qrcode';
import { divideIntoSegments, type QrLevel } from '../../src/http/qr-segments.ts';

/** Parts whose modes change in many ways, also where several ways take equally many bits. */
const TEXTS = fc
  .array(
    fc.oneof(
      ...[
        '0123456789',
        'ABCXYZ:/ ',
        'abcxyz?=&',
        '0123456789ABCDEF',
        '0123456789abcdef',
        'ä€\u{1f600}',
        '0A',
      ].map((letters) =>
        fc
          .array(fc.constantFrom(...Array.from(letters)), { minLength: 1, maxLength: 14 })
          .map((part) => part.join('')),
      ),
    ),
    { minLength: 1, maxLength: 60 },
  )
  .map((parts) => parts.join(''));

/** @returns the segments that the library makes of a text */
function librarySegments(text: string, level: QrLevel): unknown {
  return create(text, { errorCorrectionLevel: level, maskPattern: 0 }).segments.map(({ data, mode }) => ({
    data: typeof data === 'string' ? data : Buffer.from(data).toString(),
    mode: mode.id.toLowerCase(),
  }));
}

describe('divideIntoSegments', () => {
  it('divides a text where another mode takes fewer bits', () => {
    expect(divideIntoSegments('lseqr://init?sh=12345678901234567890', 'M')).toEqual([
      { data: 'lseqr://init?sh=', mode: 'byte' },
      { data: '12345678901234567890', mode: 'numeric' },
    ]);
  });

  it('counts the bytes of a character, not its units', () => {
    expect(divideIntoSegments('€\u{1f600}', 'M')).toEqual([{ data: '€\u{1f600}', mode: 'byte' }]);
  });

  it.each(['M', 'L'] as const)('makes the segments that the library makes at level %s', (level) => {
    fc.assert(
      fc.property(TEXTS, (text) => {
        expect(divideIntoSegments(text, level)).toEqual(librarySegments(text, level));
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ['M', 180],
    ['M', 1_059],
    ['L', 230],
    ['L', 1_367],
  ] as const)(
    'makes them where the number of characters takes more bits, at level %s from %i bytes on',
    (level, bytes) => {
      for (let length = bytes - 40; length <= bytes + 20; length += 1) {
        const text = 'seed://0123456789AB'.repeat(80).slice(0, length);
        expect(divideIntoSegments(text, level)).toEqual(librarySegments(text, level));
      }
    },
  );
});
