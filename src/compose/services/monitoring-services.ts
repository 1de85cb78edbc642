import { KeyOverview } from '../../keys/key-overview.ts';
import { CountService } from '../../monitoring/count-service.ts';
import { InstallationReadings } from '../../monitoring/installation-state.ts';
import { LicenceInspection } from '../../monitoring/licence-inspection.ts';
import { LicenceService } from '../../monitoring/licence-service.ts';
import { MonitoringService } from '../../monitoring/monitoring-service.ts';
import { CountRefresh } from '../../monitoring/overview/count-refresh.ts';
import { OverviewService } from '../../monitoring/overview/overview-service.ts';
import { UserCounts } from '../../monitoring/user-counts.ts';
import { SqlCountVerification } from '../../storage/counts/count-verification.ts';
import { SqlTokenCounts } from '../../storage/counts/token-counts.ts';
import { SqlUserCountStore } from '../../storage/counts/user-count-store.ts';
import { SqlObservationStore } from '../../storage/monitoring/observation-store.ts';
import { KeyRotationStore } from '../../keys/key-rotation-store.ts';
import { SqlLicenceStore } from '../../storage/monitoring/licence-store.ts';
import { lockedTokensOf, storedStateOf } from '../../storage/monitoring/stored-state.ts';
import { ConfigurationProbe } from '../../storage/monitoring/storage-probe.ts';
import type { SharedParts } from '../shared-parts.ts';

/** The reports of /monitoring, their counts, the licence, and the state of the keys. */
export interface MonitoringServices {
  readonly monitoring: MonitoringService;
  readonly overview: Pick<OverviewService, 'read'>;
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
  const probe = new ConfigurationProbe({ ...shared, module });
  const keptUsers = new SqlUserCountStore({ database });
  const userCounts = new UserCounts({ ...shared, metrics: shared.metrics.resolvers, store: keptUsers });
  const elapsed = (): number => performance.now();
  const refresh = new CountRefresh({ userCounts, clock, elapsed });
  const states = { configurations: configuration, configurationState: configuration };
  const overview = new OverviewService({
    ...shared,
    ...states,
    counts,
    licence,
    probe,
    elapsed,
    lockedTokens: lockedTokensOf(database),
    userCounts: keptUsers,
    observations: new SqlObservationStore({ database }),
    countAgain: (present, known) => {
      refresh.refresh(present, known);
    },
  });
  return {
    monitoring: new MonitoringService({ ...shared, ...states, counts, licence, probe, userCounts }),
    overview,
    counts: new CountService({ verification: new SqlCountVerification({ database }) }),
    keyOverview: new KeyOverview({ ...shared, keys: new KeyRotationStore({ database }) }),
    licences: new LicenceService({ ...shared, inspection: licence, store }),
    installation: new InstallationReadings({
      ...shared,
      configurations: configuration,
      counts,
      stored: storedStateOf(database),
      licence,
      elapsed,
    }),
  };
}
