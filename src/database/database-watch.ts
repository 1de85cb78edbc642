import { setImmediate, setTimeout as sleep } from 'node:timers/promises';

import type pg from 'pg';

import { BackgroundLoop, type LoopPace } from '../kernel/background-loop.ts';
import { describeFault, type Log } from '../kernel/log.ts';
import type { ConnectionGate } from './connection-gate.ts';
import { askedSchemas, connectionSettings, type DatabaseOptions } from './database.ts';
import { DATABASE_TIME, type DatabaseClock } from './database-clock.ts';
import { cutConnection } from './knex-internals.ts';
import { DatabaseUnavailable, translateDatabaseFault } from './database-faults.ts';
import {
  assertSessionWorks,
  SESSION_QUESTION,
  type SessionAnswer,
  SessionClient,
} from './session-settings.ts';

/** Milliseconds between two signs of life, and the longest wait for one. */
const INTERVAL_MS = 1_000;
const TIMEOUT_MS = 3_000;
/** Milliseconds between two checks of an absent database, and the shortest time between any two checks. */
const AWAY_INTERVAL_MS = 250;
const MIN_INTERVAL_MS = 200;
/** The longest time for a new connection, in milliseconds. */
const CONNECT_MS = 1_500;
/** The number of parts of a time limit. A part that takes too long, as the process is busy, counts as one. */
const PARTS_OF_SILENCE = 10;

/** Milliseconds of difference between the machine's clock and the database's that are told, and that are well again. */
const TOLD_MS = 5_000;
const WELL_MS = 4_000;

const QUESTION = `${SESSION_QUESTION}, ${DATABASE_TIME} AS time`;

interface DatabaseWatchDependencies {
  readonly database: DatabaseOptions;
  readonly gate: ConnectionGate;
  /** Is kept at the time of the database. */
  readonly clock: DatabaseClock;
  readonly log: Log;
  /** Milliseconds between two signs of life; 1000 by default. */
  readonly interval?: number;
  /** Milliseconds to wait for one; 3000 by default. */
  readonly timeoutMs?: number;
}

/**
 * Watches the database and its clock on a connection of its own: at short intervals, as a dead connection gives no sign,
 * and at once after a request had trouble. Shuts the gate of the pool while the database is away.
 */
export class DatabaseWatch {
  readonly #deps: DatabaseWatchDependencies;
  readonly #loop = new BackgroundLoop((pace) => this.#watch(pace));
  #client: pg.Client | undefined;
  #isOffsetTold = false;

  constructor(options: DatabaseWatchDependencies) {
    this.#deps = options;
  }

