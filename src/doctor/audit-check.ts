import type { AuditStore } from '../audit/audit-store.ts';
import type { AuditAuthority } from '../audit/signing-key.ts';
import { verifyTrail } from '../audit/verify-trail.ts';
import type { Clock } from '../kernel/clock.ts';
import { type Finding, findingOf } from './examination.ts';

/** Times of the audit trail. */
export interface TrailFacts {
  readonly lastCheckpoint: Date | undefined;
  /** Time of the oldest row after the last checkpoint; of the oldest row at all where there is no checkpoint. */
  readonly oldestUncovered: Date | undefined;
  /** The approximate number of rows. */
  readonly rows: number;
}

/** The dependencies of the check. */
export interface AuditCheckDependencies {
  readonly store: Pick<AuditStore, 'read'>;
  readonly authority: Pick<AuditAuthority, 'keys'>;
  readonly trail: () => Promise<TrailFacts>;
  readonly clock: Clock;
  /** Milliseconds of a clock that never goes back. */
  readonly elapsed: () => number;
  /** Milliseconds for the verification. */
  readonly timeoutMs: number;
}

/** A larger trail is verified from the last day on. */
const MAX_ROWS = 50_000;
const DAY_MS = 86_400_000;
/** Servers write a checkpoint about once a minute. */
const UNCOVERED_MS = 3_600_000;

const VERIFY = '`tankeeper audit verify`';

/** @returns findings about the last checkpoint, and of a verification with a time limit */
export async function checkAudit(parts: AuditCheckDependencies): Promise<readonly Finding[]> {
  const facts = await parts.trail();
  return [...checkpointFindings(facts, parts.clock.now()), ...(await verifyInTime(parts, facts))];
}

/** @returns findings about the last checkpoint */
export function checkpointFindings(
  { lastCheckpoint, oldestUncovered }: TrailFacts,
  at: Date,
): readonly Finding[] {
  const age = oldestUncovered === undefined ? 0 : at.getTime() - oldestUncovered.getTime();
  if (age < UNCOVERED_MS) {
    return [];
  }
  const last = lastCheckpoint === undefined ? 'there was none yet' : `of ${lastCheckpoint.toISOString()}`;
  return [
    findingOf(
      'warning',
      'audit.no-checkpoint',
      `audit rows since ${oldestUncovered?.toISOString() ?? ''} are not covered by a checkpoint (last one: ${last}): their removal would not be noticed`,
      'a running server writes a checkpoint each minute; its log tells why it does not',
    ),
  ];
}

async function verifyInTime(
  parts: AuditCheckDependencies,
  { rows }: TrailFacts,
): Promise<readonly Finding[]> {
  const { store, authority, clock, elapsed, timeoutMs } = parts;
  const since = rows > MAX_ROWS ? new Date(clock.now().getTime() - DAY_MS) : undefined;
  const end = elapsed() + timeoutMs;
  const keys = authority.keys();
  let first = '';
  try {
    const { findings } = await store.read(async (snapshot) =>
      verifyTrail(
        { ...snapshot, rows: () => snapshot.rows({ since }) },
        {
          keys,
          progress: () => {
            if (elapsed() > end) {
              throw new OverdueVerification();
            }
          },
          report: ({ kind, of, reason }) => {
            first ||= `${kind} ${of === 'row' ? 'row' : 'record'}: ${reason}`;
          },
          isWhole: since === undefined,
          ...(since === undefined && { installation: await snapshot.installation() }),
        },
      ),
    );
    return findings === 0
      ? []
      : [
          findingOf(
            'error',
            'audit.altered',
            `the audit trail does not verify: ${findings} ${findings === 1 ? 'finding' : 'findings'}, the first one a ${first}`,
            VERIFY,
          ),
        ];
  } catch (error) {
    if (!(error instanceof OverdueVerification)) {
      throw error;
    }
    const text = `the audit trail is too large to be verified within ${timeoutMs / 1000} s`;
    return [findingOf('note', 'audit.unverified', text, VERIFY)];
  }
}

/** The end of a verification that took too long. */
class OverdueVerification extends Error {
  override readonly name = 'OverdueVerification';
}
