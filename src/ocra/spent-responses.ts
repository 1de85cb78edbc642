import { createHash } from 'node:crypto';

/** Where in counter and time a response was found right. */
export interface MatchedPosition {
  /** RFC 6287 C, for suites with a counter. */
  readonly counter?: bigint;
  /** The second at which the matched time step begins, for suites with a time step. */
  readonly stepStart?: bigint;
}

/**
 * Two transactions may carry the same question (the same display data with enough digits). A counter suite looks a few
 * counters back and a time suite a few steps round, so the response to one would fit the other, too. Each accepted
 * response therefore leaves a mark: position and a digest of question and position. Suites without counter and time
 * leave none: their response depends on the question alone, and the same question must be answerable again.
 * @returns the mark, or null where position plays no part
 */
export function markOf(question: string, { counter, stepStart }: MatchedPosition): string | null {
  const position = counter ?? stepStart;
  if (position === undefined) {
    return null;
  }
  const digest = createHash('sha256')
    .update(`${counter ?? ''}|${stepStart ?? ''}|${question}`)
    .digest('hex');
  return `${position}:${digest.slice(0, 32)}`;
}

/** @returns the counter, or the second at which the time step begins, that the mark was made for */
export function positionOf(mark: string): bigint {
  return BigInt(mark.slice(0, mark.indexOf(':')));
}

/** @returns whether this response was accepted before */
export function isSpent(spent: readonly string[], mark: string | null): boolean {
  return mark !== null && spent.includes(mark);
}

/**
 * @param oldest positions below this one can no longer match
 * @returns the marks to keep: the new one and those that could still match
 */
export function spend(spent: readonly string[], mark: string | null, oldest: bigint): readonly string[] {
  const kept = spent.filter((entry) => positionOf(entry) >= oldest);
  return mark === null ? kept : [...kept, mark];
}
