import {
  type AttemptRecord,
  attemptState,
  beginAttempt,
  isUsedUp,
  NO_ATTEMPTS,
  retryAt,
  withClock,
} from './attempts.ts';
import { createPasskey, type Credentials, usePasskey } from './passkey.ts';
import {
  newProtection,
  openByPasskey,
  openByPin,
  type Protection,
  withPasskey,
  withPin,
} from './protection.ts';
import { type Bytes, sameBytes } from './sealing.ts';
import { type AttemptState, type Proof, type UnlockOutcome, VaultError } from './vault.ts';
import { clearDatabase, STRICT, type VaultDatabase } from './vault-database.ts';

/** The master key, to be overwritten after use; or why the proof failed. */
export type ProofResult =
  | { readonly kind: 'open'; readonly master: Bytes; readonly protection: Protection }
  | Exclude<UnlockOutcome, { kind: 'open' }>;

export interface GuardEnvironment {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** A monotonic clock, in milliseconds. */
  readonly stopwatch: () => number;
  /** Undefined where the browser has none. */
  readonly credentials: Credentials | undefined;
}

/** Lets only the owner at the master key: counts attempts, checks PIN and passkey, and changes them. */
export class VaultGuard {
  readonly #database: VaultDatabase;
  readonly #environment: GuardEnvironment;

  constructor(database: VaultDatabase, environment: GuardEnvironment) {
    this.#database = database;
    this.#environment = environment;
  }

  /** @returns the protection of the vault; undefined if there is none */
  protection(): Promise<Protection | undefined> {
    return this.#database.get('protection', 'protection');
  }

  async attempts(): Promise<AttemptState> {
    return attemptState(withClock(await this.#attemptRecord(), this.#environment.now()));
  }

  async wipeAfter(): Promise<number | null> {
    return (await this.#attemptRecord()).wipeAfter;
  }

  setWipeAfter(wipeAfter: number | null): Promise<void> {
    return this.#changeAttempts((record) => ({ ...record, wipeAfter }));
  }

  /** @throws VaultError 'locked' if there is a vault */
  async create(pin: string): Promise<Extract<ProofResult, { kind: 'open' }>> {
    const { protection, master } = await newProtection(pin, this.#environment.stopwatch);
    const transaction = this.#database.transaction(['protection', 'attempts'], 'readwrite', STRICT);
    const store = transaction.objectStore('protection');
    if ((await store.get('protection')) !== undefined) {
      throw new VaultError('locked');
    }
    await Promise.all([
      store.put(protection, 'protection'),
      transaction.objectStore('attempts').put(NO_ATTEMPTS, 'attempts'),
      transaction.done,
    ]);
    return { kind: 'open', master, protection };
  }

  async prove(proof: Proof): Promise<ProofResult> {
    return proof.kind === 'pin' ? this.#provePin(proof.pin) : this.#provePasskey();
  }

  async changePin(
    { protection, master }: Extract<ProofResult, { kind: 'open' }>,
    pin: string,
  ): Promise<void> {
    const { pin: slot } = await withPin(protection, master, pin, this.#environment.stopwatch);
    await this.#store(protection, { pin: slot });
  }

  /** @returns null once the passkey is stored; else why it is not */
  async addPasskey({
    protection,
    master,
  }: Extract<ProofResult, { kind: 'open' }>): Promise<Extract<UnlockOutcome, { kind: 'passkey' }> | null> {
    const made = await createPasskey(this.#environment.credentials);
    if (made.kind === 'passkey') {
      return made;
    }
    const { passkey } = await withPasskey(protection, master, made.secret);
    await this.#store(protection, { passkey });
    return null;
  }

  async removePasskey(): Promise<void> {
    await this.#store(await this.#known(), { passkey: null });
  }

  clear(): Promise<void> {
    return clearDatabase(this.#database);
  }

  async #provePin(pin: string): Promise<ProofResult> {
    const protection = await this.#known();
    // Counted at rest before the key is derived: ending the app meanwhile saves no attempt.
    const start = await this.#beginAttempt();
    if (start.kind === 'used-up') {
      await this.clear();
      return { kind: 'wiped' };
    }
    if (start.kind === 'too-early') {
      return { kind: 'too-early', retryAt: retryAt(start.record) };
    }
    const master = await openByPin(protection, pin);
    if (master !== null) {
      await this.#forgiveAttempts();
      return { kind: 'open', master, protection };
    }
    if (isUsedUp(start.record)) {
      await this.clear();
      return { kind: 'wiped' };
    }
    return { kind: 'wrong', ...attemptState(start.record) };
  }

  async #provePasskey(): Promise<ProofResult> {
    const protection = await this.#known();
    if (protection.passkey === null) {
      return { kind: 'passkey', fault: 'wrong' };
    }
    const used = await usePasskey(this.#environment.credentials, protection.passkey);
    if (used.kind === 'passkey') {
      return used;
    }
    const master = await openByPasskey(protection, protection.passkey, used.secret.output);
    if (master === null) {
      return { kind: 'passkey', fault: 'wrong' };
    }
    await this.#forgiveAttempts();
    return { kind: 'open', master, protection };
  }

  /** One transaction: of two tabs, the second sees the attempt of the first. */
  async #beginAttempt(): Promise<ReturnType<typeof beginAttempt>> {
    const transaction = this.#database.transaction('attempts', 'readwrite', STRICT);
    const record = (await transaction.store.get('attempts')) ?? NO_ATTEMPTS;
    const start = beginAttempt(record, this.#environment.now());
    if (start.kind !== 'used-up') {
      await transaction.store.put(start.record, 'attempts');
    }
    await transaction.done;
    return start;
  }

  #forgiveAttempts(): Promise<void> {
    return this.#changeAttempts((record) => ({ ...record, failures: 0 }));
  }

  async #changeAttempts(change: (record: AttemptRecord) => AttemptRecord): Promise<void> {
    const transaction = this.#database.transaction('attempts', 'readwrite', STRICT);
    const record = (await transaction.store.get('attempts')) ?? NO_ATTEMPTS;
    await Promise.all([transaction.store.put(change(record), 'attempts'), transaction.done]);
  }

  async #attemptRecord(): Promise<AttemptRecord> {
    return (await this.#database.get('attempts', 'attempts')) ?? NO_ATTEMPTS;
  }

  /** @throws VaultError 'locked' if another tab has removed the vault */
  async #known(): Promise<Protection> {
    const protection = await this.protection();
    if (protection === undefined) {
      throw new VaultError('locked');
    }
    return protection;
  }

  /**
   * Stores one slot, and leaves the other as it is now.
   * @throws VaultError 'locked' if another tab has removed or replaced the vault
   */
  async #store({ vaultId }: Protection, slot: Partial<Pick<Protection, 'pin' | 'passkey'>>): Promise<void> {
    const transaction = this.#database.transaction('protection', 'readwrite', STRICT);
    const stored = await transaction.store.get('protection');
    if (stored === undefined || !sameBytes(stored.vaultId, vaultId)) {
      throw new VaultError('locked');
    }
    await Promise.all([transaction.store.put({ ...stored, ...slot }, 'protection'), transaction.done]);
  }
}
