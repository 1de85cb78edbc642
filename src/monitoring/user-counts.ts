import { ServiceError } from '../kernel/errors.ts';
import { quotedName } from './quoted-name.ts';

/** A resolver that did not tell how many users it has. */
interface Failure {
  readonly name: string;
  readonly reason: unknown;
}

/**
 * Asks all resolvers at once how many users they have.
 * @param names of the resolvers, each once
 * @param ask how many users the resolver of that name has
 * @param timeLimit milliseconds that each resolver has; one that hangs holds up nobody for longer
 * @returns the number of users by the resolver's name, of every one of them
 * @throws ServiceError 'resolver.unavailable' that names every resolver which failed or did not answer in time: a
 *   failure never reads as no users
 */
export async function countUsers(
  names: readonly string[],
  ask: (name: string) => Promise<number>,
  timeLimit: number,
): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  const failures: Failure[] = [];
  await Promise.all(
    names.map(async (name) => {
      try {
        counts.set(name, await within(timeLimit, ask(name)));
      } catch (reason) {
        failures.push({ name, reason });
      }
    }),
  );
  if (failures.length > 0) {
    throw unavailable(failures);
  }
  return counts;
}

function unavailable(failures: readonly Failure[]): ServiceError {
  const names = failures.map(({ name }) => quotedName(name)).sort();
  return new ServiceError(
    'resolver.unavailable',
    `Users cannot be counted, resolver unavailable: ${names.join(', ')}`,
    { cause: new AggregateError(failures.map(({ reason }) => reason)) },
  );
}

async function within<Value>(timeLimit: number, work: Promise<Value>): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`No answer within ${timeLimit} ms`));
    }, timeLimit);
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}
