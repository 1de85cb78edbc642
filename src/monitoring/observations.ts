import type { ResponseReason } from '../challenges/challenge.ts';
import type { Clock } from '../kernel/clock.ts';
import type { ObservationStore, ResolverUse, ResponseMinute } from './observation-store.ts';

/** Upper bounds of the classes of durations, in milliseconds; a last class has all longer ones. */
const BOUNDS_MS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000] as const;

/** Numbers of responses by class of duration: none. */
export const NO_DURATIONS: readonly number[] = new Array<number>(BOUNDS_MS.length + 1).fill(0);

/** @returns the index of the class of a duration */
export function durationClass(milliseconds: number): number {
  const found = BOUNDS_MS.findIndex((bound) => milliseconds <= bound);
  return found === -1 ? BOUNDS_MS.length : found;
}

/** @returns the sums of both, class by class */
export function addDurations(one: readonly number[], other: readonly number[]): readonly number[] {
  return NO_DURATIONS.map((_none, place) => (one[place] ?? 0) + (other[place] ?? 0));
}

export function countOf(durations: readonly number[]): number {
  return durations.reduce((sum, number) => sum + number, 0);
}

/**
 * Estimates a quantile: durations are taken as evenly spread within their class.
 * @param share such as 0.95
 * @returns milliseconds, at most the last bound; undefined without responses
 */
export function quantile(durations: readonly number[], share: number): number | undefined {
  const total = countOf(durations);
  if (total === 0) {
    return undefined;
  }
  const rank = share * total;
  let before = 0;
  for (const [place, upper] of BOUNDS_MS.entries()) {
    const number = durations[place] ?? 0;
    if (number > 0 && before + number >= rank) {
      const lower = BOUNDS_MS[place - 1] ?? 0;
      return Math.round((lower + ((upper - lower) * (rank - before)) / number) * 10) / 10;
    }
    before += number;
  }
  return BOUNDS_MS.at(-1);
}

const MINUTE_MS = 60_000;

/**
 * Responses and uses of resolvers that this process has seen since it last told the database. Nothing waits for the
 * database: `flush` is called at intervals. What it cannot write is lost, so that nothing is counted twice.
 */
export class Observations {
  readonly #deps;
  #responses = new Map<number, Map<ResponseReason, number[]>>();
  #uses = new Map<string, { succeededAt?: Date; failedAt?: Date }>();

  constructor(dependencies: { readonly store: Pick<ObservationStore, 'add'>; readonly clock: Clock }) {
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
