import { createHash, timingSafeEqual } from 'node:crypto';

/**
 * Compares without stopping at the first difference. Both sides are hashed first, so that not even a difference in
 * length shortens the comparison.
 * @returns whether both are the same bytes
 */
export function equalBytes(left: Uint8Array, right: Uint8Array): boolean {
  return timingSafeEqual(digest(left), digest(right)) && left.length === right.length;
}

/** @returns whether both texts are the same in UTF-8, compared as `equalBytes` does */
export function equalText(left: string, right: string): boolean {
  return equalBytes(Buffer.from(left, 'utf8'), Buffer.from(right, 'utf8'));
}

/**
 * For texts of a length that is no secret: many of them, without hashing each.
 * @param length of the texts that will be compared with `expected`, which consist of ASCII alone
 * @returns whether a text is `expected`, without stopping at the first difference
 */
export function textComparison(expected: string, length: number): (text: string) => boolean {
  // NUL where it is of another length: then no text is equal, and comparing takes as long.
  const [wanted, compared] = [Buffer.alloc(length), Buffer.alloc(length)];
  const isOfLength = expected.length === length && wanted.write(expected, 'utf8') === length;
  return (text) => {
    compared.write(text, 'latin1');
    return timingSafeEqual(wanted, compared) && isOfLength && text.length === length;
  };
}

function digest(value: Uint8Array): Buffer {
  return createHash('sha256').update(value).digest();
}
