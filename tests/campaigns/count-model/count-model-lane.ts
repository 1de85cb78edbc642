import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

import { isServiceError } from '../../../src/kernel/errors.ts';
import type { Isolation } from './count-model-steps.ts';
import type { Statement } from './count-model-statements.ts';

/** A statement that takes longer waits for somebody's lock: the run goes on without it. Milliseconds. */
const BLOCKED_AFTER = 4;
/** How long a writer waits for a lock that nobody gives up. */
export const LOCK_TIMEOUT = 50;

/**
 * What a writer may meet: unique, foreign key and check violations, no longer serialisable, deadlock, lock time-out,
 * intern_realm_set in a snapshot that is too old to see the set that it made way for, and a fold in such a snapshot.
 */
const EXPECTED = ['23505', '23503', '23001', '23502', '40001', '40P01', '55P03', 'P0002', '25000'];

/** Somebody who does one thing after the other, while others do theirs. */
export class Lane {
  #last: Promise<void> = Promise.resolve();
  readonly #faults: unknown[] = [];

  /**
   * Appends work, and comes back when it is done or waits for somebody else.
   * @param work a change; what it throws counts as refused when it is one of the things that may happen
   * @param note is told whether it was done
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

  /** Waits for all of it. */
  async rest(): Promise<void> {
    await this.#last;
  }

  /** @throws the first thing that nobody expected */
  assertNothingUnexpected(): void {
    if (this.#faults.length > 0) {
      throw this.#faults[0];
    }
  }
}

/** @returns whether it is what one writer may do to another */
export function isExpected(error: unknown): boolean {
  if (isServiceError(error)) {
    return error.code !== 'database.unavailable' || isExpected(error.cause);
  }
  return EXPECTED.includes((error as { code?: string } | null)?.code ?? '');
}

/** Somebody at a psql: transactions of any kind, savepoints, statements by hand. */
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
    // Two who wait for each other are soon told so, where we may say so: only superusers may.
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

  /** @param commit otherwise everything is taken back */
  async end(commit: boolean): Promise<void> {
    if (this.#isOpen) {
      this.#isOpen = false;
      await this.#client.query(commit ? 'COMMIT' : 'ROLLBACK');
    }
  }

  /** After a failure goes back to the last savepoint, or ends the transaction. */
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
