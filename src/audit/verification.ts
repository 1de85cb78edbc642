import { z } from 'zod';
import type { ReadonlyDeep } from '../kernel/readonly-deep.ts';
import { type AuditRow, rowHash } from './audit-row.ts';
import {
  type Checkpoint,
  checkpointHash,
  type InstallationKey,
  isSigned,
  leavesHash,
  placeAfter,
  readLeaves,
} from './checkpoint.ts';

declare module '../kernel/errors.ts' {
  interface ErrorPayloads {
    'audit.unverifiable': NoPayload;
  }
}

/** A checkpoint with the rows that it covers now; without a checkpoint: rows that none covers yet. */
export interface TrailPart {
  readonly checkpoint: Checkpoint | undefined;
  readonly rows: readonly AuditRow[];
}

/** The last removal of months. */
export interface Pruning {
  /** The number of its checkpoint. */
  readonly number: number;
  /** The first month that was kept: `2026-01`. */
  readonly before: string;
}

/** The audit trail as a stream, from the database or an export. */
export interface Trail {
  /** False for a period, in which missing rows are not reported. */
  readonly isWhole: boolean;
  readonly pruning: Pruning | undefined;
  /** In the order of checkpoints, those without one last; read once. */
  readonly parts: AsyncIterable<TrailPart>;
}

/** A part of the audit trail that is not as it was sealed. */
const AUDIT_FINDING = z.object({
  // `inserted`: a row that was not there when its checkpoint was made, or should have been pruned.
  kind: z.enum(['changed', 'removed', 'inserted']).meta({ column: 'KIND' }),
  target: z.enum(['row', 'checkpoint']).meta({ column: 'TARGET' }),
  id: z
    .string()
    .nullable()
    .meta({ column: 'ID', description: 'of the row, or number of the checkpoint; null: not known' }),
  // Of a row that is there, and of a checkpoint.
  at: z.string().nullable().meta({ column: 'TIME', description: 'UTC, to the microsecond' }),
  reason: z.string().meta({ column: 'REASON' }),
});

export type AuditFinding = Readonly<z.output<typeof AUDIT_FINDING>>;

/** Receives findings one at a time: there may be millions. */
type Report = (finding: AuditFinding) => void;

export interface TrailVerification {
  readonly rows: number;
  /** Of these rows: not covered by a checkpoint yet. */
  readonly unsealed: number;
  readonly checkpoints: number;
  /** The hash of the newest checkpoint, hexadecimal; empty where there is none. */
  readonly newestCheckpoint: string;
  readonly findings: number;
}

const count = z.int().nonnegative();

/** A verification of the trail by a server, under way or over. */
export const VERIFICATION = z.object({
  id: z.string().describe('decimal digits'),
  // `interrupted`: its server stopped. `failed`: it could not read the trail to its end.
  state: z.enum(['running', 'finished', 'failed', 'interrupted']),
  begunAt: z.date(),
  begunBy: z.string(),
  endedAt: z.date().nullable(),
  rows: count.describe('checked so far'),
  totalRows: count.describe('the approximate number of all rows'),
  checkpoints: count.describe('0 before the end'),
  // The hash of that checkpoint.
  newestCheckpoint: z.string().describe('the newest checkpoint, hexadecimal; empty before the end'),
  // Hexadecimal, too.
  expectedCheckpoint: z.string().describe('the checkpoint that must be there; empty where none was given'),
  findings: count,
  listedFindings: z
    .array(AUDIT_FINDING)
    .meta({ column: 'Findings', description: 'the first hundred; empty before the end' }),
  reason: z.string().describe('why it failed; empty where it did not'),
});

export const NEWEST_VERIFICATION = z.object({
  verification: VERIFICATION.nullable().describe('null: there was none yet'),
  // Ed25519.
  keys: z.array(z.string()).describe('public keys of the installation, Base64, the current one first'),
});

export type VerificationRecord = ReadonlyDeep<z.output<typeof VERIFICATION>>;

