import type { Act } from '../policy/caller.ts';
import type { AuditEntry, AuditRow } from './audit-row.ts';
import type { JournalRecord, LaneCut, PruneBody } from './journal-record.ts';

/** A public key of the installation. */
export interface InstallationKey {
  /** The id of the vault's key that it was derived from: 16 hexadecimal digits. */
  readonly keyId: string;
  /** 32 bytes, Ed25519. */
  readonly publicKey: Buffer;
}

/** Says who may write rows. Its keys come from the vault: whoever has the database alone cannot. */
export interface AuditAuthority {
  /** @returns the installation's public keys, the current one first */
  keys(): readonly [InstallationKey, ...InstallationKey[]];
  /** @returns the current key's signature */
  sign(hash: Uint8Array): Buffer;
}

/** The trail at one instant. */
export interface AuditSnapshot {
  /** @returns the journal, some records at a time, in the order of their numbers. To be read before the rows */
  records(): AsyncIterable<readonly JournalRecord[]>;
  /** @returns the rows, some at a time, in the order of writer, lane, seq and id */
  rows(period?: AuditPeriod): AsyncIterable<readonly AuditRow[]>;
}

/** What there is beside the trail, and came there by acts that it tells of. */
export interface InstallationFacts {
  /** Names. */
  readonly administrators: readonly string[];
  /** Of the encryption keys that are registered, in order. */
  readonly keyIds: readonly string[];
}

/** The trail as it is stored, at one instant. */
export interface StoredSnapshot extends AuditSnapshot {
  installation(): Promise<InstallationFacts>;
  /** @param before the first instant of a month, UTC. @returns what pruning would take away */
  planPruning(before: Date): Promise<PruningPlan>;
}

/** What a prune takes away and signs. */
export interface PruningPlan extends PruneBody {
  /** Of the journal's records that go. */
  readonly numbers: readonly number[];
  /** How far lanes are cut by this one. */
  readonly cutNow: readonly LaneCut[];
  /** Hash of the prune before, hexadecimal; empty where there was none. */
  readonly prunedBefore: string;
}

/** Instants. */
export interface AuditPeriod {
  readonly since?: Date | undefined;
  /** Without this instant itself. */
  readonly until?: Date | undefined;
}

/** Which rows to look for: all that is given must match. */
export interface AuditFilter extends AuditPeriod {
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
  readonly subject?: string | undefined;
  readonly realm?: string | undefined;
  readonly outcome?: string | undefined;
  readonly client?: string | undefined;
  readonly requestId?: string | undefined;
  readonly limit: number;
  /** So many of the newest are left out; none unless told. */
  readonly offset?: number | undefined;
}

/** What a prune has taken away. */
export interface Pruned {
  readonly rows: number;
  /** `2026-03`, in order. */
  readonly months: readonly string[];
  /** Of the journal that stands beside the rows. */
  readonly records: number;
}

/** A request that was refused, so that there is no act whose transaction its row could be in. */
export interface Refusal extends Act {
  /** In a word or two. Never what the client has written. */
  readonly outcome: string;
  /** What it was about: a serial, a realm's name. */
  readonly subject?: string;
  readonly realm?: string;
  /** The account that somebody tried to be, as it was given: the row names it only where there is such an administrator. */
  readonly account?: string | undefined;
}

/** Is told what was refused. */
export interface RefusalNotes {
  /** Never fails. */
  note(refusal: Refusal): Promise<void>;
}

/** Rows of what was refused. */
export interface RefusalStore {
  /** Writes rows that belong to no act, in a transaction of their own. */
  writeRefusals(entries: readonly AuditEntry[]): Promise<void>;
}

/** The trail as it is stored. */
export interface AuditStore {
  /** @returns rows, newest first */
  search(filter: AuditFilter): Promise<readonly AuditRow[]>;
  /** Reads in one snapshot, however long it takes; writers go on meanwhile. */
  read<T>(work: (snapshot: StoredSnapshot) => Promise<T>): Promise<T>;
  /** Writes a row of an act that reads the trail. */
  note(act: Act, outcome: string): Promise<void>;
  /** @returns how many rows there are, about: what the database's statistics say */
  estimate(): Promise<number>;
  /**
   * Takes away all rows from before an instant, and of the journal what is then of no use, in one transaction with a
   * signed record of the cut and the audit row. Where there is nothing to take away, nothing is written.
   * @param before the first instant of a month, UTC
   * @param verified the plan of the snapshot that was verified: nothing else is signed, whoever has written to the trail
   *   since. Undefined: made of what is there
   * @throws ServiceError 'database.unavailable' when somebody has been reading the trail for too long, 'audit.unverifiable'
   *   when it is not what was verified any more
   */
  prune(before: Date, act: Act, verified?: PruningPlan): Promise<Pruned>;
  /** @returns how many months there are that are over before that of an instant begins */
  monthsBefore(instant: Date): Promise<number>;
}
