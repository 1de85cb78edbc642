import { setTimeout as sleep } from 'node:timers/promises';

import type pg from 'pg';

import { BackgroundLoop, type LoopPace } from '../kernel/background-loop.ts';
import { connectionSettings, type DatabaseOptions } from './database.ts';
import { cutConnection } from './knex-internals.ts';
import { SessionClient } from './session-settings.ts';

/** The channel of changes of the configuration; the payload is the name of the changed schema. */
const CHANNEL = 'tankeeper_configuration';
/** The channel of changes of watched challenges; the payload is the schema, a blank and the id of the challenge. */
const CHALLENGES = 'tankeeper_challenges';
const SCHEMA = `
  SELECT nspname AS schema FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
  WHERE pg_class.oid = 'configuration_state'::regclass`;

const HEARTBEAT_MS = 5_000;
const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 10_000;
/** The lifetime in milliseconds after which the next connection is tried without a longer pause. */
const STEADY_MS = 10_000;
const GOODBYE_MS = 300;

/** Events of a listener. None of the functions may throw. */
export interface ConfigurationListenerEvents {
  /** Called when the connection stands: from now on every change is reported. */
  readonly listening: () => void;
  /** The configuration has changed. */
  readonly changed: () => void;
  /** A watched challenge has changed, or its token's fail counter. */
  readonly challengeChanged: (id: string) => void;
  /** The connection has ended or failed; a new one is tried. Changes from now on are not reported. */
  readonly lost: (fault: unknown) => void;
}

/** The dependencies of a listener. */
export interface ConfigurationListenerDependencies {
  readonly database: DatabaseOptions;
  /** Milliseconds between two signs of life, and the longest wait for one; 5000 by default. */
  readonly heartbeat?: number | undefined;
}

/**
 * Listens for changes of the configuration on a connection of its own, which reconnects by itself. A pooled one would
 * lose its LISTEN.
 */
export class ConfigurationListener {
  readonly #database: DatabaseOptions;
  readonly #heartbeat: number;
  readonly #events: ConfigurationListenerEvents;
  readonly #loop = new BackgroundLoop((pace) => this.#connect(pace));
  #pause = FIRST_PAUSE_MS;

  constructor(
    { database, heartbeat = HEARTBEAT_MS }: ConfigurationListenerDependencies,
    events: ConfigurationListenerEvents,
  ) {
    this.#database = database;
    this.#heartbeat = heartbeat;
    this.#events = events;
  }

  /** Starts listening and returns at once; `listening` reports the connection. To be called once. */
  start(): void {
    this.#loop.start();
  }

  /** Ends the connection within half a second, even if it is broken or not yet established. */
  async stop(): Promise<void> {
    await this.#loop.stop();
  }

  async #connect({ signal, rest }: LoopPace): Promise<void> {
    const begun = performance.now();
    const fault = await this.#listen(signal);
    if (!signal.aborted) {
      this.#events.lost(fault);
      const wasSteady = performance.now() - begun > STEADY_MS;
      this.#pause = wasSteady ? FIRST_PAUSE_MS : Math.min(this.#pause * 2, MAX_PAUSE_MS);
      await rest(this.#pause);
    }
  }

  /** @returns the reason for which the connection has ended */
  async #listen(stopping: AbortSignal): Promise<unknown> {
    const client = new SessionClient({
      ...connectionSettings(this.#database),
      query_timeout: this.#heartbeat,
    });
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
      await Promise.race([this.#talk(client, ended.signal), whenAborted(ended.signal)]);
    } catch (error) {
      faults.push(error);
    } finally {
      stopping.removeEventListener('abort', end);
      await endSoon(client);
    }
    return faults[0];
  }

  /** @throws when the connection ends */
  async #talk(client: pg.Client, ended: AbortSignal): Promise<void> {
    await client.connect();
    await this.#subscribe(client);
    this.#events.listening();
    for (;;) {
      await sleep(this.#heartbeat, undefined, { signal: ended, ref: false });
      // A connection whose other end has vanished would be silent for ever.
      await client.query('SELECT 1');
    }
  }

  async #subscribe(client: pg.Client): Promise<void> {
    const { rows } = await client.query<{ schema: string }>(SCHEMA);
    const schema = rows[0]?.schema ?? '';
    client.on('notification', ({ channel, payload = '' }) => {
      if (channel === CHANNEL && payload === schema) {
        this.#events.changed();
      } else if (channel === CHALLENGES && payload.startsWith(`${schema} `)) {
        this.#events.challengeChanged(payload.slice(schema.length + 1));
      }
    });
    await client.query(`LISTEN ${CHANNEL}; LISTEN ${CHALLENGES}`);
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
