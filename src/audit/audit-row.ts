import { hash as hashOnce } from 'node:crypto';

/** Content of a row of the audit trail. Never holds a secret. */
export interface AuditEntry {
  /** The administrator's name; empty for the open endpoints. */
  readonly actor: string;
  readonly action: string;
  /** The object of the act: a serial, a realm's name. */
  readonly subject: string;
  /** The realms of the object, separated by commas; empty if it is in none. */
  readonly realm: string;
  readonly outcome: string;
  readonly client: string;
  readonly requestId: string;
  /** The id of the transaction that the act is about; empty where there is none. */
  readonly transaction: string;
}

/** A row that is about to be stored: the database gives its id. */
export interface NewAuditRow extends AuditEntry {
  /** UTC, to the microsecond: `2026-11-21T09:30:00.123000Z`. */
  readonly at: string;
}

export interface AuditRow extends NewAuditRow {
  /** Decimal digits, in about the order of time. */
  readonly id: string;
}

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
  /** Rows about any of these; none of them means no row. */
  readonly subjects?: readonly string[] | undefined;
  readonly realm?: string | undefined;
  readonly outcome?: string | undefined;
  readonly client?: string | undefined;
  readonly requestId?: string | undefined;
  readonly transaction?: string | undefined;
  readonly limit: number;
  /** The last row of the page before. */
  readonly after?: RowPlace | undefined;
  /** Realms of which the subject is in at least one. */
  readonly within?: readonly string[] | undefined;
  /** Realms of which the subject is in no other one. */
  readonly entirelyWithin?: readonly string[] | undefined;
}

/** The place of a row in the order of time. */
export interface RowPlace {
  /** As `AuditRow.at`. */
  readonly at: string;
  readonly id: string;
}

/** What an outcome tells of a PIN that somebody has guessed. */
const PIN_VERDICT = /, right (?:PIN|response)$/;

export function withoutPinVerdict(outcome: string): string {
  return outcome.replace(PIN_VERDICT, '');
}

/** The members of a row, all of them text, in the order in which they are hashed and exported. */
export const ROW_MEMBERS = [
  'id',
  'at',
  'actor',
  'action',
  'subject',
  'realm',
  'outcome',
  'client',
  'requestId',
  'transaction',
] as const satisfies readonly (keyof AuditRow)[];

export function columnOf(member: string): string {
  return member === 'transaction'
    ? 'transaction_id'
    : member.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

export function rowHash(row: AuditRow): Buffer {
  return hashOf(['tankeeper audit row 2', ...ROW_MEMBERS.map((member) => row[member])]);
}

/** @returns SHA-256 of texts, each preceded by its length, so that no two lists have the same encoding */
export function hashOf(texts: readonly string[]): Buffer {
  const lengths = texts.map((text) => Buffer.byteLength(text, 'utf8'));
  const all = Buffer.allocUnsafe(lengths.reduce((sum, length) => sum + 4 + length, 0));
  let end = 0;
  texts.forEach((text, place) => {
    end = all.writeUInt32BE(lengths[place] ?? 0, end);
    end += all.write(text, end, 'utf8');
  });
  return hashOnce('sha256', all, 'buffer');
}

export function auditTime(time: Date): string {
  return time.toISOString().replace('Z', '000Z');
}
