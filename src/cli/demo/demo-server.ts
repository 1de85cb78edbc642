import type { Services } from '../../services.ts';

/** The place of the demo's server. */
export interface DemoServerOptions {
  /** The port on 127.0.0.1. */
  readonly port: number;
  /** An existing folder of the demo's own: database, keys and log all go there. */
  readonly folder: string;
  /** The file for the server's log lines; nothing is printed. */
  readonly logFile: string;
  /** Aborts the start. */
  readonly giveUp: AbortSignal;
}

/** A running server that the demo may drive. */
export interface DemoServer {
  /** `http://127.0.0.1:5001`, without a slash at its end. */
  readonly baseUrl: string;
  /** The password of the administrator `admin`; discarded with the server. */
  readonly adminPassword: string;
  readonly services: Services;
  /**
   * Stops the server and its database.
   * @param urgent when aborted, cuts running requests off at once
   */
  stop(urgent: AbortSignal): Promise<void>;
}
