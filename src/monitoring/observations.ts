import type { ResponseReason } from '../challenges/challenge.ts';
import type { Clock } from '../kernel/clock.ts';
import type { ObservationStore, ResolverUse, ResponseMinute } from './observation-store.ts';
import { durationClass, NO_DURATIONS } from './response-durations.ts';

const MINUTE_MS = 60_000;

/** The dependencies of observations. */
export interface ObservationDependencies {
  readonly store: Pick<ObservationStore, 'add'>;
  readonly clock: Clock;
}

/**
 * Responses and uses of resolvers that this process has seen since it last told the database. Nothing waits for the
 * database: `flush` is called at intervals. What it cannot write is lost, so that nothing is counted twice.
 */
export class Observations {
  readonly #deps: ObservationDependencies;
  #responses = new Map<number, Map<ResponseReason, number[]>>();
  #uses = new Map<string, { succeededAt?: Date; failedAt?: Date }>();

  constructor(dependencies: ObservationDependencies) {
    this.#deps = dependencies;
  }

  responseEnded(reason: ResponseReason, milliseconds: number): void {
    const now = this.#deps.clock.now().getTime();
    const minute = now - (now % MINUTE_MS);
    const outcomes = this.#responses.get(minute) ?? new Map<ResponseReason, number[]>();
    this.#responses.set(minute, outcomes);
    const durations = outcomes.get(reason) ?? [...NO_DURATIONS];
    outcomes.set(reason, durations);
    const place = durationClass(milliseconds);
    durations[place] = (durations[place] ?? 0) + 1;
  }

  /** @param isAnswered false: it was unavailable */
  resolverUsed(resolver: string, isAnswered: boolean): void {
    this.#useOf(resolver)[isAnswered ? 'succeededAt' : 'failedAt'] = this.#deps.clock.now();
  }

  /** Writes what was seen since the last call. @throws the error of the database; these numbers are then lost */
  async flush(): Promise<void> {
    const seen = { responses: responseMinutes(this.#responses), resolvers: resolverUses(this.#uses) };
    this.#responses = new Map();
    this.#uses = new Map();
    if (seen.responses.length > 0 || seen.resolvers.length > 0) {
      await this.#deps.store.add(seen);
    }
  }

  #useOf(resolver: string): { succeededAt?: Date; failedAt?: Date } {
    const use = this.#uses.get(resolver) ?? {};
    this.#uses.set(resolver, use);
    return use;
  }
}

function responseMinutes(
  seen: ReadonlyMap<number, ReadonlyMap<ResponseReason, readonly number[]>>,
): readonly ResponseMinute[] {
  return [...seen].flatMap(([minute, outcomes]) =>
    [...outcomes].map(([outcome, durations]) => ({ minute: new Date(minute), outcome, durations })),
  );
}

function resolverUses(seen: ReadonlyMap<string, Omit<ResolverUse, 'resolver'>>): readonly ResolverUse[] {
  return [...seen].map(([resolver, use]) => ({ resolver, ...use }));
}
