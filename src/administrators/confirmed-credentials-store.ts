import { CredentialMemory } from './credential-memory.ts';
import type { Random } from '../kernel/clock.ts';
import { ShortLivedRead } from '../database/short-lived-read.ts';
import type { Database } from '../database/database.ts';

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
