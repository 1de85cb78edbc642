import { setTimeout as sleep } from 'node:timers/promises';

import type pg from 'pg';

import { BackgroundLoop, type LoopPace } from '../kernel/background-loop.ts';
import { describeFault, type Log } from '../kernel/log.ts';
import { connectionSettings, type DatabaseOptions } from './database.ts';
import { translateDatabaseFault } from './database-faults.ts';
import { cutConnection } from './knex-internals.ts';
import { SessionClient } from './session-settings.ts';

/**
 * Milliseconds for which a server works with a configuration without comparing it with the database. A change whose
 * notice was lost is noticed after this time: docs/adr/0011-noticing-configuration-changes.md.
 */
export const CONFIGURATION_WINDOW_MS = 500;
/** Shorter than the window, so that requests find the configuration confirmed. */
const POLL_MS = 400;

/** The channel of changes of the configuration; the payload is the name of the changed schema. */
const CHANNEL = 'tankeeper_configuration';
const SCHEMA = `
  SELECT nspname AS schema FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
  WHERE pg_class.oid = 'configuration_state'::regclass`;

const HEARTBEAT_MS = 5_000;
const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 10_000;
/** The lifetime in milliseconds after which the next connection is tried without a longer pause. */
const STEADY_MS = 10_000;
const GOODBYE_MS = 300;

/** The configuration that a server keeps. */
interface KeptConfiguration {
  /** Compares it with the database, and reads it anew if it has changed. */
  confirm(): Promise<unknown>;
  /** Marks it as unconfirmed. */
  expire(): void;
  /** @param isTold whether notices of changes arrive from now on */
  follow?(isTold: boolean): void;
}

interface ConfigurationFollowerDependencies {
  readonly kept: KeptConfiguration;
  readonly database: DatabaseOptions;
  readonly log: Log;
  /** Milliseconds between two comparisons without a notice; 400 by default. */
  readonly poll?: number;
  /** Milliseconds after which a connection that gives no sign of life counts as lost; 5000 by default. */
  readonly heartbeat?: number;
  /** False where no notice arrives, as behind PgBouncer in transaction mode: only the intervals count. Default true. */
  readonly listens?: boolean | undefined;
}

/**
 * Keeps a server's configuration in step with the database, with or without requests: at every notice, and at short
 * intervals, as a notice may get lost with its connection. It listens on a connection of its own, which reconnects by
 * itself; a pooled one would lose its LISTEN.
 */
export class ConfigurationFollower {
  readonly #deps: ConfigurationFollowerDependencies;
  readonly #comparing = new BackgroundLoop((pace) => this.#compare(pace));
  readonly #listening = new BackgroundLoop((pace) => this.#listen(pace));
  #pause = FIRST_PAUSE_MS;
  /** True also where it does not listen. */
  #isListening: boolean;
  #isInStep = false;
  #isTrouble = false;

  constructor(options: ConfigurationFollowerDependencies) {
    this.#deps = options;
    this.#isListening = options.listens === false;
  }

  start(): void {
    if (this.#deps.listens !== false) {
      this.#listening.start();
    }
    this.#comparing.start();
  }

  /** Stops comparing and ends the connection within half a second, even if it is broken or not yet established. */
  async stop(): Promise<void> {
    void this.#comparing.stop();
    await this.#listening.stop();
  }

  #hurry(): void {
    this.#deps.kept.expire();
    this.#comparing.wake();
  }

  async #compare({ restUntilWoken }: LoopPace): Promise<void> {
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

  async #listen({ signal, rest }: LoopPace): Promise<void> {
    const begun = performance.now();
    const fault = await this.#untilEnd(signal);
    if (!signal.aborted) {
      this.#isListening = false;
      this.#hurry();
      this.#reportTrouble(
        'The connection that tells of configuration changes is lost; asking for them instead',
        fault,
      );
      const wasSteady = performance.now() - begun > STEADY_MS;
      this.#pause = wasSteady ? FIRST_PAUSE_MS : Math.min(this.#pause * 2, MAX_PAUSE_MS);
      await rest(this.#pause);
    }
  }

  /** @returns the reason for which the connection has ended */
  async #untilEnd(stopping: AbortSignal): Promise<unknown> {
    const { database, heartbeat = HEARTBEAT_MS } = this.#deps;
    const client = new SessionClient({ ...connectionSettings(database), query_timeout: heartbeat });
    const ended = new AbortController();
    const faults: unknown[] = [];
    client.on('error', (error) => {
      faults.push(error);
    });
    const end = (): void => {
      ended.abort();
    };
    client.once('end', end);
    stopping.addEventListener('abort', end, { once: true });
    try {
      // pg does not settle a connect() that this side gives up.
      await Promise.race([this.#talk(client, heartbeat, ended.signal), whenAborted(ended.signal)]);
    } catch (error) {
      faults.push(error);
    } finally {
      this.#deps.kept.follow?.(false);
      stopping.removeEventListener('abort', end);
      await endSoon(client);
    }
    return faults[0];
  }

  /** @throws when the connection ends */
  async #talk(client: pg.Client, heartbeat: number, ended: AbortSignal): Promise<void> {
    await client.connect();
    await this.#subscribe(client);
    this.#isListening = true;
    this.#deps.kept.follow?.(true);
    // Earlier changes sent no notice to this connection.
    this.#hurry();
    for (;;) {
      await sleep(heartbeat, undefined, { signal: ended, ref: false });
      // A connection whose other end has vanished would be silent for ever.
      await client.query('SELECT 1');
    }
  }

  async #subscribe(client: pg.Client): Promise<void> {
    const { rows } = await client.query<{ schema: string }>(SCHEMA);
    const schema = rows[0]?.schema ?? '';
    client.on('notification', ({ channel, payload = '' }) => {
      if (channel === CHANNEL && payload === schema) {
        this.#hurry();
      }
    });
    await client.query(`LISTEN ${CHANNEL}`);
  }

  /** Logs one line when trouble begins and one when all of it has ended, however long the database is away. */
  #reportTrouble(message: string, fault: unknown): void {
    if (!this.#isTrouble && !this.#comparing.isStopping) {
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

function whenAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => {
      reject(new Error('Connection ended'));
    });
  });
}

/** Ends the connection; a server that does not answer must not keep the process alive. */
async function endSoon(client: pg.Client): Promise<void> {
  const cut = new AbortController();
  const goodbye = client.end().finally(() => {
    cut.abort();
  });
  await Promise.race([goodbye, sleep(GOODBYE_MS, undefined, { signal: cut.signal })]).catch(() => undefined);
  cutConnection(client);
}
