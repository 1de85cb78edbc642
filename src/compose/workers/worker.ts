import type { Config } from '../../config/config.ts';
import { dividePool } from '../../config/pool-sizes.ts';
import { LeasedRequestCounts, requestShares } from '../../http/limits/leased-request-counts.ts';
import { systemClock } from '../../kernel/clock.ts';
import { isServiceError } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import { untilAborted } from '../../kernel/stop-request.ts';
import { createLogger } from '../../observability/logger.ts';
import { ServiceMetrics } from '../../observability/service-metrics.ts';
import { DatabaseClock } from '../../storage/database/database-clock.ts';
import { startWorkerUpkeep } from '../background-work.ts';
import { DRAIN_TIMEOUT_MS, startHttpServer } from '../http-server.ts';
import { measureProcess } from '../measure-installation.ts';
import { openInstallation } from '../open-installation.ts';
import { ignoreSignals, joinedOutput } from '../process.ts';
import { linkToPrimary, type PrimaryLink, type WorkerPlace } from './primary-link.ts';

/**
 * Answers requests until the primary ends this process, or is gone. Ends the process. A reason for which it cannot
 * start is reported to the primary, and not printed.
 */
export async function serveAsWorker(config: Config): Promise<void> {
  ignoreSignals();
  const clock = new DatabaseClock();
  const metrics = new ServiceMetrics({ clock });
  const link = linkToPrimary(() => metrics.snapshot());
  const place = await link.begin();
  if (place === undefined) {
    process.exit();
  }
  const log = createLogger({
    level: config.logLevel,
    format: config.logFormat,
    stream: joinedOutput(),
    clock: systemClock,
    worker: place.number,
  });
  try {
    await serveInPlace(place, { config, clock, metrics, link, log });
  } catch (error) {
    if (error !== link.requested.reason) {
      if (!isServiceError(error)) {
        throw error;
      }
      await link.failed({ code: error.code, message: error.message });
      process.exit(1);
    }
  }
  await log.end();
  // A statement that hangs in the database keeps its socket open, and with it the process.
  process.exit();
}

interface WorkerParts {
  readonly config: Config;
  readonly clock: DatabaseClock;
  readonly metrics: ServiceMetrics;
  readonly link: PrimaryLink;
  readonly log: Log;
}

async function serveInPlace(
  { workers }: WorkerPlace,
  { config, clock, metrics, link, log }: WorkerParts,
): Promise<void> {
  const ownConfig = { ...config, databasePoolSize: dividePool(config.databasePoolSize, workers).worker };
  const giveUp = link.requested;
  const installation = await openInstallation(ownConfig, 'worker', log, { clock, metrics, giveUp, workers });
  try {
    measureProcess(metrics, installation);
    const server = await startHttpServer(installation, {
      config: ownConfig,
      metrics,
      log,
      clock,
      workers,
      streamPlaces: link.streams,
      freePort: () => link.freePort(),
      metricsText: () => link.metricsText(),
      requestCounts: new LeasedRequestCounts({
        // One clock for the processes of a machine.
        clock: systemClock,
        shares: requestShares(config.limits.clientRequests, workers),
        lease: (client) => link.lease(client),
      }),
    });
    const stopUpkeep = startWorkerUpkeep(installation, log, metrics.background);
    link.ready(server.port);
    await untilAborted(giveUp);
    const drained = await server.close(DRAIN_TIMEOUT_MS, link.urgent);
    await stopUpkeep();
    if (!drained) {
      await link.cutOff();
    }
  } finally {
    await installation.close();
  }
}