  /** Starts watching, with the database present. To be called once. */
  start(): void {
    this.#deps.gate.onTrouble(() => {
      this.#loop.wake();
    });
    this.#loop.start();
  }

  /** Ends the connection. The gate stays as it is. */
  async stop(): Promise<void> {
    const stopped = this.#loop.stop();
    // Ends a running query.
    this.#drop();
    await stopped;
    this.#drop();
  }

  async #watch(pace: LoopPace): Promise<void> {
    const fault = await this.#probe();
    if (!pace.signal.aborted) {
      this.#report(fault);
      this.#reportOffset();
      await this.#rest(pace);
    }
  }

  async #rest({ rest, restUntilWoken }: LoopPace): Promise<void> {
    const { interval = INTERVAL_MS, gate } = this.#deps;
    if (gate.reason !== undefined) {
      await rest(AWAY_INTERVAL_MS);
      return;
    }
    await rest(Math.min(MIN_INTERVAL_MS, interval));
    if (await restUntilWoken(interval)) {
      // The trouble of requests may not affect an existing connection: the next turn uses a new one.
      this.#drop();
    }
  }

  /** @returns the fault that keeps the database from being used */
  async #probe(): Promise<unknown> {
    if (this.#client !== undefined) {
      const fault = await this.#ask(this.#client, this.#deps.timeoutMs ?? TIMEOUT_MS);
      if (fault === undefined) {
        return undefined;
      }
      this.#drop();
      if (fault instanceof Silence) {
        // The pool's connections will get no answer either; new ones may.
        this.#deps.gate.cut();
      }
    }
    return this.#probeAnew();
  }

  async #probeAnew(): Promise<unknown> {
    const client = new SessionClient({
      ...connectionSettings(this.#deps.database),
      connectionTimeoutMillis: 0,
    });
    client.on('error', () => {
      if (this.#client === client) {
        this.#loop.wake();
      }
    });
    this.#client = client;
    const fault = await orSilence(connectOrEnd(client), CONNECT_MS).then(
      () => this.#ask(client, CONNECT_MS),
      (error: unknown) => error,
    );
    if (fault !== undefined) {
      this.#drop();
    }
    return isFull(fault) ? undefined : fault;
  }

  async #ask(client: pg.Client, timeoutMs: number): Promise<unknown> {
    const { clock } = this.#deps;
    try {
      const begun = clock.begin();
      const { rows } = await orSilence(
        client.query<SessionAnswer & { readonly time: string }>(QUESTION),
        timeoutMs,
      );
      assertSessionWorks(rows[0], askedSchemas(this.#deps.database));
      if (rows[0]?.writable !== true) {
        return Object.assign(new Error('a standby, or read-only'), { code: '25006' });
      }
      clock.note(begun, rows[0].time);
      return undefined;
    } catch (error) {
      return error;
    }
  }

  #drop(): void {
    const client = this.#client;
    this.#client = undefined;
    if (client !== undefined) {
      cutConnection(client);
    }
  }

  /** Logs one line when the database goes and one when it returns, however many requests are refused. */
  #report(fault: unknown): void {
    const { gate, log } = this.#deps;
    if (fault === undefined && gate.reason !== undefined) {
      gate.open();
      log.info('The database is back', { component: 'database' });
    } else if (fault !== undefined && gate.reason === undefined) {
      const translated = translateDatabaseFault(fault);
      gate.shut(reasonOf(translated));
      gate.cut();
      const { fault: name, faultDetail } = describeFault(translated);
      log.error('The database is away: until it is back, what needs it is answered with 503 at once', {
        component: 'database',
        fault: name,
        faultDetail,
      });
    }
  }

  /** Logs one line when the machine's clock differs from the database's and one when it agrees again. */
  #reportOffset(): void {
    const { clock, log } = this.#deps;
    const { offset } = clock;
    const component = 'clock';
    const seconds = Math.round(offset / 100) / 10;
    if (!this.#isOffsetTold && Math.abs(offset) > TOLD_MS) {
      this.#isOffsetTold = true;
      log.warn(
        "The clock of this machine differs from the database's, which the service goes by: correct it (NTP)",
        { component, clockOffset: seconds },
      );
    } else if (this.#isOffsetTold && Math.abs(offset) <= WELL_MS) {
      this.#isOffsetTold = false;
      log.info("The clock of this machine agrees with the database's again", {
        component,
        clockOffset: seconds,
      });
    }
  }
}

/** The error for an answer that did not come in time. */
class Silence extends Error {
  constructor() {
    super('timeout expired');
  }
}

/** pg does not settle a connect() whose socket this side destroys. */
async function connectOrEnd(client: pg.Client): Promise<void> {
  const ended = new Promise<never>((_resolve, reject) => {
    client.once('end', () => {
      reject(new Error('Connection ended'));
    });
  });
  ended.catch(() => undefined);
  await Promise.race([client.connect(), ended]);
}

async function orSilence<Value>(work: Promise<Value>, timeoutMs: number): Promise<Value> {
  const waiting = new AbortController();
  const silence = async (): Promise<never> => {
    // In parts, and each ends with reading: while this process itself is busy, answers of the server stay unread, and a
    // new connection takes several of them.
    for (let part = 0; part < PARTS_OF_SILENCE; part += 1) {
      await sleep(timeoutMs / PARTS_OF_SILENCE, undefined, { signal: waiting.signal, ref: false });
      await setImmediate();
      await setImmediate();
    }
    throw new Silence();
  };
  work.catch(() => undefined);
  try {
    return await Promise.race([work, silence()]);
  } finally {
    waiting.abort();
  }
}

/** @returns true if the server has no free connection; it still serves those that it has */
function isFull(fault: unknown): boolean {
  const code = (fault as { code?: unknown } | undefined)?.code;
  return typeof code === 'string' && code.startsWith('53');
}

function reasonOf(translated: unknown): string {
  return translated instanceof DatabaseUnavailable ? translated.reason : 'it does not answer as it should';
}
