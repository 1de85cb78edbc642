import { KeyOverview } from '../keys/key-overview.ts';
import { CountService } from '../monitoring/count-service.ts';
import { InstallationReadings } from '../monitoring/installation-state.ts';
import { LicenceInspection } from '../monitoring/licence-inspection.ts';
import { LicenceService } from '../monitoring/licence-service.ts';
import { MonitoringService } from '../monitoring/monitoring-service.ts';
import { UserCounts } from '../monitoring/user-counts.ts';
import { SqlCountVerification } from '../storage/counts/count-verification.ts';
import { SqlTokenCounts } from '../storage/counts/token-counts.ts';
import { SqlUserCountStore } from '../storage/counts/user-count-store.ts';
import { SqlKeyRotation } from '../storage/keys/key-rotation.ts';
import { SqlLicenceStore } from '../storage/monitoring/licence-store.ts';
import { storedStateOf } from '../storage/monitoring/stored-state.ts';
import { ConfigurationProbe } from '../storage/monitoring/storage-probe.ts';
import type { SharedParts } from './shared-parts.ts';

/** The reports of /monitoring, their counts, the licence, and the state of the keys. */
export interface MonitoringServices {
  readonly monitoring: MonitoringService;
  readonly counts: CountService;
  readonly licences: LicenceService;
  readonly keyOverview: KeyOverview;
  /** The state of the installation for metrics. */
  readonly installation: InstallationReadings;
}

export function monitoringServices(shared: SharedParts): MonitoringServices {
  const { database, vault, clock, configuration } = shared;
  const module = shared.securityModule ?? { freshVault: () => Promise.resolve(vault) };
  const counts = new SqlTokenCounts({ database });
  const store = new SqlLicenceStore({ database });
  const licence = new LicenceInspection({ store, signature: shared.licenceSignature, counts, clock });
  return {
    monitoring: new MonitoringService({
      ...shared,
      counts,
      licence,
      configurations: configuration,
      configurationState: configuration,
      probe: new ConfigurationProbe({ ...shared, module }),
      userCounts: new UserCounts({
        ...shared,
        metrics: shared.metrics.resolvers,
        store: new SqlUserCountStore({ database }),
      }),
    }),
    counts: new CountService({ verification: new SqlCountVerification({ database }) }),
    keyOverview: new KeyOverview({ ...shared, keys: new SqlKeyRotation({ database }) }),
    licences: new LicenceService({ ...shared, inspection: licence, store }),
    installation: new InstallationReadings({
      ...shared,
      configurations: configuration,
      counts,
      stored: storedStateOf(database),
      licence,
      elapsed: () => performance.now(),
    }),
  };
}
