import { setTimeout as sleep } from 'node:timers/promises';
import type { KeyHolder } from '../../keys/sealing-keys.ts';
import { BackgroundLoop } from '../../kernel/background-loop.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { describeFault, type Log } from '../../kernel/log.ts';
import type { LiveVault } from './live-vault.ts';

/** The record of each server's keys. */
export interface KeyHolders {
  beat(id: string, holder: KeyHolder): Promise<void>;
  leave(id: string): Promise<void>;
}

/** Options of the key follower. */
export interface KeyFollowerDependencies {
  readonly vault: LiveVault;
  readonly holders: KeyHolders;
  /** Unique to this process. */
  readonly id: string;
  /** For operators: host name and process id. */
  readonly place: string;
  readonly log: Log;
  /** Milliseconds between two reads of the list; default 2000. */
  readonly pause?: number;
}

const PAUSE_MS = 2_000;
/** Maximum time that `stop` waits for the removal of its record, in milliseconds. */
const TIMEOUT_MS = 500;

/** Keeps a server's keys in step with the database's list of them, and records the keys that the server has. */
export class KeyFollower {
  readonly #deps: KeyFollowerDependencies;
  readonly #loop = new BackgroundLoop(async ({ signal, rest }) => {
    await rest(this.#deps.pause ?? PAUSE_MS);
    if (!signal.aborted) {
      await this.#follow();
    }
  });
  #missing: readonly string[] = [];
  #isTrouble = false;

  constructor(options: KeyFollowerDependencies) {
    this.#deps = options;
  }

  /**
   * Records the present keys first, then reads the needed ones: a key that is added meanwhile is either read here, or
   * the server that is about to use it sees this record.
   * @throws ServiceError 'key.unavailable' when a needed key is not available
   */
  async start(): Promise<void> {
    await this.#beat();
    const missing = await this.#deps.vault.refresh();
    if (missing.length > 0) {
      await this.#deps.holders.leave(this.#deps.id);
      throw new ServiceError(
        'key.unavailable',
        `The encryption key ${missing.join(', ')} was added a moment ago and is not here yet`,
      );
    }
    this.#loop.start();
  }

  async stop(): Promise<void> {
    await Promise.race([this.#end(), sleep(TIMEOUT_MS, undefined, { ref: false })]);
  }

  async #end(): Promise<void> {
    await this.#loop.stop();
    // If this fails, the record of the server expires some seconds later.
    await this.#deps.holders.leave(this.#deps.id).catch(() => undefined);
  }

  async #follow(): Promise<void> {
    try {
      try {
        await this.#refresh();
      } finally {
        // A server that cannot load a key continues, and the server that is about to use that key must know.
        await this.#beat();
      }
      this.#isTrouble = false;
    } catch (error) {
      this.#reportTrouble(error);
    }
  }

  async #refresh(): Promise<void> {
    const { vault, log } = this.#deps;
    const before = vault.currentKeyId;
    this.#report(await vault.refresh());
    if (vault.currentKeyId !== before) {
      log.info('Another encryption key seals from now on', { component: 'keys', keyId: vault.currentKeyId });
    }
  }

  async #beat(): Promise<void> {
    const { vault, holders, id, place } = this.#deps;
    await holders.beat(id, { place, keyIds: vault.keyIds, sealingKey: vault.currentKeyId });
  }

  /** Logs each missing key once. */
  #report(missing: readonly string[]): void {
    missing
      .filter((keyId) => !this.#missing.includes(keyId))
      .forEach((keyId) => {
        this.#deps.log.warn(
          'An encryption key was added that is not here yet: bring the key file here, it is read by itself',
          { component: 'keys', keyId },
        );
      });
    this.#missing = missing;
  }

  /** Logs once until it works again. */
  #reportTrouble(error: unknown): void {
    if (!this.#isTrouble) {
      this.#isTrouble = true;
      this.#deps.log.warn(
        'The list of encryption keys cannot be followed; those that are loaded still serve',
        {
          component: 'keys',
          ...describeFault(error),
        },
      );
    }
  }
}
