import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

import { type ServerProcess, startServerProcess } from '../../support/servers/server-process.ts';

/** Between two attempts to start a server, in milliseconds, as of a service manager. */
const RESTART_MS = 250;

/** A server in its place, whichever process fills it now. */
interface Place {
  server: ServerProcess;
  /** Settled while the server in it runs; else resolves when the next one does. */
  starting: Promise<void>;
  isUp: boolean;
}

/** Servers on one database. One that is killed is started again, time and again where the database is away. */
export class CrashFleet {
  readonly #environment: Readonly<Record<string, string>>;
  readonly #places: readonly Place[];
  /** What servers said whose start ended, as the database was away. */
  readonly refusedStarts: string[] = [];
  #isClosing = false;

  private constructor(environment: Readonly<Record<string, string>>, servers: readonly ServerProcess[]) {
    this.#environment = environment;
    this.#places = servers.map((server) => ({ server, starting: Promise.resolve(), isUp: true }));
  }

  static async start(environment: Readonly<Record<string, string>>, count: number): Promise<CrashFleet> {
    const first = await startServerProcess(environment);
    const others = Array.from({ length: count - 1 }, () => startServerProcess(environment));
    return new CrashFleet(environment, [first, ...(await Promise.all(others))]);
  }

  /** The servers, by place; one that was killed stays until the next one in its place listens. */
  get servers(): readonly ServerProcess[] {
    return this.#places.map(({ server }) => server);
  }

  /** Those that were not killed, or are there again. */
  get running(): readonly ServerProcess[] {
    return this.#places.filter(({ isUp }) => isUp).map(({ server }) => server);
  }

  readonly urls = (): readonly string[] => this.servers.map(({ baseUrl }) => baseUrl);

  isRunning(place: number): boolean {
    return this.#places[place]?.isUp === true;
  }

  /** kill -9. @returns the process */
  async kill(place: number): Promise<number | undefined> {
    const found = this.#places[place];
    if (found?.isUp !== true) {
      return undefined;
    }
    const { process } = found.server;
    const ended = once(process, 'exit');
    found.isUp = false;
    process.kill('SIGKILL');
    await ended;
    found.starting = this.#restart(found);
    return process.pid;
  }

  /** Waits until all are there again. */
  async settled(): Promise<void> {
    await Promise.all(this.#places.map(({ starting }) => starting));
  }

  /** SIGTERM to all. @returns their exit codes */
  async stop(): Promise<readonly (number | null)[]> {
    this.#isClosing = true;
    await this.settled();
    const ends = await Promise.all(this.running.map((server) => server.stop()));
    return ends.map(({ code }) => code);
  }

  async #restart(place: Place): Promise<void> {
    while (!this.#isClosing) {
      try {
        place.server = await startServerProcess(this.#environment);
        place.isUp = true;
        return;
      } catch (error) {
        this.refusedStarts.push(String(error));
        await sleep(RESTART_MS);
      }
    }
  }
}
