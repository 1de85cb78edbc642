import type { Random } from '../kernel/clock.ts';
import { ShortLivedRead } from '../database/short-lived-read.ts';
import type { Database } from '../database/database.ts';
import { createHmac, timingSafeEqual } from 'node:crypto';
import { LRUCache, type Perf } from 'lru-cache';
import type { ApiToken, ProvenPassword } from './administrator.ts';
import type { OpenSession } from './session.ts';

/** Milliseconds for which a valid credential is remembered, however often it is used. The cache keeps the last one, too. */
const LIFETIME_MS = 59_999;
/** The most sessions, and the most API tokens. Only valid ones are remembered, so nobody without one fills them. */
const MAX_SECRETS = 10_000;
/** The most administrators whose password is remembered. */
const MAX_PASSWORDS = 1_000;
const KEY_SIZE = 32;
/** The hash of no password. */
const NO_PASSWORD = { hash: Buffer.alloc(32), proven: undefined };

interface MemoryOptions {
  readonly random: Random;
  /** Milliseconds of a clock that never goes back. */
  readonly elapsed: () => number;
}

/** The result of a look-up in the memory: the proof; `other` if the administrator's password is another one. */
export type RecalledPassword = ProvenPassword | 'other' | undefined;

/**
 * Credentials that were valid when they were read. A memory holds for one state of the credentials in the database.
 * After a change that may revoke one, another memory takes its place, and this one is not asked any more: a read that
 * began before the change cannot store what is out of date where it would be found.
 */
export class CredentialMemory {
  /** By the base64 of the hash that the database keeps. */
  readonly sessions: LRUCache<string, OpenSession>;
  readonly apiTokens: LRUCache<string, ApiToken>;
  readonly passwords: PasswordMemory;

  constructor(options: MemoryOptions) {
    this.sessions = new LRUCache(boundsOf(MAX_SECRETS, options));
    this.apiTokens = new LRUCache(boundsOf(MAX_SECRETS, options));
    this.passwords = new PasswordMemory(options);
  }

  /** Removes entries that have reached their age. The caller calls it at short intervals. */
  dropAged(): void {
    this.sessions.purgeStale();
    this.apiTokens.purgeStale();
    this.passwords.dropAged();
  }
}

/** The last verified password of each administrator, as HMAC-SHA-256 with a random key that no other memory has. */
export class PasswordMemory {
  readonly #key: Buffer;
  readonly #kept: LRUCache<string, { readonly hash: Buffer; readonly proven: ProvenPassword }>;

  constructor(options: MemoryOptions) {
    this.#key = options.random.bytes(KEY_SIZE);
    this.#kept = new LRUCache(boundsOf(MAX_PASSWORDS, options));
  }

  /** Takes the same time for every name, remembered or not, and for every password that is not the remembered one. */
  recall(name: string, password: string): RecalledPassword {
    const kept = this.#kept.get(name) ?? NO_PASSWORD;
    const isSame = timingSafeEqual(this.#hash(name, password), kept.hash);
    if (kept.proven === undefined) {
      return undefined;
    }
    return isSame ? kept.proven : 'other';
  }

  /** @param password was verified a moment ago */
  remember(proven: ProvenPassword, password: string): void {
    const { administrator } = proven;
    this.#kept.set(administrator, { hash: this.#hash(administrator, password), proven });
  }

  dropAged(): void {
    this.#kept.purgeStale();
  }

  #hash(name: string, password: string): Buffer {
    // No name of an administrator has a NUL character.
    return createHmac('sha256', this.#key).update(`${name}\0${password}`, 'utf8').digest();
  }
}

/** @returns options of a memory whose values age from when they were set, whether they are used or not */
function boundsOf(
  max: number,
  { elapsed }: MemoryOptions,
): { readonly max: number; readonly ttl: number; readonly ttlResolution: number; readonly perf: Perf } {
  return { max, ttl: LIFETIME_MS, ttlResolution: 0, perf: { now: elapsed } };
}

interface ConfirmedCredentialsDependencies {
  readonly database: Pick<Database, 'knex'>;
  readonly random: Random;
  /**
   * Milliseconds for which the memory may be relied upon after a comparison with the database; by default 0: never.
   * With a window, call `confirm` at shorter intervals, and `expire` after another server has changed a credential.
   */
  readonly window?: number;
  /** Milliseconds of a clock that never goes back. */
  readonly elapsed?: () => number;
}

/**
 * The memory of valid credentials, which is relied upon only while the database has confirmed within the window that no
 * credential has been revoked since it began: docs/adr/0021-remembered-credentials.md.
 */
export class ConfirmedCredentials {
  readonly #revisionRead: ShortLivedRead<string>;
  readonly #begin: () => CredentialMemory;
  #memory: CredentialMemory;
  /** Undefined: no state of the database has been confirmed for this memory yet. */
  #revision: string | undefined;

  constructor(options: ConfirmedCredentialsDependencies) {
    const { database, random, window = 0, elapsed = () => performance.now() } = options;
    this.#revisionRead = new ShortLivedRead({ read: () => readRevision(database), window, elapsed });
    this.#begin = () => new CredentialMemory({ random, elapsed });
    this.#memory = this.#begin();
  }

  /** The memory to ask and to fill; undefined while a credential may have been revoked without notice. */
  get current(): CredentialMemory | undefined {
    const confirmed = this.#revisionRead.standing;
    if (confirmed === undefined) {
      return undefined;
    }
    if (confirmed !== this.#revision) {
      this.#forget();
      this.#revision = confirmed;
    }
    return this.#memory;
  }

  /** Compares the memory with the database. After a failure nothing is remembered. @throws what the database throws */
  async confirm(): Promise<void> {
    try {
      await this.#revisionRead.confirm();
    } catch (error) {
      this.expire();
      throw error;
    }
    // Forgets entries of an earlier revision, and old ones.
    this.current?.dropAged();
  }

  /** Forgets all: a credential may have been revoked. */
  expire(): void {
    this.#revisionRead.expire();
    this.#forget();
  }

  #forget(): void {
    this.#memory = this.#begin();
    this.#revision = undefined;
  }
}

async function readRevision({ knex }: Pick<Database, 'knex'>): Promise<string> {
  const row = await knex('credential_state').first<{ revision: string } | undefined>('revision');
  if (row === undefined) {
    throw new Error('The table credential_state has lost its row');
  }
  return row.revision;
}
