import type { Clock } from '../kernel/clock.ts';
import type { KeyRotationStore } from './key-rotation-store.ts';
import type { KeyHolder, KeyState } from './vault.ts';
import type { PolicyBase } from '../policy/right-decision.ts';

/** A key whose secrets are not counted, or are. */
type ShownKey = Omit<KeyState, 'secrets'> & { readonly secrets?: number };

/** The keys, and the running servers. Holds nothing of a key but its id. */
export interface KeyOverviewReport {
  readonly keys: readonly ShownKey[];
  readonly servers: readonly KeyHolder[];
  /** The time at which the secrets were counted; undefined: they were not. */
  readonly countedAt: Date | undefined;
}

interface KeyOverviewDependencies {
  readonly configuration: { current(): Promise<PolicyBase> };
  readonly keys: Pick<KeyRotationStore, 'entries' | 'states' | 'holders'>;
  readonly clock: Clock;
}

interface Count {
  readonly keys: readonly KeyState[];
  readonly at: Date;
}

/** Milliseconds for which a count is shown again: it reads all tokens. */
const COUNT_LASTS_MS = 10_000;

/**
 * The state of the keys for administrators. Needs the right `system/read`.
 *
 * Keys are changed at the machine only, by `KeyService`. A new key is a line in a file on one machine, which the
 * operator must copy to the others before a server there starts again; a rotation runs for minutes, beyond any request;
 * and a retired key that is lost makes backups useless. None of this can an administrator do through the network, and a
 * stolen session could lock servers out.
 */
export class KeyOverview {
  readonly #deps: KeyOverviewDependencies;
  #counting: Promise<Count> | undefined;

  constructor(dependencies: KeyOverviewDependencies) {
    this.#deps = dependencies;
  }

  /** @param isCounted counts the secrets of each key; takes seconds with a million tokens */
  async show(isCounted: boolean): Promise<KeyOverviewReport> {
    const { keys } = this.#deps;
    const servers = await keys.holders();
    if (!isCounted) {
      return { keys: await keys.entries(), servers, countedAt: undefined };
    }
    const { keys: counted, at } = await this.#count();
    return { keys: counted, servers, countedAt: at };
  }

  /** Requests at the same time, and those right after, share one count. */
  async #count(): Promise<Count> {
    const running = this.#counting;
    const last = await running;
    if (last !== undefined && this.#deps.clock.now().getTime() - last.at.getTime() < COUNT_LASTS_MS) {
      return last;
    }
    // Another request may have begun meanwhile.
    return this.#counting === undefined || this.#counting === running ? this.#begin() : this.#counting;
  }

  #begin(): Promise<Count> {
    const counting = this.#deps.keys.states().then((keys) => ({ keys, at: this.#deps.clock.now() }));
    this.#counting = counting;
    counting.catch(() => {
      this.#counting = undefined;
    });
    return counting;
  }
}
