import type { Config } from '../config/config.ts';
import { systemClock } from '../kernel/clock.ts';
import { createLogger } from '../observability/logger.ts';
import { startTankeeper } from './server.ts';
import { untilStopped } from './signals.ts';

/** Serves until SIGTERM or SIGINT. @throws ServiceError as `startTankeeper` does */
export async function serve(config: Config): Promise<void> {
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
  // A statement that hangs in the database keeps its socket open, and with it the process.
  setTimeout(() => process.exit(), 500).unref();
}
