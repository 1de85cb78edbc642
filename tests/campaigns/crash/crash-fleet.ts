import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

import { type ServerProcess, startServerProcess } from '../../support/servers/server-process.ts';

/** Milliseconds between two attempts to start a server, as of a service manager. */
const RESTART_MS = 250;

/** The place of a server, and its present process. */
interface Place {
  readonly environment: Readonly<Record<string, string>>;
  server: ServerProcess;
  /** Settled while its server runs; else resolves when the next one runs. */
  starting: Promise<void>;
  isUp: boolean;
}

/** Servers on one database. A killed one is started again, repeatedly while the database is away. */
export class CrashFleet {
  readonly #places: readonly Place[];
  /** Outputs of servers whose start failed because the database was away. */
  readonly refusedStarts: string[] = [];
  #isClosing = false;

  private constructor(places: readonly Place[]) {
    this.#places = places;
  }

  /** @param environments of the servers */
  static async start(environments: readonly Readonly<Record<string, string>>[]): Promise<CrashFleet> {
    const started = async (environment: Readonly<Record<string, string>>): Promise<Place> => {
      const server = await startServerProcess(environment);
      return { environment, server, starting: Promise.resolve(), isUp: true };
    };
    const [first = {}, ...others] = environments;
    return new CrashFleet([await started(first), ...(await Promise.all(others.map(started)))]);
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
        place.server = await startServerProcess(place.environment);
        place.isUp = true;
        return;
      } catch (error) {
        this.refusedStarts.push(String(error));
        await sleep(RESTART_MS);
      }
    }
  }
}
