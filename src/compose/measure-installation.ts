import type { ServiceMetrics } from '../observability/service-metrics.ts';
import { poolUsage } from '../storage/database/database.ts';
import type { Installation } from './open-installation.ts';
import { packageVersion } from '../kernel/package-version.ts';
import { unwrittenLogLines } from './process.ts';

type Measured = Pick<Installation, 'database' | 'services'>;

/** Adds the metrics of this process, of its log and of its use of the database and of resolvers. */
export function measureProcess(metrics: ServiceMetrics, { database, services }: Measured): void {
  metrics.measureProcess();
  metrics.measureLog(unwrittenLogLines);
  metrics.measureDatabase(() => ({ ...poolUsage(database), auditLanes: database.audit.lanes }));
  metrics.resolvers.follow(() => services.configuration.assumed?.resolvers.map(({ name }) => name));
}

/** Adds the metrics of a server, which one of its processes has, and those of the installation. */
export function measureServer(metrics: ServiceMetrics, { services }: Measured): void {
  metrics.measureServer({ version: packageVersion() });
  metrics.measureInstallation(() => services.installation.read());
}
