import { createHmac, timingSafeEqual } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Random } from '../kernel/clock.ts';
import type { ApiToken, ProvenPassword } from './administrator.ts';
import type { OpenSession } from './session.ts';

/** Milliseconds after which all is forgotten, also where nobody has told of a revocation. */
const LIFETIME_MS = 10_000;
/** The most sessions, and the most API tokens. Only valid ones are remembered, so nobody without one fills them. */
const MAX_SECRETS = 10_000;
/** The most administrators whose password is remembered. */
const MAX_PASSWORDS = 1_000;
const KEY_SIZE = 32;
/** The hash of no password. */
const NO_PASSWORD = { hash: Buffer.alloc(32), proven: undefined };

/** The result of a look-up in the memory: the proof; `other` if the administrator's password is another one. */
export type RecalledPassword = ProvenPassword | 'other' | undefined;

/**
 * Credentials that were valid when they were read. After a change that may revoke one, another memory takes its place,
 * and this one is not asked any more: a read that began before the change cannot store what is out of date where it
 * would be found.
 */
class CredentialMemory {
  /** By the base64 of the hash that the database keeps. */
  readonly sessions = new LRUCache<string, OpenSession>({ max: MAX_SECRETS });
  readonly apiTokens = new LRUCache<string, ApiToken>({ max: MAX_SECRETS });
  readonly passwords: PasswordMemory;

  constructor(random: Random) {
    this.passwords = new PasswordMemory(random);
  }
}

/** The last verified password of each administrator, as HMAC-SHA-256 with a random key that no other memory has. */
export class PasswordMemory {
  readonly #key: Buffer;
  readonly #kept = new LRUCache<string, { readonly hash: Buffer; readonly proven: ProvenPassword }>({
    max: MAX_PASSWORDS,
  });

  constructor(random: Random) {
    this.#key = random.bytes(KEY_SIZE);
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

  #hash(name: string, password: string): Buffer {
    // No name of an administrator has a NUL character.
    return createHmac('sha256', this.#key).update(`${name}\0${password}`, 'utf8').digest();
  }
}

/**
 * The memory of valid credentials, for ten seconds and only while this process is told of every change that may revoke
 * one: docs/adr/0021-remembered-credentials.md.
 */
export class RememberedCredentials {
  readonly #random: Random;
  readonly #elapsed: () => number;
  /** Undefined: empty. It takes its room at once, so it is made where it is needed. */
  #memory: CredentialMemory | undefined;
  #begun: number;
  #hasNotices = false;

  constructor({
    random,
    elapsed = () => performance.now(),
  }: {
    readonly random: Random;
    /** Milliseconds of a clock that never goes back. */
    readonly elapsed?: () => number;
  }) {
    this.#random = random;
    this.#elapsed = elapsed;
    this.#begun = elapsed();
  }

  /** The memory to ask and to fill; undefined while a credential may be revoked without notice. */
  get current(): CredentialMemory | undefined {
    if (this.#elapsed() - this.#begun >= LIFETIME_MS) {
      this.forget();
    }
    return this.#hasNotices ? (this.#memory ??= new CredentialMemory(this.#random)) : undefined;
  }

  /** Forgets all: a credential may have been revoked, also by what failed, as the confirmation of a commit may be lost. */
  forget(): void {
    this.#memory = undefined;
    this.#begun = this.#elapsed();
  }

  /** @param hasNotices whether this process is told of changes from now on; by default it is not */
  follow(hasNotices: boolean): void {
    this.#hasNotices = hasNotices;
    this.forget();
  }
}
