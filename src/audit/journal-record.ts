import { chainHash, type Kinds } from './audit-row.ts';

/**
 * `writer`: a server or command that is about to write rows. `key`: the public part of an older key of the
 * installation. `checkpoint`: the last rows of a writer's lanes. `prune`: the removed rows and records.
 */
type JournalKind = 'writer' | 'key' | 'checkpoint' | 'prune';

/** A record of the journal, which accompanies the rows: one chain for all servers. */
export interface JournalRecord {
  /** 1, 2, … without gaps, except for those that a prune names. */
  readonly number: number;
  /** UTC, to the microsecond. */
  readonly at: string;
  readonly kind: JournalKind;
  /** The signer: the number of a writer, or 0 for the installation's own key. */
  readonly writer: number;
  /** The id of the installation's key that signed it, 16 hexadecimal digits; empty where a writer did. */
  readonly keyId: string;
  /** JSON, by kind. */
  readonly body: string;
  readonly prevHash: Buffer;
  readonly hash: Buffer;
  /** Ed25519, of the hash. */
  readonly signature: Buffer;
}

export const RECORD_KINDS: Kinds<JournalRecord> = {
  number: 'number',
  at: 'instant',
  kind: 'text',
  writer: 'number',
  keyId: 'text',
  body: 'text',
  prevHash: 'bytes',
  hash: 'bytes',
  signature: 'bytes',
};

/** The head of a lane: its last row. */
export interface LaneHead {
  readonly lane: number;
  readonly seq: number;
  readonly hash: Buffer;
}

/** The last removed row of a writer's lane. */
export interface LaneCut extends LaneHead {
  readonly writer: number;
}

/** Records that a prune has removed from the journal. */
export interface JournalGap {
  /** The numbers of the first and the last of them. */
  readonly from: number;
  readonly to: number;
  /** The hash of the last of them. */
  readonly hash: Buffer;
}

/** Rows and records that a prune and all earlier prunes have removed. */
export interface PruneBody {
  /** The last removed row of every lane that still has writer and rows. */
  readonly cuts: readonly LaneCut[];
  readonly gaps: readonly JournalGap[];
}

/** The content that a prune removes and signs. */
export interface PruningPlan extends PruneBody {
  /** Numbers of the journal records that are removed. */
  readonly numbers: readonly number[];
  /** The lanes that this prune cuts. */
  readonly cutNow: readonly LaneCut[];
  /** Hash of the previous prune, hexadecimal; empty where there was none. */
  readonly prunedBefore: string;
}

export interface WriterBody {
  /** Base64 of 32 bytes. */
  readonly publicKey: string;
  /** `tankeeper server`, for people. */
  readonly name: string;
}

export interface KeyBody {
  readonly keyId: string;
  /** Base64 of 32 bytes. */
  readonly publicKey: string;
}

const RECORD_FORM = 'tankeeper audit journal 1';

export function recordHash(record: Omit<JournalRecord, 'hash' | 'signature'>): Buffer {
  const { number, at, kind, writer, keyId, body, prevHash } = record;
  return chainHash([RECORD_FORM, String(number), at, kind, String(writer), keyId, body], prevHash);
}

/** @param isFinal true if it is the writer's last record */
export function checkpointBody(heads: readonly LaneHead[], isFinal: boolean): string {
  return JSON.stringify({
    heads: heads.map(({ lane, seq, hash }) => [lane, seq, hash.toString('hex')]),
    final: isFinal,
  });
}

/** @param before the first instant that was kept */
export function pruneBody(before: string, rows: number, { cuts, gaps }: PruneBody): string {
  const lanes = cuts.map(({ writer, lane, seq, hash }) => [writer, lane, seq, hash.toString('hex')]);
  const records = gaps.map(({ from, to, hash }) => [from, to, hash.toString('hex')]);
  return JSON.stringify({ before, rows, cuts: lanes, gaps: records });
}

/**
 * @returns the heads of a checkpoint
 * @throws Error when the body is not that of a checkpoint
 */
export function readHeads(body: string): readonly LaneHead[] {
  return readTuples(body, 'heads').map(readHead);
}

function readHead([lane = 0, seq = 0, hash = '']: Tuple): LaneHead {
  return { lane: Number(lane), seq: Number(seq), hash: Buffer.from(String(hash), 'hex') };
}

/**
 * @returns the content of a prune
 * @throws Error when the body is not that of a prune
 */
export function readPrune(body: string): PruneBody {
  return {
    cuts: readTuples(body, 'cuts').map(([writer = 0, ...head]) => ({
      writer: Number(writer),
      ...readHead(head),
    })),
    gaps: readTuples(body, 'gaps').map(([from = 0, to = 0, hash = '']) => ({
      from: Number(from),
      to: Number(to),
      hash: Buffer.from(String(hash), 'hex'),
    })),
  };
}

/**
 * @returns the texts and numbers of a body
 * @throws Error when it is no JSON object
 */
export function readRecordBody(body: string): Readonly<Record<string, unknown>> {
  const value: unknown = JSON.parse(body);
  if (typeof value !== 'object' || value === null) {
    throw new Error('The body of a record is no object');
  }
  return value as Record<string, unknown>;
}

type Tuple = readonly (string | number)[];

function readTuples(body: string, name: string): readonly Tuple[] {
  const list = readRecordBody(body)[name] ?? [];
  if (!Array.isArray(list) || !list.every((entry) => Array.isArray(entry))) {
    throw new Error(`The body of a record has no list '${name}'`);
  }
  return list as Tuple[];
}
