import type { StreamPlaces } from '../../http/limits/stream-places.ts';
import { withTimeLimit } from '../../kernel/time-limit.ts';
import type { Conversation } from './conversation.ts';

/** Milliseconds for which a stream waits for its place. */
const TIMEOUT_MS = 2_000;
/** Milliseconds after which a late answer comes no more. */
const LATEST_MS = 60_000;

/**
 * @param worker the process that takes the places
 * @param patience milliseconds
 * @returns the places of streams, which the primary counts. One that it gives too late is given back
 */
export function placesOfPrimary(
  conversation: Pick<Conversation, 'ask'>,
  worker: number,
  patience = TIMEOUT_MS,
): StreamPlaces {
  const leave = (administrator: string): void => {
    // A primary that is gone needs no answer.
    conversation.ask('leave stream', { process: worker, administrator }).catch(() => undefined);
  };
  return {
    take: async (administrator) => {
      const taken = conversation.ask('take stream', { process: worker, administrator }, LATEST_MS).then(
        (answer) => answer === true,
        () => false,
      );
      try {
        return await withTimeLimit(patience, taken, () => new Error('the primary is late'));
      } catch {
        void taken.then((isTaken) => {
          if (isTaken) {
            leave(administrator);
          }
        });
        return false;
      }
    },
    leave,
  };
}
