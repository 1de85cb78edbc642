import fc from 'fast-check';

const SURROGATES = { from: 0xd800, count: 0x800 } as const;

/** As the unit `binary` of fast-check, which makes a table of the million code points first. */
const codePoint = fc
  .nat(0x10ffff - SURROGATES.count)
  .map((index) => String.fromCodePoint(index < SURROGATES.from ? index : index + SURROGATES.count), indexOf);

/** @throws for anything but one code point that is no surrogate */
function indexOf(value: unknown): number {
  const point = typeof value === 'string' ? value.codePointAt(0) : undefined;
  if (point === undefined || String.fromCodePoint(point) !== value || /\p{Surrogate}/u.test(value)) {
    throw new Error('It is no code point');
  }
  return point < SURROGATES.from ? point : point - SURROGATES.count;
}

export function anyText(
  lengths: Pick<fc.StringConstraints, 'minLength' | 'maxLength'> = {},
): fc.Arbitrary<string> {
  return fc.string({ ...lengths, unit: codePoint });
}
