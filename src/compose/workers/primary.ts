import { baseUrlOf, type Config } from '../../config/config.ts';
import { dividePool } from '../../config/pool-sizes.ts';
import { RequestLeases, requestShares } from '../../http/limits/leased-request-counts.ts';
import { StreamPlan } from '../../http/limits/stream-places.ts';
import { startStartupServer } from '../../http/serving/startup-server.ts';
import { systemClock } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/log.ts';
import { unlessAborted } from '../../kernel/stop-request.ts';
import { MetricsSum } from '../../observability/metrics-sum.ts';
import { type MetricsSnapshot, ServiceMetrics } from '../../observability/service-metrics.ts';
import { DatabaseClock } from '../../storage/database/database-clock.ts';
import { startBackgroundWork } from '../background-work.ts';
import { createFirstAdministrator } from '../first-administrator.ts';
import { startMetricsServer } from '../http-server.ts';
import { measureProcess, measureServer } from '../measure-installation.ts';
import { openInstallation } from '../open-installation.ts';
import type { TankeeperServer } from '../server.ts';
import { WorkerPool } from './worker-pool.ts';
import { forkWorker } from './worker-process.ts';

/**
 * Opens the installation and starts workers that answer the requests. This process does what a server does once: it
 * holds the embedded database, brings the schema up to date, makes keys and the first administrator, and works in the
 * background. See docs/adr/0022-workers.md.
 * @param giveUp aborts the start
 * @throws ServiceError as `startTankeeper`, or that of the first worker that cannot start; the reason of `giveUp`
 */
export async function startWithWorkers(
  config: Config,
  log: Log,
  giveUp: AbortSignal,
): Promise<TankeeperServer> {
  const { workers } = config;
  const clock = new DatabaseClock();
  const metrics = new ServiceMetrics({ clock });
  const ownConfig = { ...config, databasePoolSize: dividePool(config.databasePoolSize, workers).primary };
  const opened: (() => Promise<unknown>)[] = [];
  try {
    const starting = await startStartupServer(config);
    opened.unshift(() => starting.close());
    const installation = await openInstallation(ownConfig, 'server', log, { clock, metrics, giveUp });
    opened.unshift(installation.close);
    measureProcess(metrics, installation);
    measureServer(metrics, installation);
    const { pool, text } = workersOf(config, metrics, log, () => starting.close());
    const forMetrics = await startMetricsServer(
      config,
      { contentType: metrics.contentType, text },
      metrics,
      log,
    );
    opened.unshift(async () => forMetrics?.close(0));
    opened.unshift(() => pool.stop(AbortSignal.abort()));
    const port = await unlessAborted(pool.start(), giveUp);
    const firstAdministrator = await createFirstAdministrator(config, installation.services);
    const baseUrl = baseUrlOf(config, port);
    log.info('Listening', { host: config.host, port, url: baseUrl, count: workers });
    const stopBackgroundWork = startBackgroundWork(config, installation, log, metrics.background);
    return {
      baseUrl,
      services: installation.services,
      firstAdministrator,
      stop: async (urgent) => {
        const [drained] = await Promise.all([pool.stop(urgent), stopBackgroundWork()]);
        await forMetrics?.close(0);
        await installation.close();
        log.info(drained ? 'Stopped' : 'Stopped; some requests were cut off');
      },
    };
  } catch (error) {
    for (const close of opened) {
      await close();
    }
    throw error;
  }
}

interface Workers {
  readonly pool: WorkerPool;
  /** Collects the metrics of all processes. */
  readonly text: () => Promise<string>;
}

/** @param freePort called when a worker is about to listen */
function workersOf(
  { workers, limits }: Config,
  metrics: ServiceMetrics,
  log: Log,
  freePort: () => Promise<void>,
): Workers {
  const sum = new MetricsSum();
  const text = async (): Promise<string> => {
    const own = metrics.snapshot().then((snapshot) => {
      sum.report(process.pid, snapshot);
    });
    const workers = pool.collect((pid, snapshot) => {
      sum.report(pid, snapshot as MetricsSnapshot);
    });
    await Promise.all([own, workers]);
    return sum.text();
  };
  const leases = new RequestLeases({
    clock: systemClock,
    shares: requestShares(limits.clientRequests, workers),
  });
  const streams = new StreamPlan(limits.liveStreams);
  const pool = new WorkerPool({
    workers,
    fork: forkWorker,
    log,
    answers: {
      lease: (client) => leases.lease(String(client)),
      metrics: text,
      'free port': freePort,
      'acquire stream': (value) => changeOf(streams, 'acquire', value),
      'release stream': (value) => changeOf(streams, 'release', value),
    },
    ended: (pid) => {
      noteRestart();
      sum.forget(pid);
      streams.forget(pid);
    },
  });
  const noteRestart = metrics.measureWorkers(() => pool.running);
  return { pool, text };
}

/** @param value the stream of a worker */
function changeOf(streams: StreamPlan, change: 'acquire' | 'release', value: unknown): unknown {
  const { process, administrator } = value as { readonly process: number; readonly administrator: string };
  return streams[change](process, administrator);
}
