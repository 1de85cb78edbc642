import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

import { type ServerProcess, startServerProcess } from '../../support/servers/server-process.ts';

/** Milliseconds between two attempts to start a server, as of a service manager. */
const RESTART_MS = 250;

/** Starts a server. @throws if it ends before it listens */
export type StartServer = () => Promise<ServerProcess>;

/** The place of a server, and its present process. */
interface Place {
  readonly start: StartServer;
  server: ServerProcess;
  /** Settled while its server runs; else resolves when the next one runs. */
  starting: Promise<void>;
  isUp: boolean;
}

/** Servers on one database. One that has ended is started again, repeatedly while the database is away. */
export class ServerFleet {
  readonly #places: readonly Place[];
  /** Outputs of servers whose start failed because the database was away. */
  readonly refusedStarts: string[] = [];
  #isClosing = false;

  private constructor(places: readonly Place[]) {
    this.#places = places;
  }

  /** Starts the first one, which makes tables and key, and then the others. */
  static async start(starts: readonly StartServer[]): Promise<ServerFleet> {
    const places: Place[] = [];
    const add = async (start: StartServer, place: number): Promise<void> => {
      places[place] = { start, server: await start(), starting: Promise.resolve(), isUp: true };
    };
    const fleet = new ServerFleet(places);
    const [first, ...others] = starts;
    await (first && add(first, 0));
    const results = await Promise.allSettled(others.map((start, index) => add(start, index + 1)));
    const failed = results.find((result) => result.status === 'rejected');
    if (failed !== undefined) {
      await Promise.all(places.map(({ server }) => server.stop()));
      throw failed.reason;
    }
    return fleet;
  }

  /** Starts three of one environment; the last one shares no statements. */
  static ofThree(environment: Readonly<Record<string, string>>): Promise<ServerFleet> {
    const shared = (): Promise<ServerProcess> => startServerProcess(environment);
    const unshared = (): Promise<ServerProcess> =>
      startServerProcess({ ...environment, DATABASE_SHARED_STATEMENTS: 'off' });
    return ServerFleet.start([shared, shared, unshared]);
  }

  /** The servers, by place; a killed one stays until the next one in its place listens. */
  get servers(): readonly ServerProcess[] {
    return this.#places.map(({ server }) => server);
  }

  /** The servers that run now. */
  get running(): readonly ServerProcess[] {
    return this.#places.filter(({ isUp }) => isUp).map(({ server }) => server);
  }

  readonly urls = (): readonly string[] => this.servers.map(({ baseUrl }) => baseUrl);

  isRunning(place: number): boolean {
    return this.#places[place]?.isUp === true;
  }

  /** Kills the server with SIGKILL. @returns the process */
  kill(place: number): Promise<number | undefined> {
    return this.#end(place, 'SIGKILL');
  }

  /** Stops the server with SIGTERM, and waits until the next one in its place runs. */
  async restart(place: number): Promise<void> {
    await this.#end(place, 'SIGTERM');
    await this.#places[place]?.starting;
  }

  async #end(place: number, signal: 'SIGKILL' | 'SIGTERM'): Promise<number | undefined> {
    const found = this.#places[place];
    if (found?.isUp !== true) {
      return undefined;
    }
    const { process } = found.server;
    const ended = once(process, 'exit');
    found.isUp = false;
    process.kill(signal);
    await ended;
    found.starting = this.#restart(found);
    return process.pid;
  }

  /** Waits until all run again. */
  async settled(): Promise<void> {
    await Promise.all(this.#places.map(({ starting }) => starting));
  }

  /** Sends SIGTERM to all. @returns their exit codes */
  async stop(): Promise<readonly (number | null)[]> {
    this.#isClosing = true;
    await this.settled();
    const ends = await Promise.all(this.running.map((server) => server.stop()));
    return ends.map(({ code }) => code);
  }

  async #restart(place: Place): Promise<void> {
    while (!this.#isClosing) {
      try {
        place.server = await place.start();
        place.isUp = true;
        return;
      } catch (error) {
        this.refusedStarts.push(String(error));
        await sleep(RESTART_MS);
      }
    }
  }
}
