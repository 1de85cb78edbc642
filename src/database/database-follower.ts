import pg from 'pg';
import { BackgroundLoop, type LoopPace } from '../kernel/background-loop.ts';
import { describeFault, type Log } from '../kernel/log.ts';
import { DATABASE_TIME, type DatabaseClock } from './database-clock.ts';
import { takesNoWrites, translateDatabaseFault } from './database-faults.ts';
import { connectionSettings, type PoolOptions, requestedOptions } from './pool.ts';
import { beginSession, WRITABLE } from './session-settings.ts';

/**
 * Milliseconds for which a server works with a configuration without comparing it with the database. A change whose
 * notice was lost is noticed after this time: docs/adr/0011-noticing-configuration-changes.md.
 */
export const CONFIGURATION_WINDOW_MS = 500;
/** Shorter than the window, so that requests find the configuration confirmed. */
const POLL_MS = 400;
/** Milliseconds between two signs of life, and the shortest time between them. */
const LOOK_MS = 500;
const PAUSE_MS = 50;
/** After this time without an answer, the connection counts as lost. */
const ANSWER_MS = 5_000;
/** The longest wait for the end of a look, when it is stopped. */
const STOP_MS = 300;

/** The channel of changes of the configuration; the payload is the name of the changed schema. */
const CHANNEL = 'tankeeper_configuration';
const SCHEMA = `
  SELECT nspname AS schema FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
  WHERE pg_class.oid = 'configuration_state'::regclass`;
const LOOK = `SELECT ${DATABASE_TIME} AS time, ${WRITABLE} AS writable`;

/** Milliseconds of difference between the machine's clock and the database's of which the log warns, and that end it. */
const OFFSET_WARNING_MS = 5_000;
const OFFSET_WELL_MS = 4_000;

/** What a server keeps in memory of the database: its configuration, and credentials that were valid. */
interface ServerMemory {
  /** Compares the configuration with the database, and reads it anew if it has changed. */
  confirm(): Promise<unknown>;
  /** Marks the configuration as unconfirmed, and forgets the credentials. */
  expire(): void;
  /** @param hasNotices whether notices of changes arrive from now on: without, no credentials are kept */
  follow(hasNotices: boolean): void;
}

/**
 * Keeps a server's configuration and clock in step with the database, with or without requests: at every notice, and at
 * short intervals, as a notice may get lost with its connection. It has a connection of its own, as a pooled one would
 * lose its LISTEN, and makes a new one where that is lost.
 */
export class DatabaseFollower {
  readonly #deps;
  readonly #comparing = new BackgroundLoop((pace) => this.#compare(pace), STOP_MS);
  readonly #looking = new BackgroundLoop((pace) => this.#turn(pace), STOP_MS);
  #client: pg.Client | undefined;
  #isAway = false;
  #isOffsetLogged = false;

  constructor(options: {
    readonly memory: ServerMemory;
    /** Is kept at the time of the database. */
    readonly clock: DatabaseClock;
    readonly database: PoolOptions;
    readonly log: Log;
    /** Milliseconds between two comparisons without a notice; 400 by default. */
    readonly poll?: number;
    /** Milliseconds after which a connection that gives no answer counts as lost; 5000 by default. */
    readonly answer?: number;
    /** False where no notice arrives, as behind PgBouncer in transaction mode: only the intervals count. Default true. */
    readonly listens?: boolean | undefined;
  }) {
    this.#deps = options;
  }

  start(): void {
    this.#looking.start();
    this.#comparing.start();
  }

  /** Ends the connection within half a second, even if it is broken or not yet established. */
  async stop(): Promise<void> {
    const stopped = Promise.all([this.#looking.stop(), this.#comparing.stop()]);
    // Ends a running question.
    this.#drop(this.#client);
    await stopped;
  }

  async #compare({ restUntilWoken }: LoopPace): Promise<void> {
    // What fails here fails requests, too, and is logged for these.
    await this.#deps.memory.confirm().catch(() => undefined);
    await restUntilWoken(this.#deps.poll ?? POLL_MS);
  }

  async #turn({ signal, rest, restUntilWoken }: LoopPace): Promise<void> {
    const fault = await this.#look().catch((error: unknown) => error);
    if (!signal.aborted) {
      this.#report(fault);
      this.#reportOffset();
      await rest(PAUSE_MS);
      await restUntilWoken(LOOK_MS);
    }
  }

  async #look(): Promise<void> {
    const client = this.#client ?? (await this.#connect());
    const { clock } = this.#deps;
    try {
      const begun = clock.begin();
      const { rows } = await client.query<{ time: string; writable: boolean }>(LOOK);
      if (rows[0]?.writable !== true) {
        throw takesNoWrites();
      }
      clock.note(begun, rows[0].time);
    } catch (error) {
      this.#drop(client);
      throw error;
    }
  }

  async #connect(): Promise<pg.Client> {
    const { database, answer = ANSWER_MS, listens = true, memory } = this.#deps;
    const client = new pg.Client({ ...connectionSettings(database), query_timeout: answer });
    this.#client = client;
    const lose = (): void => {
      this.#drop(client);
    };
    client.on('error', lose);
    client.on('end', lose);
    try {
      await client.connect();
      await beginSession(client, requestedOptions(database));
      if (listens) {
        await this.#listen(client);
        memory.follow(true);
      }
    } catch (error) {
      this.#drop(client);
      throw error;
    }
    // Earlier changes sent no notice to this connection.
    this.#hurry();
    return client;
  }

  async #listen(client: pg.Client): Promise<void> {
    const { rows } = await client.query<{ schema: string }>(SCHEMA);
    client.on('notification', ({ channel, payload = '' }) => {
      if (channel === CHANNEL && payload === rows[0]?.schema) {
        this.#hurry();
      }
    });
    await client.query(`LISTEN ${CHANNEL}`);
  }

  #drop(client: pg.Client | undefined): void {
    if (client !== undefined && this.#client === client) {
      this.#client = undefined;
      this.#deps.memory.follow(false);
      this.#hurry();
      this.#looking.wake();
      void client.end();
    }
  }

  #hurry(): void {
    this.#deps.memory.expire();
    this.#comparing.wake();
  }

  /** Logs one line when the database goes and one when it returns. */
  #report(fault: unknown): void {
    const { log } = this.#deps;
    if (fault !== undefined && !this.#isAway) {
      const { fault: name, faultDetail } = describeFault(translateDatabaseFault(fault));
      log.error('The database is away: what needs it is answered with 503', {
        component: 'database',
        fault: name,
        faultDetail,
      });
    } else if (fault === undefined && this.#isAway) {
      log.info('The database is back', { component: 'database' });
    }
    this.#isAway = fault !== undefined;
  }

  /** Logs one line when the machine's clock differs from the database's and one when it agrees again. */
  #reportOffset(): void {
    const { clock, log } = this.#deps;
    const { offset } = clock;
    const component = 'clock';
    const clockOffset = Math.round(offset / 100) / 10;
    if (!this.#isOffsetLogged && Math.abs(offset) > OFFSET_WARNING_MS) {
      this.#isOffsetLogged = true;
      log.warn(
        "The clock of this machine differs from the database's, which the service goes by: correct it (NTP)",
        { component, clockOffset },
      );
    } else if (this.#isOffsetLogged && Math.abs(offset) <= OFFSET_WELL_MS) {
      this.#isOffsetLogged = false;
      log.info("The clock of this machine agrees with the database's again", { component, clockOffset });
    }
  }
}
