/** Source of the time. Always an argument, so that tests fix it. */
export interface Clock {
  /** @returns the present instant */
  now(): Date;
  /** Milliseconds by which the machine's own clock is ahead of this one; undefined: this is the machine's. */
  readonly offset?: number;
}

/** Source of random bytes, also of browsers. */
export interface RandomBytes {
  /** @returns `size` random bytes, fit for keys */
  bytes(size: number): Uint8Array;
}

/** Source of random numbers. */
export interface RandomNumbers {
  /** @returns a whole number, uniformly from 0 up to and without `bound` */
  below(bound: number): number;
}

/** Source of randomness. Always an argument, so that tests fix it. */
export interface Random extends RandomBytes, RandomNumbers {
  bytes(size: number): Buffer;
}

export const systemClock: Clock = { now: () => new Date() };

/**
 * @param alphabet the characters to draw from
 * @returns `length` characters, each drawn uniformly
 */
export function randomText(random: RandomNumbers, alphabet: string, length: number): string {
  return Array.from({ length }, () => alphabet.charAt(random.below(alphabet.length))).join('');
}
