import type { StreamPlaces } from '../../http/limits/stream-places.ts';
import { withTimeLimit } from '../../kernel/time-limit.ts';
import type { Conversation } from './conversation.ts';

/** Milliseconds for which a stream waits for its place. */
const TIMEOUT_MS = 2_000;
/** Milliseconds after which a late answer comes no more. */
const LATEST_MS = 60_000;

/**
 * @param worker the process that takes the places
 * @param timeoutMs milliseconds
 * @returns the places of streams, which the primary counts. One that it gives too late is given back
 */
export function placesOfPrimary(
  conversation: Pick<Conversation, 'request'>,
  worker: number,
  timeoutMs = TIMEOUT_MS,
): StreamPlaces {
  const release = (administrator: string): void => {
    // A primary that is gone needs no answer.
    conversation.request('release stream', { process: worker, administrator }).catch(() => undefined);
  };
  return {
    acquire: async (administrator) => {
      const acquired = conversation
        .request('acquire stream', { process: worker, administrator }, LATEST_MS)
        .then(
          (answer) => answer === true,
          () => false,
        );
      try {
        return await withTimeLimit(timeoutMs, acquired, () => new Error('the primary is late'));
      } catch {
        void acquired.then((isAcquired) => {
          if (isAcquired) {
            release(administrator);
          }
        });
        return false;
      }
    },
    release,
  };
}
