/** Source of the time. Always an argument, so that tests fix it. */
export interface Clock {
  /** @returns the present instant */
  now(): Date;
}

/** Source of randomness. Always an argument, so that tests fix it. */
export interface Random {
  /** @returns `size` random bytes, fit for keys */
  bytes(size: number): Buffer;
  /** @returns a whole number, uniformly from 0 up to and without `bound` */
  below(bound: number): number;
}

export const systemClock: Clock = { now: () => new Date() };

/**
 * @param alphabet the characters to draw from
 * @returns `length` characters, each drawn uniformly
 */
export function randomText(random: Random, alphabet: string, length: number): string {
  return Array.from({ length }, () => alphabet.charAt(random.below(alphabet.length))).join('');
}
