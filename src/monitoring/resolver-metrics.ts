import { Counter, Gauge, type Registry } from 'prom-client';
import type { Clock } from '../kernel/clock.ts';

/** The most resolvers with series of their own. */
const MAX_RESOLVERS = 100;
/** The label of all further resolvers together. No resolver has this name, as a name has no parentheses. */
const OTHER_RESOLVERS = '(other)';

/** The times of the last uses of a resolver, in seconds since 1970. */
interface LastUses {
  readonly success?: number;
  readonly failure?: number;
}

/** Metrics of resolvers, by their names, from their use: nothing is asked of a resolver for them. */
export class ResolverMetrics {
  readonly #clock: Clock;
  readonly #requests: Counter<'resolver' | 'outcome'>;
  readonly #countFailures: Counter<'resolver'>;
  readonly #staleAnswers: Counter<'resolver'>;
  readonly #counted = new Map<string, Date>();
  readonly #uses = new Map<string, LastUses>();
  readonly #labels = new Set<string>();
  #configured: () => readonly string[] | undefined = () => undefined;

  constructor({ registry, clock }: { readonly registry: Registry; readonly clock: Clock }) {
    const registers = [registry];
    this.#clock = clock;
    this.#requests = new Counter({
      name: 'tankeeper_resolver_requests_total',
      help: 'Requests to a resolver by outcome: answered, unavailable',
      labelNames: ['resolver', 'outcome'],
      registers,
    });
    this.#countFailures = new Counter({
      name: 'tankeeper_resolver_count_failures_total',
      help: "Failed or late counts of a resolver's users",
      labelNames: ['resolver'],
      registers,
    });
    this.#staleAnswers = new Counter({
      name: 'tankeeper_resolver_stale_answers_total',
      help: "Answers with the last known number of a resolver's users",
      labelNames: ['resolver'],
      registers,
    });
    this.#addAges(registry);
    this.#addHealth(registry);
  }

  /**
   * Shows the health of configured resolvers only, from now on.
   * @param names returns the names of all resolvers, undefined where they are not known at present
   */
  follow(names: () => readonly string[] | undefined): void {
    this.#configured = names;
  }

  /** Counts a use of a resolver. @param isAnswered false: it was unavailable */
  resolverUsed(resolver: string, isAnswered: boolean): void {
    const outcome = isAnswered ? 'answered' : 'unavailable';
    this.#requests.inc({ resolver: this.#label(resolver), outcome });
    this.#note(resolver, isAnswered ? { success: this.#now() } : { failure: this.#now() });
  }

  /** Counts a resolver that failed, or did not answer in time. */
  resolverFailed(resolver: string): void {
    this.#countFailures.inc({ resolver: this.#label(resolver) });
    this.#note(resolver, { failure: this.#now() });
  }

  /** Counts an answer with a last known count. */
  staleAnswered(resolver: string): void {
    this.#staleAnswers.inc({ resolver: this.#label(resolver) });
  }

  /** Sets the time of the last count of a resolver's users. */
  lastCounted(resolver: string, at: Date): void {
    this.#counted.set(this.#label(resolver), at);
  }

  /** Removes the metrics of a resolver that no longer exists, or whose counts are void. */
  resolverForgotten(resolver: string): void {
    this.#counted.delete(resolver);
    this.#uses.delete(resolver);
    this.#labels.delete(resolver);
    this.#countFailures.remove({ resolver });
    this.#staleAnswers.remove({ resolver });
    for (const outcome of ['answered', 'unavailable']) {
      this.#requests.remove({ resolver, outcome });
    }
  }

  #note(resolver: string, use: LastUses): void {
    const label = this.#label(resolver);
    this.#uses.set(label, { ...this.#uses.get(label), ...use });
  }

  #now(): number {
    return this.#clock.now().getTime() / 1000;
  }

  #label(resolver: string): string {
    if (!this.#labels.has(resolver) && this.#labels.size >= MAX_RESOLVERS) {
      return OTHER_RESOLVERS;
    }
    this.#labels.add(resolver);
    return resolver;
  }

  #addAges(registry: Registry): void {
    const counted = this.#counted;
    const now = (): number => this.#now();
    new Gauge({
      name: 'tankeeper_resolver_count_age_seconds',
      help: 'Time since the users of a resolver were counted last',
      labelNames: ['resolver'],
      registers: [registry],
      collect() {
        this.reset();
        for (const [resolver, at] of counted) {
          this.set({ resolver }, Math.max(0, now() - at.getTime() / 1000));
        }
      },
    });
  }

  #addHealth(registry: Registry): void {
    const add = (name: string, help: string, valueOf: (uses: LastUses) => number | undefined): void => {
      const uses = (): readonly (readonly [string, LastUses])[] => this.#presentUses();
      new Gauge({
        name,
        help,
        labelNames: ['resolver'],
        registers: [registry],
        collect() {
          this.reset();
          for (const [resolver, last] of uses()) {
            const value = valueOf(last);
            if (value !== undefined) {
              this.set({ resolver }, value);
            }
          }
        },
      });
    };
    add(
      'tankeeper_resolver_up',
      'Whether the last use of a resolver succeeded: 1 or 0; no value before the first use',
      ({ success = 0, failure = 0 }) => (success >= failure ? 1 : 0),
    );
    add(
      'tankeeper_resolver_last_success_timestamp_seconds',
      'Time of the last answer of a resolver',
      ({ success }) => success,
    );
    add(
      'tankeeper_resolver_last_failure_timestamp_seconds',
      'Time at which a resolver was last found to be unavailable',
      ({ failure }) => failure,
    );
  }

  #presentUses(): readonly (readonly [string, LastUses])[] {
    const configured = this.#configured();
    return [...this.#uses].filter(
      ([resolver]) =>
        configured === undefined || resolver === OTHER_RESOLVERS || configured.includes(resolver),
    );
  }
}
