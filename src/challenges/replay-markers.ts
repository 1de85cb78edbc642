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
export function replayMarker(question: string, { counter, stepStart }: MatchedPosition): string | null {
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

/**
 * Below the bottom of the marks nothing is known any more, so everything there counts as accepted: a window that is made
 * wider later, or a clock that is set back, must not bring back what was forgotten.
 * @returns whether this response was accepted before, or may have been
 */
export function isReplay(replayMarkers: readonly string[], mark: string | null): boolean {
  if (mark === null) {
    return false;
  }
  const bottom = bottomOf(replayMarkers);
  return replayMarkers.includes(mark) || (bottom !== undefined && positionOf(mark) < bottom);
}

/**
 * @param oldest positions below this one can no longer match
 * @returns the marks to keep: the new one and those that could still match, after the bottom, which only moves up
 */
export function withReplayMarker(
  replayMarkers: readonly string[],
  mark: string | null,
  oldest: bigint,
): readonly string[] {
  if (mark === null) {
    return replayMarkers;
  }
  const known = bottomOf(replayMarkers) ?? 0n;
  const bottom = oldest > known ? oldest : known;
  const kept = replayMarkers.filter((entry) => !isBottom(entry) && positionOf(entry) >= bottom);
  return [...(bottom > 0n ? [`${bottom}:`] : []), ...kept, mark];
}

/** The bottom is written as a mark without a digest. */
function bottomOf(replayMarkers: readonly string[]): bigint | undefined {
  const bottom = replayMarkers.find(isBottom);
  return bottom === undefined ? undefined : positionOf(bottom);
}

function isBottom(entry: string): boolean {
  return entry.endsWith(':');
}
