import { encodeHex } from '../../../src/ocra/hex.ts';
import { type Bytes, sameBytes, seal, unseal, utf8 } from './sealing.ts';
import { VaultError } from './vault.ts';
import { type RecordKind, type SealedRecord, STRICT, type VaultDatabase } from './vault-database.ts';

/** The keys of an open vault, non-extractable. */
interface RecordKeys {
  /** AES-256-GCM: encrypts records. */
  readonly content: CryptoKey;
  /** HMAC-SHA256: makes ids of names. */
  readonly ids: CryptoKey;
}

/** The name of a record: a serial, or the id of an entry. */
export interface RecordName {
  readonly kind: RecordKind;
  readonly name: string;
}

/** A record to be written: `value` undefined removes it. */
export interface RecordChange extends RecordName {
  readonly value: unknown;
}

/** The number of times that a write is repeated because others have written the same records between. */
const TRIES = 20;

/**
 * The encrypted records of one vault. IndexedDB ends a transaction while a cipher works, so that a write compares the
 * ciphertext that it was decided on with what is stored, and is decided again if they differ.
 */
export class RecordStore {
  readonly #database: VaultDatabase;
  readonly #vaultId: Bytes;
  readonly #keys: RecordKeys;

  private constructor(database: VaultDatabase, vaultId: Bytes, keys: RecordKeys) {
    this.#database = database;
    this.#vaultId = vaultId;
    this.#keys = keys;
  }

  /** Derives the keys of the records by HKDF-SHA256 from the master key. */
  static async open(database: VaultDatabase, vaultId: Bytes, master: Bytes): Promise<RecordStore> {
    const secret = await crypto.subtle.importKey('raw', master, 'HKDF', false, ['deriveKey']);
    const derive = (
      info: string,
      algorithm: AesKeyGenParams | HmacKeyGenParams,
      uses: KeyUsage[],
    ): Promise<CryptoKey> =>
      crypto.subtle.deriveKey(
        { name: 'HKDF', hash: 'SHA-256', salt: vaultId, info: utf8(info) },
        secret,
        algorithm,
        false,
        uses,
      );
    const [content, ids] = await Promise.all([
      derive('tankeeper vault records', { name: 'AES-GCM', length: 256 }, ['encrypt', 'decrypt']),
      derive('tankeeper vault ids', { name: 'HMAC', hash: 'SHA-256', length: 256 }, ['sign']),
    ]);
    return new RecordStore(database, vaultId, { content, ids });
  }

  /** @returns the values of a kind, in no order */
  async list(kind: RecordKind): Promise<readonly unknown[]> {
    const records = await this.#database.getAllFromIndex('records', 'kind', kind);
    return Promise.all(records.map((record) => this.#open(record)));
  }

  count(kind: RecordKind): Promise<number> {
    return this.#database.countFromIndex('records', 'kind', kind);
  }

  /** @returns the value; undefined if there is none */
  async read(name: RecordName): Promise<unknown> {
    const record = await this.#database.get('records', await this.#idOf(name));
    return record === undefined ? undefined : this.#open(record);
  }

  /** Changes one record. @param change gets the stored value or undefined, returns the next one; may throw */
  async update(name: RecordName, change: (value: unknown) => unknown): Promise<void> {
    await this.updateAll([name], ([value]) => [{ ...name, value: change(value) }]);
  }

  /**
   * Changes records in one transaction, all or none.
   * @param names of the records that the decision depends on
   * @param decide gets their values in that order, undefined for missing ones; may throw, and may be called again
   */
  async updateAll(
    names: readonly RecordName[],
    decide: (values: readonly unknown[]) => readonly RecordChange[],
  ): Promise<void> {
    const ids = await Promise.all(names.map((name) => this.#idOf(name)));
    for (let tries = 0; tries < TRIES; tries += 1) {
      const before = await this.#get(ids);
      const values = await Promise.all(
        before.map(async (record) => (record === undefined ? undefined : this.#open(record))),
      );
      if (await this.#replace(ids, before, await this.#sealAll(decide(values)))) {
        return;
      }
    }
    throw new VaultError('storage-failed');
  }

  async #get(ids: readonly string[]): Promise<readonly (SealedRecord | undefined)[]> {
    const { store } = this.#database.transaction('records', 'readonly');
    return Promise.all(ids.map((id) => store.get(id)));
  }

  /** Writes if the records are still those of before. @returns true if they were */
  async #replace(
    ids: readonly string[],
    before: readonly (SealedRecord | undefined)[],
    changes: readonly (SealedRecord | string)[],
  ): Promise<boolean> {
    const transaction = this.#database.transaction(['records', 'protection'], 'readwrite', STRICT);
    const records = transaction.objectStore('records');
    const [protection, ...now] = await Promise.all([
      transaction.objectStore('protection').get('protection'),
      ...ids.map((id) => records.get(id)),
    ]);
    if (protection === undefined || !sameBytes(protection.vaultId, this.#vaultId)) {
      // Another tab has removed everything: nothing of the old vault may be written.
      throw new VaultError('locked');
    }
    if (!now.every((record, place) => sameRecord(record, before[place]))) {
      return false;
    }
    // The transaction's error names the cause; those of its requests may be consequences.
    const requests = changes.map((change) =>
      typeof change === 'string' ? records.delete(change) : records.put(change),
    );
    await Promise.allSettled(requests);
    await transaction.done;
    return true;
  }

  /** @returns the records; for those to be removed, their ids */
  #sealAll(changes: readonly RecordChange[]): Promise<(SealedRecord | string)[]> {
    return Promise.all(
      changes.map(async ({ value, ...name }) => {
        const id = await this.#idOf(name);
        if (value === undefined) {
          return id;
        }
        const sealed = await seal(this.#keys.content, utf8(JSON.stringify(value)), contextOf(name.kind, id));
        return { id, kind: name.kind, sealed };
      }),
    );
  }

  /** @throws VaultError 'storage-failed' for a record that was changed or moved */
  async #open({ id, kind, sealed }: SealedRecord): Promise<unknown> {
    const plain = await unseal(this.#keys.content, sealed, contextOf(kind, id));
    if (plain === null) {
      throw new VaultError('storage-failed');
    }
    return JSON.parse(new TextDecoder().decode(plain));
  }

  async #idOf({ kind, name }: RecordName): Promise<string> {
    const mac = await crypto.subtle.sign('HMAC', this.#keys.ids, utf8(`${kind} ${name}`));
    return encodeHex(new Uint8Array(mac, 0, 16));
  }
}

function contextOf(kind: RecordKind, id: string): string {
  return `${kind} ${id}`;
}

function sameRecord(left: SealedRecord | undefined, right: SealedRecord | undefined): boolean {
  return left === undefined || right === undefined ? left === right : sameBytes(left.sealed, right.sealed);
}
