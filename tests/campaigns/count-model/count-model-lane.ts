import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

import { isServiceError } from '../../../src/kernel/errors.ts';
import type { Isolation } from './count-model-steps.ts';
import type { Statement } from './count-model-statements.ts';

/** Milliseconds after which a statement counts as waiting for a lock: the run continues without it. */
const BLOCKED_AFTER = 4;
/** The longest wait of a writer for a lock, in milliseconds. */
export const LOCK_TIMEOUT = 50;

/**
 * Expected errors of a writer: unique, foreign key and check violations, serialization failure, deadlock, lock
 * time-out, intern_realm_set in a snapshot that is too old to see the conflicting set, and a fold in such a snapshot.
 */
const EXPECTED = ['23505', '23503', '23001', '23502', '40001', '40P01', '55P03', 'P0002', '25000'];

/** A writer that works sequentially, concurrently with others. */
export class Lane {
  #last: Promise<void> = Promise.resolve();
  readonly #faults: unknown[] = [];

  /**
   * Appends work, and resolves when it is done or waits for a lock.
   * @param work a change; an expected error counts as a refusal
   * @param note receives true if it was done
   */
  async take(work: () => Promise<void>, note: (done: boolean) => void = () => undefined): Promise<void> {
    this.#last = this.#last.then(work).then(
      () => {
        note(true);
      },
      (error: unknown) => {
        note(false);
        if (!isExpected(error)) {
          this.#faults.push(error);
        }
      },
    );
    await Promise.race([this.#last, sleep(BLOCKED_AFTER)]);
  }

  /** Waits for all of its work. */
  async rest(): Promise<void> {
    await this.#last;
  }

  /** @throws the first unexpected error */
  assertNothingUnexpected(): void {
    if (this.#faults.length > 0) {
      throw this.#faults[0];
    }
  }
}

/** @returns true if one writer may cause the error for another */
export function isExpected(error: unknown): boolean {
  if (isServiceError(error)) {
    return error.code !== 'database.unavailable' || isExpected(error.cause);
  }
  return EXPECTED.includes((error as { code?: string } | null)?.code ?? '');
}

/** A user of psql: transactions of any kind, savepoints, statements by hand. */
export class Hand {
  readonly #client: pg.Client;
  #isOpen = false;
  #savepoints = 0;

  private constructor(client: pg.Client) {
    this.#client = client;
  }

  static async connect(url: string): Promise<Hand> {
    const client = new pg.Client({ connectionString: url, application_name: 'count model' });
    await client.connect();
    await client.query(`SET lock_timeout = ${LOCK_TIMEOUT}`);
    // Shortens the time to detect a deadlock, if permitted: only superusers may.
    await client.query('SET deadlock_timeout = 20').catch(() => undefined);
    return new Hand(client);
  }

  async begin(isolation: Isolation): Promise<void> {
    if (!this.#isOpen) {
      await this.#client.query(`BEGIN ISOLATION LEVEL ${isolation}`);
      this.#isOpen = true;
      this.#savepoints = 0;
    }
  }

  async savepoint(): Promise<void> {
    if (this.#isOpen) {
      await this.#client.query('SAVEPOINT here');
      this.#savepoints += 1;
    }
  }

  async rollBackToSavepoint(): Promise<void> {
    if (this.#isOpen && this.#savepoints > 0) {
      await this.#client.query('ROLLBACK TO SAVEPOINT here; RELEASE SAVEPOINT here');
      this.#savepoints -= 1;
    }
  }

  /** @param commit otherwise the transaction is rolled back */
  async end(commit: boolean): Promise<void> {
    if (this.#isOpen) {
      this.#isOpen = false;
      await this.#client.query(commit ? 'COMMIT' : 'ROLLBACK');
    }
  }

  /** After a failure rolls back to the last savepoint, or ends the transaction. */
  async run({ text, values }: Statement): Promise<void> {
    try {
      await this.#client.query(text, [...values]);
    } catch (error) {
      await (this.#savepoints > 0 ? this.rollBackToSavepoint() : this.end(false));
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.#client.end();
  }
}
