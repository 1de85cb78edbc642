import { createHash, timingSafeEqual } from 'node:crypto';

/**
 * Compares without stopping at the first difference. Both sides are hashed first, so that not even a difference in
 * length shortens the comparison.
 * @returns true if both have the same bytes
 */
export function equalBytes(left: Uint8Array, right: Uint8Array): boolean {
  return timingSafeEqual(hashOf(left), hashOf(right)) && left.length === right.length;
}

/** @returns true if both texts are the same in UTF-8, compared as `equalBytes` does */
export function equalText(left: string, right: string): boolean {
  return equalBytes(Buffer.from(left, 'utf8'), Buffer.from(right, 'utf8'));
}

function hashOf(value: Uint8Array): Buffer {
  return createHash('sha256').update(value).digest();
}
