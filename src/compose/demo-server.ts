import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import { systemClock } from '../kernel/clock.ts';
import { isServiceError } from '../kernel/errors.ts';
import { createLogger } from '../observability/logger.ts';
import { removeEmbeddedPostgres } from '../embedded-postgres/embedded-postgres.ts';
import type { Services } from '../services.ts';
import { startTankeeper } from './server.ts';

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

/** Starts a server with a database, a key and a log of its own, regardless of the environment. */
export async function startDemoServer(
  config: Config,
  { port, folder, logFile, giveUp }: DemoServerOptions,
): Promise<DemoServer> {
  const stream = createWriteStream(logFile, { mode: 0o600 });
  const log = createLogger({ level: 'info', format: 'json', stream, clock: systemClock });
  const server = await startTankeeper(
    {
      ...config,
      host: '127.0.0.1',
      port,
      metricsPort: undefined,
      app: 'on',
      dataDir: folder,
      databaseUrl: undefined,
      encryptionKeyFile: join(folder, 'encryption.key'),
      pkcs11: undefined,
      adminPasswordFile: undefined,
    },
    log,
    giveUp,
  ).catch(async (error: unknown) => {
    // The caller tries the next port with the same cluster.
    if (!isServiceError(error, 'address.unavailable')) {
      await removeEmbeddedPostgres(folder).catch(() => undefined);
    }
    await log.end();
    throw error;
  });
  return {
    baseUrl: server.baseUrl,
    adminPassword: server.firstAdministrator?.password ?? '',
    services: server.services,
    stop: async (urgent) => {
      await server.stop(urgent);
      await removeEmbeddedPostgres(folder);
      await log.end();
    },
  };
}
