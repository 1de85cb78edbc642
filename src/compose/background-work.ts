import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../config/config.ts';
import { type BackgroundLoop, backgroundRounds } from '../kernel/background-loop.ts';
import type { Log } from '../kernel/log.ts';
import type { BackgroundMetrics } from '../observability/background-metrics.ts';
import { auditUpkeep } from '../audit/audit-upkeep.ts';
import { ensureAuditMonths } from '../audit/pruning-store.ts';
import { countFolding } from '../monitoring/count-folding-store.ts';
import { housekeepingRounds } from '../housekeeping/housekeeping-service.ts';
import type { Installation } from './open-installation.ts';

/** Starts the work of a server outside of requests. @returns the function that ends it */
export function startBackgroundWork(
  config: Config,
  { database, services }: Installation,
  log: Log,
  metrics: BackgroundMetrics,
): () => Promise<void> {
  const folding = countFolding({ database, log, ended: metrics.roundsOf('counts') });
  folding.start();
  const upkeep = auditUpkeep({
    trail: database.audit,
    makeMonths: () => ensureAuditMonths(database),
    log,
    flush: () => services.refusals.flush(),
    ended: metrics.roundsOf('audit'),
  });
  upkeep.start();
  const observing = startObserving(services, log, metrics);
  const housekeeping = startHousekeeping(config, services, log, metrics);
  const dispatching = services.webhookDispatcher().then((dispatcher) => {
    dispatcher.start();
    return dispatcher;
  });
  return async () => {
    const dispatcher = await dispatching;
    await Promise.all([folding.stop(), housekeeping?.stop(), upkeep.stop(), dispatcher.stop(), observing()]);
  };
}

/** Milliseconds between two writes of what this process has seen. */
const OBSERVATIONS_MS = 5_000;
/** Longest wait for the last of them. */
const LAST_OBSERVATIONS_MS = 500;

/** @returns the function that writes the rest and ends it */
function startObserving(
  { observations }: Pick<Installation['services'], 'observations'>,
  log: Log,
  metrics: BackgroundMetrics,
): () => Promise<void> {
  const rounds = backgroundRounds({
    component: 'observations',
    log,
    pause: OBSERVATIONS_MS,
    firstPause: OBSERVATIONS_MS,
    ended: metrics.roundsOf('observations'),
    trouble: 'Numbers of responses and the health of resolvers cannot be written: some are lost',
    round: async () => {
      await observations.flush();
      return false;
    },
  });
  rounds.start();
  return async () => {
    await rounds.stop();
    const last = observations.flush().catch(() => undefined);
    await Promise.race([last, sleep(LAST_OBSERVATIONS_MS, undefined, { ref: false })]);
  };
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
