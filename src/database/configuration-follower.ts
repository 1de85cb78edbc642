import { BackgroundLoop, type LoopPace } from '../kernel/background-loop.ts';
import { describeFault, type Log } from '../kernel/log.ts';
import { ConfigurationListener } from './configuration-listener.ts';
import type { DatabaseOptions } from './database.ts';
import { translateDatabaseFault } from './database-faults.ts';

/**
 * Milliseconds for which a server works with a configuration without comparing it with the database. A change whose
 * notice was lost is noticed after this time: docs/adr/0011-noticing-configuration-changes.md.
 */
export const CONFIGURATION_WINDOW_MS = 500;
/** Shorter than the window, so that requests find the configuration confirmed. */
const POLL_MS = 400;

/** The configuration that a server keeps. */
interface KeptConfiguration {
  /** Compares it with the database, and reads it anew if it has changed. */
  confirm(): Promise<unknown>;
  /** Marks it as unconfirmed. */
  expire(): void;
}

/** Requests that wait for changes of challenges. None of the functions may throw. */
interface ChallengeNotices {
  /** From now on every change is reported. */
  listening(): void;
  /** @param id the challenge's */
  changed(id: string): void;
  /** Changes from now on are not reported. */
  lost(): void;
}

/** The dependencies of a follower. */
export interface ConfigurationFollowerDependencies {
  readonly kept: KeptConfiguration;
  readonly database: DatabaseOptions;
  readonly log: Log;
  /** Milliseconds between two comparisons without a notice; 400 by default. */
  readonly poll?: number;
  /** Milliseconds after which a connection that gives no sign of life counts as lost; 5000 by default. */
  readonly heartbeat?: number;
  /** False where no notice arrives, as behind PgBouncer in transaction mode: only the intervals count. Default true. */
  readonly listens?: boolean | undefined;
  /** Gets the notices of challenges, which come over the same connection. */
  readonly challenges?: ChallengeNotices | undefined;
}

/**
 * Keeps a server's configuration in step with the database, with or without requests: at every notice, and at short
 * intervals, as a notice may get lost with its connection.
 */
export class ConfigurationFollower {
  readonly #deps: ConfigurationFollowerDependencies;
  readonly #listener: ConfigurationListener;
  readonly #loop = new BackgroundLoop((pace) => this.#follow(pace));
  /** True also without a listener. */
  #isListening: boolean;
  #isInStep = false;
  #isTrouble = false;

  constructor(options: ConfigurationFollowerDependencies) {
    this.#deps = options;
    this.#isListening = options.listens === false;
    this.#listener = new ConfigurationListener(options, {
      listening: () => {
        this.#isListening = true;
        options.challenges?.listening();
        // Earlier changes sent no notice to this connection.
        this.#hurry();
      },
      changed: () => {
        this.#hurry();
      },
      challengeChanged: (id) => {
        options.challenges?.changed(id);
      },
      lost: (fault) => {
        this.#isListening = false;
        options.challenges?.lost();
        this.#hurry();
        this.#reportTrouble(
          'The connection that tells of configuration changes is lost; asking for them instead',
          fault,
        );
      },
    });
  }

  /** Starts following. To be called once. */
  start(): void {
    if (this.#deps.listens !== false) {
      this.#listener.start();
    }
    this.#loop.start();
  }

  /** Stops comparing and ends the listener's connection, which takes half a second at most. */
  async stop(): Promise<void> {
    void this.#loop.stop();
    await this.#listener.stop();
  }

  #hurry(): void {
    this.#deps.kept.expire();
    this.#loop.wake();
  }

  async #follow({ restUntilWoken }: LoopPace): Promise<void> {
    const { kept, poll = POLL_MS } = this.#deps;
    await kept.confirm().then(
      () => {
        this.#isInStep = true;
        this.#reportEnd();
      },
      (fault: unknown) => {
        this.#isInStep = false;
        this.#reportTrouble('The configuration cannot be compared with the database', fault);
      },
    );
    await restUntilWoken(poll);
  }

  /** Logs one line when trouble begins and one when all of it has ended, however long the database is away. */
  #reportTrouble(message: string, fault: unknown): void {
    if (!this.#isTrouble && !this.#loop.isStopping) {
      this.#isTrouble = true;
      const described = describeFault(translateDatabaseFault(fault));
      this.#deps.log.warn(message, {
        component: 'configuration',
        fault: described.fault,
        faultDetail: described.faultDetail,
      });
    }
  }

  #reportEnd(): void {
    if (this.#isTrouble && this.#isListening && this.#isInStep) {
      this.#isTrouble = false;
      this.#deps.log.info('Configuration changes are told and read again', { component: 'configuration' });
    }
  }
}
