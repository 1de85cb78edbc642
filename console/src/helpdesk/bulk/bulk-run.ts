import { ServerFailure } from '../../api/server-failure.ts';

/** Acts that run at once. */
const AT_ONCE = 4;
/** Attempts at an act that a limit of the server refuses. */
const ATTEMPTS = 6;
const TOO_MANY_REQUESTS = 429;

interface BulkFailure {
  readonly serial: string;
  readonly error: Error;
}

/** What has become of the tokens: each is in one of the lists. */
export interface BulkResult {
  readonly done: readonly string[];
  readonly failed: readonly BulkFailure[];
  /** Those that were not begun, as the run was stopped. */
  readonly left: readonly string[];
}

interface BulkWork {
  readonly serials: readonly string[];
  readonly act: (serial: string) => Promise<unknown>;
  /** Stops the run; acts that were sent come to their end. */
  readonly signal: AbortSignal;
  readonly onProgress: (ended: number) => void;
  readonly pause: (seconds: number) => Promise<void>;
}

/**
 * Acts on tokens, a few at once. Stops by itself where the login has ended or no server answers; one token that is
 * refused keeps none of the others.
 */
export async function runBulk({ serials, act, signal, onProgress, pause }: BulkWork): Promise<BulkResult> {
  const left = [...serials].reverse();
  const done: string[] = [];
  const failed: BulkFailure[] = [];
  let isStopped = false;
  const work = async (): Promise<void> => {
    for (let serial = next(); serial !== undefined; serial = next()) {
      try {
        await patiently(() => act(serial), pause);
        done.push(serial);
      } catch (error) {
        failed.push({ serial, error: error instanceof Error ? error : new Error(String(error)) });
        isStopped ||= endsAll(error);
      }
      onProgress(done.length + failed.length);
    }
  };
  const next = (): string | undefined => (isStopped || signal.aborted ? undefined : left.pop());
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return { done, failed, left: left.reverse() };
}

/** A request that a limit refuses has changed nothing, and is sent again. */
async function patiently(act: () => Promise<unknown>, pause: BulkWork['pause']): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await act();
      return;
    } catch (error) {
      const isLimit = error instanceof ServerFailure && error.status === TOO_MANY_REQUESTS;
      if (!isLimit || attempt === ATTEMPTS) {
        throw error;
      }
      await pause(error.retryAfter ?? 1);
    }
  }
}

function endsAll(error: unknown): boolean {
  return error instanceof ServerFailure && (error.isSignedOut || error.isAway);
}