/** The end of a verification. */
export type VerificationEnd = Pick<
  VerificationRecord,
  'rows' | 'checkpoints' | 'newestCheckpoint' | 'findings' | 'listedFindings' | 'reason'
> & {
  readonly state: Exclude<VerificationRecord['state'], 'running'>;
};

/** A verification of the stored trail. */
export interface VerifyRequest {
  /** Receives every finding as it is found. */
  readonly report: Report;
  /** The hash of a checkpoint, as a server has logged it: the trail must contain it. */
  readonly checkpoint?: string | undefined;
  /** Receives the number of rows checked so far, and the approximate number of all rows. Ends it by its error. */
  readonly progress?: ((rows: number, of: number) => void | Promise<void>) | undefined;
}

interface VerificationOptions extends VerifyRequest {
  /** Public keys that may have signed the newest checkpoint. */
  readonly keys: readonly InstallationKey[];
  /** Administrators of the installation, each of whom was created by an audited act; none where unknown. */
  readonly administrators?: readonly string[];
  /** The approximate number of rows. */
  readonly of?: number;
}

/**
 * Verifies a trail: each checkpoint follows the one before and is signed, and each row is as its checkpoint says. Every
 * finding is reported as it is found.
 */
export async function verifyTrail(
  trail: Trail,
  { progress, of = 0, ...options }: VerificationOptions,
): Promise<TrailVerification> {
  let findings = 0;
  const report: Report = (finding) => {
    findings += 1;
    options.report(finding);
  };
  const chain = new ChainCheck(trail, { ...options, report });
  const unrecorded = new Set(options.administrators);
  const count = { rows: 0, unsealed: 0, checkpoints: 0 };
  for await (const { checkpoint, rows } of trail.parts) {
    count.rows += rows.length;
    if (checkpoint === undefined) {
      count.unsealed += rows.length;
    } else {
      count.checkpoints += 1;
      chain.check(checkpoint);
      checkRows(checkpoint, rows, trail, report);
    }
    rows.filter(isCreationOfAdministrator).forEach(({ subject }) => unrecorded.delete(subject));
    await progress?.(count.rows, Math.max(count.rows, of));
  }
  const newest = chain.finish();
  if (trail.pruning === undefined) {
    // A trail that was emptied together with its checkpoints leaves no broken chain behind.
    unrecorded.forEach((name) => {
      report(removed('row', null, `none tells who made the administrator '${name}'`));
    });
  }
  return { ...count, newestCheckpoint: newest?.hash.toString('hex') ?? '', findings };
}

function isCreationOfAdministrator({ action, outcome }: AuditRow): boolean {
  return outcome === 'created' && action.startsWith('administrator/');
}

/** Checks checkpoints in the order of their numbers. */
class ChainCheck {
  readonly #trail: Trail;
  readonly #keys: readonly InstallationKey[];
  readonly #report: Report;
  /** The hash of the checkpoint that must be there, until it was seen. */
  #required: string | undefined;
  #last: Checkpoint | undefined;
  /** True: no key is known that could have signed the last one, so the next one must vouch for it. */
  #isLastUnknown = false;
  #isPruningSeen: boolean;

  constructor(
    trail: Trail,
    { keys, checkpoint, report }: Pick<VerificationOptions, 'keys' | 'checkpoint' | 'report'>,
  ) {
    this.#trail = trail;
    this.#keys = keys;
    this.#report = report;
    this.#required = checkpoint?.toLowerCase();
    this.#isPruningSeen = trail.pruning === undefined || !trail.isWhole;
  }

  check(checkpoint: Checkpoint): void {
    const { number, hash, prunes, vouches } = checkpoint;
    const { pruning } = this.#trail;
    const isNext = this.#checkPlace(checkpoint);
    this.#vouchForLast(isNext && vouches);
    this.#checkContent(checkpoint);
    this.#isPruningSeen ||= number === pruning?.number && prunes === pruning.before;
    this.#required = hash.toString('hex') === this.#required ? undefined : this.#required;
    this.#last = checkpoint;
  }

