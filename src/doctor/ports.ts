import type { ClockState } from '../housekeeping/clock-state.ts';

/** Facts about the database server, as the session of a server has them. */
export interface DatabaseFacts {
  /** PostgreSQL's number: 140005 for 14.5. */
  readonly version: number;
  /** Values of settings by name; a setting that this version lacks is absent. */
  readonly settings: ReadonlyMap<string, string>;
  /** A standby, or a session that takes no writes. */
  readonly isReadOnly: boolean;
}

/** Connections that the database grants, and those that servers may take. */
export interface ConnectionFacts {
  /** The most that the role may open to this database: the smallest of the limits that apply. */
  readonly granted: number;
  /** Running servers. */
  readonly servers: number;
}

/** State of a key in the database. */
export interface KeyAge {
  /** 16 hexadecimal digits. */
  readonly keyId: string;
  readonly addedAt: Date;
  readonly isCurrent: boolean;
  /** Undefined: it has never sealed. */
  readonly currentSince: Date | undefined;
  readonly isRetired: boolean;
}

/** The key file as the operating system shows it. */
export interface KeyFileAccess {
  readonly path: string;
  /** Permission bits; undefined: there is no such file, or it cannot be looked at. */
  readonly mode: number | undefined;
  /** Permission bits of its folder; undefined as above. */
  readonly folderMode: number | undefined;
  /** The ids of its keys; undefined if it cannot be read. */
  readonly keyIds: readonly string[] | undefined;
}

/** Times of the audit trail. */
export interface TrailFacts {
  readonly lastCheckpoint: Date | undefined;
  /** Time of the oldest row after the last checkpoint; of the oldest row at all where there is no checkpoint. */
  readonly oldestUncovered: Date | undefined;
  /** The approximate number of rows. */
  readonly rows: number;
}

/** Times of backups. */
export interface BackupFacts {
  /** Begin of the last export that the audit records. */
  readonly lastExport: Date | undefined;
  /** Time at which the first key was registered. */
  readonly installedAt: Date | undefined;
}

/** Reads facts from the database, and changes nothing. Each statement has a time limit. */
export interface InstallationReader {
  connections(): Promise<ConnectionFacts>;
  keyAges(): Promise<readonly KeyAge[]>;
  /** @returns the sets of realms that QR-TAN tokens are in, each by names, sorted; an empty one: no realm */
  realmsOfQrTokens(): Promise<readonly (readonly string[])[]>;
  /** @returns the number of counts that differ from the tokens and users themselves */
  driftedCounts(): Promise<number>;
  trail(): Promise<TrailFacts>;
  backups(): Promise<BackupFacts>;
  /** @returns what is known of the database's clock; undefined: no server has looked at it */
  clockState(): Promise<ClockState | undefined>;
}
