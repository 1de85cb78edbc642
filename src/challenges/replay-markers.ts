import { hash } from 'node:crypto';

/** The counter and time at which a response matched. */
export interface MatchedPosition {
  /** RFC 6287 C, for suites with a counter. */
  readonly counter?: bigint;
  /** The second at which the matched time step begins, for suites with a time step. */
  readonly stepStart?: bigint;
}

/**
 * The replay marker of an accepted response: its position and a hash of question and position. Two transactions may
 * carry the same question (the same display data with enough digits). A counter suite accepts a few counters back and a
 * time suite a few steps around, so the response to one would fit the other. Suites without counter and time have no
 * markers: their response depends on the question alone, and the same question must be answerable again.
 * @returns null for suites without counter and time
 */
export function replayMarker(question: string, { counter, stepStart }: MatchedPosition): string | null {
  const position = counter ?? stepStart;
  if (position === undefined) {
    return null;
  }
  const questionHash = hash('sha256', `${counter ?? ''}|${stepStart ?? ''}|${question}`, 'hex');
  return `${position}:${questionHash.slice(0, 32)}`;
}

/** @returns the counter, or the second at which the time step begins, of the marker */
export function positionOf(marker: string): bigint {
  return BigInt(marker.slice(0, marker.indexOf(':')));
}

/**
 * Treats every position below the bottom of the markers as accepted: a wider window or a clock that is set back must
 * not revive forgotten responses.
 * @returns true if this response was accepted before, or may have been
 */
export function isReplay(replayMarkers: readonly string[], marker: string | null): boolean {
  if (marker === null) {
    return false;
  }
  const bottom = bottomOf(replayMarkers);
  return replayMarkers.includes(marker) || (bottom !== undefined && positionOf(marker) < bottom);
}

/**
 * @param oldest positions below this one can no longer match
 * @returns the markers to keep: the bottom, which only moves up, then the new one and those that could still match
 */
export function withReplayMarker(
  replayMarkers: readonly string[],
  marker: string | null,
  oldest: bigint,
): readonly string[] {
  if (marker === null) {
    return replayMarkers;
  }
  const known = bottomOf(replayMarkers) ?? 0n;
  const bottom = oldest > known ? oldest : known;
  const kept = replayMarkers.filter((entry) => !isBottom(entry) && positionOf(entry) >= bottom);
  return [...(bottom > 0n ? [`${bottom}:`] : []), ...kept, marker];
}

/** Reads the bottom, which is stored as a marker without a hash. */
function bottomOf(replayMarkers: readonly string[]): bigint | undefined {
  const bottom = replayMarkers.find(isBottom);
  return bottom === undefined ? undefined : positionOf(bottom);
}

function isBottom(entry: string): boolean {
  return entry.endsWith(':');
}