  /** @returns the newest checkpoint */
  finish(): Checkpoint | undefined {
    this.#vouchForLast(false);
    if (!this.#isPruningSeen) {
      this.#report(removed('checkpoint', null, 'none tells of the months that were pruned'));
    }
    if (this.#required !== undefined) {
      this.#report(removed('checkpoint', null, `the trail does not contain ${this.#required}`));
    }
    return this.#last;
  }

  /** @returns true if its number is the next one */
  #checkPlace(checkpoint: Checkpoint): boolean {
    const { number, prevHash, afterId } = checkpoint;
    const due = placeAfter(this.#last);
    if (number < due.number) {
      this.#report({ ...changed(checkpoint, 'there is another one of this number'), kind: 'inserted' });
    } else if (number > due.number && this.#trail.isWhole) {
      this.#report(removed('checkpoint', `${due.number}-${number - 1}`, `before checkpoint ${number}`));
    } else if (number === due.number && !(prevHash.equals(due.prevHash) && afterId === due.afterId)) {
      this.#report(changed(checkpoint, 'it was made after another checkpoint than the one before it'));
    }
    return number === due.number;
  }

  #checkContent(checkpoint: Checkpoint): void {
    const { hash, leaves, keyId } = checkpoint;
    this.#isLastUnknown = !this.#keys.some((key) => key.keyId === keyId);
    if (!checkpointHash(checkpoint).equals(hash)) {
      this.#report(changed(checkpoint, 'it does not match its hash'));
    } else if (!this.#isLastUnknown && !isSigned(checkpoint, this.#keys)) {
      this.#report(changed(checkpoint, 'it does not match its signature'));
    }
    if (leaves.length > 0 && !leavesHash(leaves).equals(checkpoint.leavesHash)) {
      this.#report(changed(checkpoint, 'its list of rows is another one'));
    }
  }

  /** A key may have been retired since: then the checkpoint after it has seen its signature. */
  #vouchForLast(isVouchedFor: boolean): void {
    if (this.#last !== undefined && this.#isLastUnknown && !isVouchedFor) {
      this.#report(changed(this.#last, 'it is not signed by a key of this installation'));
    }
  }
}

function checkRows(
  checkpoint: Checkpoint,
  rows: readonly AuditRow[],
  { pruning, isWhole }: Trail,
  report: Report,
): void {
  if (isPruned(checkpoint, pruning)) {
    rows.forEach((row) => {
      report(found('inserted', row, `the months before ${pruning?.before ?? ''} were pruned`));
    });
    return;
  }
  const sealed = readLeaves(checkpoint.leaves);
  for (const row of rows) {
    const hash = sealed.get(row.id);
    if (hash === undefined) {
      report(found('inserted', row, `checkpoint ${checkpoint.number} does not know it`));
    } else if (!rowHash(row).equals(hash)) {
      report(found('changed', row, `checkpoint ${checkpoint.number} knows another one of this id`));
    }
    sealed.delete(row.id);
  }
  if (isWhole) {
    [...sealed.keys()].forEach((id) => {
      report(removed('row', id, `checkpoint ${checkpoint.number} knows it`));
    });
    if (checkpoint.leaves.length === 0 && checkpoint.rows > 0) {
      report(
        removed('row', null, `${checkpoint.rows} of checkpoint ${checkpoint.number}, with its list of rows`),
      );
    }
  }
}

/** @returns true if the rows of the checkpoint were removed with their month */
function isPruned({ number, month }: Checkpoint, pruning: Pruning | undefined): boolean {
  return pruning !== undefined && number < pruning.number && month < pruning.before;
}

function found(kind: AuditFinding['kind'], { id, at }: AuditRow, reason: string): AuditFinding {
  return { kind, target: 'row', id, at, reason };
}

function changed({ number, at }: Checkpoint, reason: string): AuditFinding {
  return { kind: 'changed', target: 'checkpoint', id: String(number), at, reason };
}

function removed(of: AuditFinding['target'], id: string | null, reason: string): AuditFinding {
  return { kind: 'removed', target: of, id, at: null, reason };
}
