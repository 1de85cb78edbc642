import type { Config } from '../config/config.ts';
import type { Clock, Random } from '../kernel/clock.ts';
import type { Services } from '../services.ts';

/** The part of a stream that commands write to. */
interface TextSink {
  write(text: string): unknown;
}

/** The terminal, or its substitute. */
export interface CliIo {
  readonly stdout: TextSink;
  readonly stderr: TextSink;
  readonly stdin: AsyncIterable<Buffer | string>;
  /** Prompts are possible: standard input and standard error are terminals. */
  readonly isInteractive: boolean;
  /** Standard output is a terminal. */
  readonly isTTY: boolean;
  /** Standard output shows colours. */
  readonly color: boolean;
  /** Characters of a line. */
  readonly columns: number;
  /** Writes to standard output. @throws the fault, also EPIPE, which `stdout` ignores */
  writeBytes(bytes: Uint8Array): Promise<void>;
  /** Prompts on standard error for a line. */
  readLine(prompt: string): Promise<string>;
  /** Prompts on standard error and does not echo the input. */
  readSecret(prompt: string): Promise<string>;
}

/** The services of an installation, for one command. */
export interface OpenServices extends Services {
  /** Aborted when the command must end before its work is done. */
  readonly interrupted?: AbortSignal;
  close(): Promise<void>;
}

/** The part of `fetch` that is used here. */
export type Fetch = (url: string, request: RequestInit) => Promise<Response>;

/** The process that runs a command: `compose/command-line.ts` has the real one, tests have others. */
export interface CliDependencies {
  /**
   * @throws ServiceError 'configuration.invalid'
   */
  loadConfiguration(): Promise<Config>;
  /**
   * Opens the database: DATABASE_URL, or the embedded one, joined while a server runs. To be closed by the caller.
   * @throws ServiceError 'installation.missing' if there is none: nothing is created
   */
  openServices(config: Config): Promise<OpenServices>;
  readonly io: CliIo;
  readonly fetch: Fetch;
  /** The machine's until services are open, then that of the service. */
  readonly clock: Clock;
  readonly random: Random;
  /** The version of this package. */
  readonly version: string;
  /** The name of the account that runs the command, for the audit. */
  readonly osUser: string;
  /** The default folder of the virtual device's state. */
  readonly homeFolder: string;
}
