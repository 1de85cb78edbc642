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

/** A row as it is stored: its content, its place in a chain, and the signature of its writer. */
export interface AuditRow extends AuditEntry {
  /** Decimal digits. */
  readonly id: string;
  /** UTC, to the microsecond: `2026-11-21T09:30:00.123000Z`. */
  readonly at: string;
  /** The number of the journal record that introduces the row's writer. */
  readonly writer: number;
  /** A writer has several chains, so that its transactions do not wait for each other. */
  readonly lane: number;
  /** 1, 2, … in its lane. */
  readonly seq: number;
  /** The hash of the previous row in its lane; 32 zero bytes for the first one. */
  readonly prevHash: Buffer;
  readonly hash: Buffer;
  /** Ed25519 (RFC 8032), of the hash, or of a tree of several rows' hashes (`signatures.ts`). */
  readonly signature: Buffer;
}

/** What an outcome tells of a PIN that somebody has guessed. */
const PIN_VERDICT = /, right (?:PIN|response)$/;

export function withoutPinVerdict(outcome: string): string {
  return outcome.replace(PIN_VERDICT, '');
}

/** `digits`: a bigint that stays text. `instant`: text, UTC to the microsecond. */
export type MemberKind = 'text' | 'digits' | 'instant' | 'number' | 'bytes';

/** The kind of each member of a row or record: how it is stored, exported and read again. */
export type Kinds<Kept> = Readonly<Record<keyof Kept, MemberKind>>;

/** The members of a row that say what happened. */
const CONTENT_KINDS = {
  id: 'digits',
  at: 'instant',
  actor: 'text',
  action: 'text',
  subject: 'text',
  realm: 'text',
  outcome: 'text',
  client: 'text',
  requestId: 'text',
  transaction: 'text',
} as const;

export const ROW_KINDS = {
  ...CONTENT_KINDS,
  writer: 'number',
  lane: 'number',
  seq: 'number',
  prevHash: 'bytes',
  hash: 'bytes',
  signature: 'bytes',
} as const satisfies Kinds<AuditRow>;

export const CONTENT_MEMBERS = Object.keys(CONTENT_KINDS) as (keyof typeof CONTENT_KINDS)[];
export const ROW_MEMBERS = Object.keys(ROW_KINDS) as (keyof AuditRow)[];

export function columnOf(member: string): string {
  return member === 'transaction'
    ? 'transaction_id'
    : member.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The previous hash of the first row or record of a chain. */
export const NOTHING_BEFORE: Buffer = Buffer.alloc(32);

const ROW_FORM = 'tankeeper audit row 1';

export function rowHash(row: Omit<AuditRow, 'hash' | 'signature'>): Buffer {
  const { id, at, actor, action, subject, realm, outcome, client, requestId, transaction } = row;
  const place = [row.writer, row.lane, row.seq].map(String);
  return chainHash(
    [ROW_FORM, id, at, actor, action, subject, realm, outcome, client, requestId, transaction, ...place],
    row.prevHash,
  );
}

/** @returns SHA-256 of texts and bytes, each preceded by its length, so that no two lists have the same encoding */
export function chainHash(texts: readonly string[], bytes: Uint8Array): Buffer {
  const lengths = [...texts.map((text) => Buffer.byteLength(text, 'utf8')), bytes.length];
  const all = Buffer.allocUnsafe(lengths.reduce((sum, length) => sum + 4 + length, 0));
  let end = 0;
  lengths.forEach((length, place) => {
    end = all.writeUInt32BE(length, end);
    const text = texts[place];
    if (text === undefined) {
      all.set(bytes, end);
    } else {
      all.write(text, end, 'utf8');
    }
    end += length;
  });
  return hashOnce('sha256', all, 'buffer');
}

export function auditTime(time: Date): string {
  return time.toISOString().replace('Z', '000Z');
}
