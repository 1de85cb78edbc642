import { createPrivateKey, createPublicKey, hash as hashOnce, sign, verify } from 'node:crypto';
import type { DerivedKey, Vault } from '../keys/vault.ts';
import { type AuditRow, hashOf, rowHash } from './audit-row.ts';

/**
 * Seals rows: covers those with ids from after `afterId` up to `lastId`, all of one month. Checkpoints form one chain
 * over all servers (docs/adr/0013-audit-chains.md).
 */
export interface Checkpoint extends CheckpointPlace {
  /** The id (8 bytes) and the hash (32 bytes) of each row; empty once its month was pruned. */
  readonly leaves: Buffer;
  /** Ed25519 (RFC 8032), of the hash. */
  readonly signature: Buffer;
  readonly hash: Buffer;
}

/** What the hash of a checkpoint covers. */
interface CheckpointPlace {
  /** 1, 2, … without gaps. */
  readonly number: number;
  /** UTC, to the microsecond. */
  readonly at: string;
  /** Of the rows: `2026-11`. */
  readonly month: string;
  /** Decimal digits: `lastId` of the checkpoint before. */
  readonly afterId: string;
  readonly lastId: string;
  readonly rows: number;
  readonly leavesHash: Buffer;
  /** Not empty: months before this one (`2026-01`) were removed. */
  readonly prunes: string;
  /** The checkpoint before was signed by a key of the installation, which may have been retired since. */
  readonly vouches: boolean;
  /** 32 zero bytes for the first one. */
  readonly prevHash: Buffer;
  /** The id of the installation's key that signed it: 16 hexadecimal digits. */
  readonly keyId: string;
}

/** No row has this id; where the first checkpoint begins. */
export const BEFORE_ALL_IDS = '-9223372036854775808';

const NOTHING_BEFORE: Buffer = Buffer.alloc(32);
const LEAF_BYTES = 40;

export function checkpointHash(checkpoint: CheckpointPlace): Buffer {
  const { number, at, month, afterId, lastId, rows, prunes, vouches, keyId } = checkpoint;
  const hashes = [checkpoint.leavesHash, checkpoint.prevHash].map((hash) => hash.toString('hex'));
  const place = [String(number), at, month, afterId, lastId, String(rows), prunes, String(vouches), keyId];
  return hashOf(['tankeeper audit checkpoint 1', ...place, ...hashes]);
}

function leavesOf(rows: readonly AuditRow[]): Buffer {
  return Buffer.concat(
    rows.flatMap((row) => {
      const id = Buffer.alloc(8);
      id.writeBigInt64BE(BigInt(row.id));
      return [id, rowHash(row)];
    }),
  );
}

/** @returns the hash of each sealed row, by its id */
export function readLeaves(leaves: Buffer): Map<string, Buffer> {
  const hashes = new Map<string, Buffer>();
  for (let from = 0; from + LEAF_BYTES <= leaves.length; from += LEAF_BYTES) {
    hashes.set(leaves.readBigInt64BE(from).toString(), leaves.subarray(from + 8, from + LEAF_BYTES));
  }
  return hashes;
}

export function leavesHash(leaves: Buffer): Buffer {
  return hashOnce('sha256', leaves, 'buffer');
}

/** What a new checkpoint says. */
interface CheckpointDraft extends Pick<Checkpoint, 'at' | 'month'> {
  /** In the order of their ids, and all since the checkpoint before. */
  readonly rows: readonly AuditRow[];
  readonly prunes?: string;
}

/** @returns the checkpoint after another one, or the first one */
export function nextCheckpoint(
  before: Checkpoint | undefined,
  { rows, prunes = '', at, month }: CheckpointDraft,
  authority: AuditAuthority,
): Checkpoint {
  const leaves = leavesOf(rows);
  const { number, afterId, prevHash } = placeAfter(before);
  const place: CheckpointPlace = {
    number,
    at,
    month,
    afterId,
    lastId: rows.at(-1)?.id ?? afterId,
    rows: rows.length,
    leavesHash: leavesHash(leaves),
    prunes,
    vouches: before === undefined || isSigned(before, authority.keys()),
    prevHash,
    keyId: authority.keys()[0].keyId,
  };
  const hash = checkpointHash(place);
  return { ...place, leaves, hash, signature: authority.sign(hash) };
}

/** @returns the place of the next checkpoint, or of the first one */
export function placeAfter(
  before: Checkpoint | undefined,
): Pick<Checkpoint, 'number' | 'afterId' | 'prevHash'> {
  return before === undefined
    ? { number: 1, afterId: BEFORE_ALL_IDS, prevHash: NOTHING_BEFORE }
    : { number: before.number + 1, afterId: before.lastId, prevHash: before.hash };
}

/** @returns true if its hash is of its content, and signed by one of the keys */
export function isSigned(checkpoint: Checkpoint, keys: readonly InstallationKey[]): boolean {
  const key = keys.find(({ keyId }) => keyId === checkpoint.keyId);
  return (
    key?.publicKey.length === KEY_LENGTH &&
    checkpointHash(checkpoint).equals(checkpoint.hash) &&
    verify(
      null,
      checkpoint.hash,
      {
        key: Buffer.concat([PUBLIC_PREFIX, key.publicKey]),
        format: 'der',
        type: 'spki',
      },
      checkpoint.signature,
    )
  );
}

/** A public key of the installation. */
export interface InstallationKey {
  /** The id of the vault's key from which it was derived: 16 hexadecimal digits. */
  readonly keyId: string;
  /** 32 bytes, Ed25519. */
  readonly publicKey: Buffer;
}

const PURPOSE = 'audit checkpoints';
const KEY_LENGTH = 32;
/** Encodings of RFC 8410 that precede the 32 bytes of a private key (PKCS #8) and of a public one (SPKI). */
const PRIVATE_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');
const PUBLIC_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

/**
 * Signs checkpoints by keys that are derived from the vault's, the same on every server: access to the database alone
 * does not suffice. The public halves reveal nothing of the vault. The keys are derived at each call, as the vault's keys
 * change at run time.
 */
export class AuditAuthority {
  readonly #vault: Pick<Vault, 'derive'>;

  constructor({ vault }: { readonly vault: Pick<Vault, 'derive'> }) {
    this.#vault = vault;
  }

  /** @returns the installation's public keys, the current one first */
  keys(): readonly [InstallationKey, ...InstallationKey[]] {
    const [current, ...older] = this.#vault.derive(PURPOSE);
    return [publicKeyOf(current), ...older.map(publicKeyOf)];
  }

  sign(hash: Uint8Array): Buffer {
    return sign(null, hash, privateKey(this.#vault.derive(PURPOSE)[0]));
  }
}

function publicKeyOf(key: DerivedKey): InstallationKey {
  const spki = createPublicKey(privateKey(key)).export({ format: 'der', type: 'spki' });
  return { keyId: key.keyId, publicKey: spki.subarray(-KEY_LENGTH) };
}

function privateKey({ bytes }: DerivedKey) {
  return createPrivateKey({ key: Buffer.concat([PRIVATE_PREFIX, bytes]), format: 'der', type: 'pkcs8' });
}
