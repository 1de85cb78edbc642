import type { Config } from '../config/config.ts';
import { systemClock } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import { untilAborted } from '../kernel/stop-request.ts';
import { createLogger } from '../observability/logger.ts';
import { startTankeeper, type TankeeperServer } from './server.ts';
import { watchSignals } from './signals.ts';

/**
 * Serves until SIGTERM, SIGINT or SIGHUP.
 * @throws ServiceError as `startTankeeper` does; the reason of the signals when a later one made it urgent
 */
export async function serve(config: Config): Promise<void> {
  const log = createLogger({
    level: config.logLevel,
    format: config.logFormat,
    stream: process.stdout,
    clock: systemClock,
  });
  // From the first moment on: also a start that is interrupted must not leave a database running.
  const { requested, urgent } = watchSignals();
  const server = await start(config, log, requested);
  if (server !== undefined) {
    await untilAborted(requested);
    log.info('Stopping');
    urgent.addEventListener('abort', () => {
      log.info('Stopping at once: another signal came');
    });
    await server.stop(urgent);
  }
  await log.end();
  // A statement that hangs in the database keeps its socket open, and with it the process.
  setTimeout(() => process.exit(), 500).unref();
  urgent.throwIfAborted();
}

/** @returns undefined when it was to stop before it was ready */
async function start(config: Config, log: Log, requested: AbortSignal): Promise<TankeeperServer | undefined> {
  try {
    const server = await startTankeeper(config, log, requested);
    const { firstAdministrator } = server;
    if (firstAdministrator?.password !== undefined) {
      process.stdout.write(
        `\nThe first administrator is '${firstAdministrator.name}'. The password, shown this once:\n\n  ${firstAdministrator.password}\n\n`,
      );
    }
    return server;
  } catch (error) {
    if (error !== requested.reason) {
      throw error;
    }
    log.info('Stopped before it was ready');
    return undefined;
  }
}
