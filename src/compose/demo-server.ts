import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import type { DemoServer, DemoServerOptions } from '../cli/demo/demo-server.ts';
import type { Config } from '../config/config.ts';
import { systemClock } from '../kernel/clock.ts';
import { isServiceError } from '../kernel/errors.ts';
import { createLogger } from '../observability/log.ts';
import { removeEmbeddedPostgres } from '../embedded-postgres/embedded-postgres.ts';
import { startTankeeper } from './server.ts';

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
