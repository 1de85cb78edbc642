import type { Act } from '../policy/caller.ts';
import type { AuditEntry, AuditRow } from './audit-row.ts';
import type { JournalRecord, LaneCut, PruneBody } from './journal-record.ts';

/** A public key of the installation. */
export interface InstallationKey {
  /** The id of the vault's key from which it was derived: 16 hexadecimal digits. */
  readonly keyId: string;
  /** 32 bytes, Ed25519. */
  readonly publicKey: Buffer;
}

/** Certifies the writers of rows. Its keys come from the vault: access to the database alone does not suffice. */
export interface AuditAuthority {
  /** @returns the installation's public keys, the current one first */
  keys(): readonly [InstallationKey, ...InstallationKey[]];
  /** @returns the current key's signature */
  sign(hash: Uint8Array): Buffer;
}

/** The trail at one instant. */
export interface AuditSnapshot {
  /** @returns the journal, some records at a time, in the order of their numbers. Must be read before the rows */
  records(): AsyncIterable<readonly JournalRecord[]>;
  /** @returns the rows, some at a time, in the order of writer, lane, seq and id */
  rows(period?: AuditPeriod): AsyncIterable<readonly AuditRow[]>;
}

/** Administrators and keys, whose creation the trail records. */
export interface RecordedInstallation {
  /** Names of the administrators. */
  readonly administrators: readonly string[];
  /** Ids of the registered encryption keys, in order. */
  readonly keyIds: readonly string[];
}

/** The trail as it is stored, at one instant. */
export interface StoredSnapshot extends AuditSnapshot {
  installation(): Promise<RecordedInstallation>;
  /**
   * @param before the first instant of a month, UTC
   * @returns the rows and records that a prune would remove
   */
  planPruning(before: Date): Promise<PruningPlan>;
}

/** Runs the statements of one step, when it is their turn. */
export type StepRun = <Result>(step: () => Promise<Result>) => Promise<Result>;

/** The content that a prune removes and signs. */
export interface PruningPlan extends PruneBody {
  /** Numbers of the journal records that are removed. */
  readonly numbers: readonly number[];
  /** The lanes that this prune cuts. */
  readonly cutNow: readonly LaneCut[];
  /** Hash of the previous prune, hexadecimal; empty where there was none. */
  readonly prunedBefore: string;
}

/** A period of time. */
export interface AuditPeriod {
  readonly since?: Date | undefined;
  /** Excludes this instant itself. */
  readonly until?: Date | undefined;
}

/** Selection of rows: all given fields must match. */
export interface AuditFilter extends AuditPeriod {
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
  readonly subject?: string | undefined;
  readonly realm?: string | undefined;
  readonly outcome?: string | undefined;
  readonly client?: string | undefined;
  readonly requestId?: string | undefined;
  readonly transaction?: string | undefined;
  readonly limit: number;
  /** The number of newest rows to skip; default 0. */
  readonly offset?: number | undefined;
  /** The last row of the page before. */
  readonly after?: RowPlace | undefined;
  /** Realms of which the subject is in at least one. */
  readonly within?: readonly string[] | undefined;
}

/** The place of a row in the order of time. */
export interface RowPlace {
  /** As `AuditRow.at`. */
  readonly at: string;
  readonly id: string;
}

/** The rows that a step of a search has found. */
export interface FoundRows {
  /** Newest first. */
  readonly rows: readonly AuditRow[];
  /** The last row that was read, for `after` of the next step; null: the limit or the end of the trail is reached. */
  readonly reached: RowPlace | null;
}

/** The result of a prune. */
export interface Pruned {
  readonly rows: number;
  /** `2026-03`, in order. */
  readonly months: readonly string[];
  /** Number of removed journal records. */
  readonly records: number;
}

/** A refused request. There is no act whose transaction could include its row. */
export interface Refusal extends Act {
  /** One or two words. Never text of the client. */
  readonly outcome: string;
  /** The object of the request: a serial, a realm's name. */
  readonly subject?: string;
  readonly realm?: string;
  /** The account name of the login attempt, as received: the row names it only where such an administrator exists. */
  readonly account?: string | undefined;
}

/** Receives refused requests. */
export interface RefusalNotes {
  /** Never fails. */
  note(refusal: Refusal): Promise<void>;
}

/** Storage of the rows of refused requests. */
export interface RefusalStore {
  /** Writes rows that belong to no act, in a transaction of their own. */
  writeRefusals(entries: readonly AuditEntry[]): Promise<void>;
}

/** The rows of one transaction. */
export interface TransactionRows {
  /** Oldest first. */
  readonly rows: readonly AuditRow[];
  /** The number of its rows that are not among them. */
  readonly more: number;
}

/** Finds the rows of a transaction. */
export interface TransactionTrail {
  /**
   * @param max the number of rows to read
   * @param realms rows about a token in none of these realms hide the transaction; undefined: none does
   * @returns its oldest rows; undefined if it is hidden
   */
  ofTransaction(
    transaction: string,
    max: number,
    realms?: readonly string[],
  ): Promise<TransactionRows | undefined>;
}

/** The trail as it is stored. */
export interface AuditStore {
  /** @returns rows, newest first. Rare ones take a reading of the whole trail */
  search(filter: AuditFilter): Promise<readonly AuditRow[]>;
  /**
   * Searches as `search`, in short statements. Without an index, it reads only a part of the trail.
   * @param isRare true where the step before had to read the trail: no index is tried then
   */
  searchStep(filter: AuditFilter, isRare?: boolean): Promise<FoundRows>;
  /** Reads in one snapshot of any duration; writers are not blocked. */
  read<T>(work: (snapshot: StoredSnapshot) => Promise<T>): Promise<T>;
  /**
   * Reads the trail as it was at the beginning, in short transactions: no connection and no snapshot is held between
   * them. Rows that are changed meanwhile are read as changed.
   * @param run runs each step; ends the reading by its error
   * @throws ServiceError 'server.busy' if the trail was pruned meanwhile, 'audit.unverifiable' if its table was altered
   */
  readInSteps<T>(work: (snapshot: AuditSnapshot) => Promise<T>, run: StepRun): Promise<T>;
  /** Writes a row about an act that reads the trail. */
  note(act: Act, outcome: string): Promise<void>;
  /** @returns the approximate number of rows, from the database's statistics */
  estimate(): Promise<number>;
  /**
   * Removes all rows before an instant, and the journal records that are then useless, in one transaction with a signed
   * record of the cut and the audit row. Writes nothing where there is nothing to remove.
   * @param before the first instant of a month, UTC
   * @param verified the plan of the verified snapshot: nothing else is signed, even if the trail has changed since.
   *   Undefined: made from the present trail
   * @throws ServiceError 'database.unavailable' when a reader holds the trail for too long, 'audit.unverifiable' when
   *   the trail no longer matches the plan
   */
  prune(before: Date, act: Act, verified?: PruningPlan): Promise<Pruned>;
  /** @returns the number of months that end before the month of an instant */
  monthsBefore(instant: Date): Promise<number>;
}
