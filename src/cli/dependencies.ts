import type { Caller } from '../policy/caller.ts';
import type { ConfigReport } from '../config/check-config.ts';
import type { ConfigRow } from '../config/describe-config.ts';
import type { Clock, Random } from '../kernel/clock.ts';
import type { DoctorReport } from '../doctor/examination.ts';
import type { LinotpSource } from '../linotp/linotp-source.ts';
import type { StopRequest } from '../kernel/stop-request.ts';
import type { Services } from '../services.ts';
import type { DemoServer, DemoServerOptions } from './demo/demo-server.ts';
import type { Fetch } from './device/scan-code.ts';
import type { RestoredBackup, RestoreRequest } from './restore-request.ts';

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
  /** Prompts on standard error for a line. */
  readLine(prompt: string): Promise<string>;
  /** Prompts on standard error and does not echo the input. */
  readSecret(prompt: string): Promise<string>;
}

/** The result of `tankeeper migrate`. */
interface MigrationOutcome {
  /** The names of the migrations that were applied now, in order; empty: none was pending. */
  readonly applied: readonly string[];
}

/** The services of an installation, for one command. */
interface OpenServices extends Services {
  /** Aborted when the command must end before its work is done. */
  readonly interrupted?: AbortSignal;
  close(): Promise<void>;
}

/** The parts of the configuration that commands use themselves. */
interface CliSettings {
  /** The value of PORT, or its default. */
  readonly port: number;
  /** The server of this machine, by HOST and PORT, without a slash at its end. */
  readonly baseUrl: string;
  /** DATABASE_URL is set. */
  readonly databaseConfigured: boolean;
  /** LOG_LEVEL is debug: unexpected errors show their stack. */
  readonly debug: boolean;
}

/** The dependencies of the command line; `compose/command-line.ts` provides them. */
export interface CliDependencies {
  /**
   * Opens the database: DATABASE_URL, or the embedded one, joined while a server runs. To be closed by the caller.
   * @throws ServiceError 'installation.missing' if there is none: nothing is created
   */
  openServices(): Promise<OpenServices>;
  /**
   * Reads from the database if it is running, for at most two seconds: for completions in the shell.
   * @returns undefined for any obstacle
   */
  glance<T>(work: (services: Services) => Promise<T>): Promise<T | undefined>;
  /**
   * Opens a LinOTP database. To be closed by the caller.
   * @param place a URL, or the path of an SQL dump
   * @throws ServiceError 'import.refused'
   */
  openLinotpSource(place: string): Promise<LinotpSource>;
  /** Serves until a signal ends it. */
  serve(): Promise<void>;
  describeConfig(): Promise<readonly ConfigRow[]>;
  /** @param file a configuration file; by default that of --config or TANKEEPER_CONFIG, if there is one */
  checkConfig(file?: string): Promise<ConfigReport>;
  migrate(caller: Caller): Promise<MigrationOutcome>;
  /** Examines the installation. What fails is a finding. */
  examine(): Promise<DoctorReport>;
  /** Restores a backup into an empty database, which is created where it is missing. */
  restore(caller: Caller, request: RestoreRequest): Promise<RestoredBackup>;
  /** Starts a server of its own, with a database of its own. */
  startDemoServer(options: DemoServerOptions): Promise<DemoServer>;
  /** Handles the signals that end a process (Ctrl-C, SIGTERM, a closed terminal) from now on. */
  watchSignals(): StopRequest;
  /** Ends the process within half a second, even if abandoned work still hangs. */
  endSoon(): void;
  /** @throws ServiceError 'configuration.invalid' */
  settings(): Promise<CliSettings>;
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
