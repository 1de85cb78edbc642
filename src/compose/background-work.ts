import type { Config } from '../config/config.ts';
import type { BackgroundLoop } from '../kernel/background-loop.ts';
import type { Log } from '../kernel/log.ts';
import type { BackgroundMetrics } from '../observability/background-metrics.ts';
import { AuditUpkeep } from '../storage/audit/audit-upkeep.ts';
import { countFolding } from '../storage/counts/count-folding.ts';
import { housekeepingRounds } from '../storage/housekeeping/housekeeping-rounds.ts';
import type { Installation } from './open-installation.ts';

/** Starts the work of a server outside of requests. @returns the function that ends it */
export function startBackgroundWork(
  config: Config,
  { database, services }: Pick<Installation, 'database' | 'services'>,
  log: Log,
  metrics: BackgroundMetrics,
): () => Promise<void> {
  const folding = countFolding({ database, log, ended: metrics.roundsOf('counts') });
  folding.start();
  const upkeep = new AuditUpkeep({
    database,
    log,
    flush: () => services.refusals.flush(),
    ended: metrics.roundsOf('audit'),
  });
  upkeep.start();
  const housekeeping = startHousekeeping(config, services, log, metrics);
  const dispatching = services.webhookDispatcher().then((dispatcher) => {
    dispatcher.start();
    return dispatcher;
  });
  return async () => {
    const dispatcher = await dispatching;
    await Promise.all([folding.stop(), housekeeping?.stop(), upkeep.stop(), dispatcher.stop()]);
  };
}

/**
 * Starts the part of this work that each worker does for itself: the checkpoints of its audit rows, and the refusals
 * that it has counted.
 * @returns the function that ends it
 */
export function startWorkerUpkeep(
  { database, services }: Pick<Installation, 'database' | 'services'>,
  log: Log,
  metrics: BackgroundMetrics,
): () => Promise<void> {
  const upkeep = new AuditUpkeep({
    database,
    log,
    flush: () => services.refusals.flush(),
    months: false,
    ended: metrics.roundsOf('audit'),
  });
  upkeep.start();
  return () => upkeep.stop();
}

/** @returns undefined if HOUSEKEEPING_INTERVAL is `off` */
function startHousekeeping(
  { housekeepingInterval: interval }: Config,
  { housekeeping }: Installation['services'],
  log: Log,
  metrics: BackgroundMetrics,
): BackgroundLoop | undefined {
  if (interval === 'off') {
    return undefined;
  }
  const rounds = housekeepingRounds({
    round: (signal) => housekeeping.round(signal),
    interval: interval * 1000,
    log,
    ended: metrics.roundsOf('housekeeping'),
  });
  rounds.start();
  return rounds;
}
