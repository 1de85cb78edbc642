import type { Config } from '../config/config.ts';
import { describeUnknownVariable, unknownVariables } from '../config/config-report.ts';
import { systemClock } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import { untilAborted } from '../kernel/stop-request.ts';
import { createLogger } from '../observability/log.ts';
import { boundHeapGrowth, joinedOutput, watchSignals } from './process.ts';
import { startTankeeper, type TankeeperServer } from './server.ts';

/**
 * Serves until SIGTERM, SIGINT or SIGHUP.
 * @throws ServiceError as `startTankeeper` does; the reason of the signals if a second one made it urgent
 */
export async function serve(config: Config, warnings: readonly string[] = []): Promise<void> {
  boundHeapGrowth(30);
  const stream = joinedOutput();
  const log = createLogger({ level: config.logLevel, format: config.logFormat, stream, clock: systemClock });
  for (const warning of [...warnings, ...unknownVariables().map(describeUnknownVariable)]) {
    log.warn(warning);
  }
  // Before the start: an interrupted start must not leave a database running.
  const { requested, urgent } = watchSignals();
  const server = await startUnlessRequested(config, log, requested, () => stream.unwritten);
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

/** @returns undefined if a stop was requested during the start */
async function startUnlessRequested(
  config: Config,
  log: Log,
  requested: AbortSignal,
  unwrittenLines: () => number,
): Promise<TankeeperServer | undefined> {
  try {
    const server = await startTankeeper(config, log, requested, unwrittenLines);
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
