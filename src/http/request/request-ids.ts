import type { Random } from '../../kernel/clock.ts';

const ID_BYTES = 16;
/** Ids whose random bytes are drawn together, as a draw costs more than the bytes. */
const DRAWN_TOGETHER = 128;

/** @returns a function that makes ids of requests: 32 random hexadecimal digits */
export function requestIds(random: Pick<Random, 'bytes'>): () => string {
  let drawn: Buffer = Buffer.alloc(0);
  let used = 0;
  return () => {
    if (used === drawn.length) {
      drawn = random.bytes(ID_BYTES * DRAWN_TOGETHER);
      used = 0;
    }
    used += ID_BYTES;
    return drawn.toString('hex', used - ID_BYTES, used);
  };
}
