import { createWriteStream } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';
import type { DemoServer, DemoServerOptions } from '../cli/demo/demo-server.ts';
import type { CliDependencies } from '../cli/dependencies.ts';
import { terminalIo } from '../cli/terminal-io.ts';
import { type Config, describeConfig, loadConfig } from '../config.ts';
import { systemClock, systemRandom } from '../kernel/clock.ts';
import { createLogger } from '../observability/logger.ts';
import { migrateToLatest } from '../storage/migrate.ts';
import { connect, openInstallation } from './open-installation.ts';
import { packageVersion } from './package-version.ts';
import { startTankeeper } from './server.ts';
import { untilStopped } from './signals.ts';

/**
 * @returns all that the command line needs, made when it is first asked for: `--help` opens no database
 * @throws ServiceError 'configuration.invalid' when the environment is wrong
 */
export function commandLineDependencies(): CliDependencies {
  const config = loadConfig();
  const io = terminalIo();
  // Commands are quiet: what is worth knowing beside their output goes to standard error.
  const commandLog = createLogger({
    level: config.logLevel === 'info' ? 'warn' : config.logLevel,
    format: config.logFormat,
    stream: process.stderr,
    clock: systemClock,
  });
  return {
    openServices: async () => {
      const { services, close } = await openInstallation(config, 'guest', commandLog);
      return { ...services, close };
    },
    serve: () => serve(config),
    describeConfig: () => describeConfig(),
    migrate: async () => {
      const { database, close } = await connect(config, 'guest', commandLog);
      try {
        return { applied: await migrateToLatest(database) };
      } finally {
        await close();
      }
    },
    startDemoServer: (options) => startDemoServer(config, options),
    untilStopped,
    port: config.port,
    databaseConfigured: config.databaseUrl !== undefined,
    debug: config.logLevel === 'debug',
    io,
    fetch,
    clock: systemClock,
    random: systemRandom,
    version: packageVersion(),
    osUser: osUser(),
    homeFolder: homedir(),
  };
}

async function serve(config: Config): Promise<void> {
  const log = createLogger({
    level: config.logLevel,
    format: config.logFormat,
    stream: process.stdout,
    clock: systemClock,
  });
  // From the first moment on: also a start that is interrupted must not leave a database running.
  const stopped = untilStopped();
  const server = await startTankeeper(config, log);
  const { firstAdministrator } = server;
  if (firstAdministrator?.password !== undefined) {
    process.stdout.write(
      `\nThe first administrator is '${firstAdministrator.name}'. The password, shown this once:\n\n  ${firstAdministrator.password}\n\n`,
    );
  }
  await stopped;
  log.info('Stopping');
  await server.stop();
  await log.end();
}

/** A server with a database, a key and a log of its own, whatever the environment says. */
async function startDemoServer(
  config: Config,
  { port, folder, logFile }: DemoServerOptions,
): Promise<DemoServer> {
  const stream = createWriteStream(logFile, { mode: 0o600 });
  const log = createLogger({ level: 'info', format: 'json', stream, clock: systemClock });
  const server = await startTankeeper(
    {
      ...config,
      host: '127.0.0.1',
      port,
      dataDir: folder,
      databaseUrl: undefined,
      encryptionKeyFile: join(folder, 'encryption.key'),
      adminPasswordFile: undefined,
    },
    log,
  );
  return {
    baseUrl: server.baseUrl,
    adminPassword: server.firstAdministrator?.password ?? '',
    services: server.services,
    stop: async () => {
      await server.stop();
      await log.end();
    },
  };
}

/** Some containers run under an id that has no name. */
function osUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
