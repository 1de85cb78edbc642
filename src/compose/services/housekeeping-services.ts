import { AuditExport } from '../../audit/audit-export.ts';
import { AuditRetention } from '../../audit/audit-retention.ts';
import { AuditSearch } from '../../audit/audit-search.ts';
import { AuditService } from '../../audit/audit-service.ts';
import { AuditVerification } from '../../audit/audit-verification.ts';
import { BackupService } from '../../backup/backup-service.ts';
import { HousekeepingService } from '../../housekeeping/housekeeping-service.ts';
import { VaultAuditAuthority } from '../../security/vault/vault-audit-authority.ts';
import { BackupStore } from '../../backup/backup-store.ts';
import { HousekeepingStore } from '../../housekeeping/housekeeping-store.ts';
import { AuditStore } from '../../audit/audit-store.ts';
import { VerificationStore } from '../../audit/verification-store.ts';
import type { SharedParts } from '../shared-parts.ts';

/** The audit, backups, and the removal of what has expired. */
export interface HousekeepingServices {
  readonly housekeeping: HousekeepingService;
  readonly audit: AuditService;
  readonly auditSearch: AuditSearch;
  readonly auditExport: AuditExport;
  readonly auditVerification: AuditVerification;
  /** Interrupts the verification that this process runs. */
  readonly stopVerification: () => Promise<void>;
  readonly backups: BackupService;
}

/** Seconds. */
const SEVEN_DAYS = 604_800;

/** Lets the vault certify the audit rows of the database's pool from now on. */
export function housekeepingServices(shared: SharedParts): HousekeepingServices {
  const { database, vault, clock } = shared;
  const authority = new VaultAuditAuthority({ vault });
  database.audit.certifyBy(authority);
  const store = new AuditStore({ database });
  const { pruningClock } = shared;
  const pruningTime = (): Promise<Date> => pruningClock.time('audit');
  const auditVerification = new AuditVerification({
    ...shared,
    store,
    authority,
    verifications: new VerificationStore({ database }),
  });
  const audit = new AuditService({ store, authority, clock, pruningTime });
  return {
    housekeeping: new HousekeepingService({
      configuration: shared.configuration,
      clock,
      pruningClock,
      store: new HousekeepingStore({ database }),
      challengeRetention: shared.challengeRetention ?? SEVEN_DAYS,
      metrics: shared.metrics.housekeeping,
      auditRetention: new AuditRetention({ store, audit, retention: shared.auditRetention }),
    }),
    audit,
    auditSearch: new AuditSearch({ ...shared, store }),
    auditExport: new AuditExport({ ...shared, store, authority }),
    auditVerification,
    stopVerification: () => auditVerification.stop(),
    backups: new BackupService({
      store: new BackupStore({ database }),
      keys: vault,
      clock,
      cipher: async () => new (await import('../../backup/backup-encryption.ts')).BackupCipher(),
    }),
  };
}
