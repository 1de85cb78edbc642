import type { Report } from './finding.ts';
import { JournalCheck } from './journal-check.ts';
import { EmptiedCheck } from './emptied-check.ts';
import type { AuditSnapshot, RecordedInstallation, StoredSnapshot } from './audit-snapshot.ts';
import type { AuditStore } from './audit-store.ts';
import type { AuditAuthority, InstallationKey } from './signing-key.ts';
import { RowCheck } from './row-check.ts';

/** The result of a verification. */
export interface TrailVerification {
  readonly rows: number;
  readonly records: number;
  /** The hash of the newest record of the journal, hexadecimal; empty where there is none. */
  readonly newest: string;
  readonly findings: number;
}

/** A verification of the stored trail. */
export interface VerifyRequest {
  /** Receives every finding as it is found. */
  readonly report: Report;
  /** The hash of a checkpoint, as a server has logged it: the trail must contain it. */
  readonly checkpoint?: string | undefined;
  /** Receives the number of rows checked so far, and the approximate number of all rows. Ends it by its error. */
  readonly progress?: ((rows: number, of: number) => void | Promise<void>) | undefined;
}

/** A verification of any trail. */
export interface VerificationOptions extends VerifyRequest {
  /** The trusted keys. */
  readonly keys: readonly InstallationKey[];
  /** False for a part of the trail, in which missing rows are not reported. */
  readonly isWhole?: boolean;
  /** Facts of the trail's installation; undefined if unknown, as for an export. */
  readonly installation?: RecordedInstallation;
  /** The approximate number of rows. */
  readonly of?: number;
}

/** Verifies a trail, in memory for its lanes, not for its rows. Every finding is reported as it is found. */
export async function verifyTrail(
  snapshot: AuditSnapshot,
  {
    keys,
    checkpoint,
    progress = () => undefined,
    isWhole = true,
    installation,
    of = 0,
    ...options
  }: VerificationOptions,
): Promise<TrailVerification> {
  let findings = 0;
  const report: Report = (finding) => {
    findings += 1;
    options.report(finding);
  };
  const journal = new JournalCheck({ keys, checkpoint, report });
  for await (const records of snapshot.records()) {
    for (const record of records) {
      await journal.check(record);
    }
    await progress(0, of);
  }
  const facts = await journal.finish();
  const rowCheck = new RowCheck(facts, report, isWhole);
  const emptied = installation && new EmptiedCheck(installation);
  for await (const rows of snapshot.rows()) {
    await rowCheck.check(rows);
    emptied?.check(rows);
    await progress(rowCheck.rows, Math.max(rowCheck.rows, of));
  }
  rowCheck.finish();
  emptied?.finish(facts).forEach(report);
  const { records, newest } = facts;
  return { rows: rowCheck.rows, records, newest, findings };
}

/**
 * Verifies the whole stored trail at one instant.
 * @param also runs on the same snapshot that was verified
 */
export async function verifyStored(
  {
    store,
    authority,
  }: {
    readonly store: Pick<AuditStore, 'read' | 'estimate'>;
    readonly authority: Pick<AuditAuthority, 'keys'>;
  },
  request: VerifyRequest,
  also?: (snapshot: StoredSnapshot) => Promise<void>,
): Promise<TrailVerification & { readonly keys: readonly InstallationKey[] }> {
  const keys = authority.keys();
  const of = await store.estimate();
  const result = await store.read(async (snapshot) => {
    const installation = await snapshot.installation();
    const verification = await verifyTrail(snapshot, { ...request, keys, of, installation });
    await also?.(snapshot);
    return verification;
  });
  return { ...result, keys };
}
