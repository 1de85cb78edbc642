import { randomBytes, randomInt } from 'node:crypto';
import type { Random } from './clock.ts';

/** Random numbers of the operating system, fit for keys. In a file of its own: `clock.ts` also runs in browsers. */
export const systemRandom: Random = {
  bytes: (size) => randomBytes(size),
  below: (bound) => randomInt(bound),
};
