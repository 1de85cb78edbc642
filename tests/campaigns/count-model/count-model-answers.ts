import { SHARING } from '../../../src/database/prepared-statements.ts';
import type { Knex } from 'knex';

import { systemClock } from '../../../src/kernel/clock.ts';
import { AuditRows } from '../../../src/audit/rows-store.ts';
import type { Database } from '../../../src/database/database.ts';
import { ManagedUserStore } from '../../../src/users/managed-user-store.ts';
import { readConfiguration } from '../../../src/configuration/configuration-store.ts';
import { TokenCountStore } from '../../../src/monitoring/token-count-store.ts';
import {
  ALL_STATUSES,
  combinations,
  NOWHERE,
  readPopulation,
  recountActiveUsers,
  recountLocked,
  recountTokens,
  sumsByRealms,
} from './count-model-recount.ts';
import { isExpected, LOCK_TIMEOUT } from './count-model-lane.ts';
import { monitoringOver } from '../../support/application/monitoring-over.ts';
import { OPERATOR } from '../../support/values/callers.ts';

/** An answer of the service and the expected one. */
export interface ComparedAnswer {
  /** The name of the answer, for the message: `tokens of north,south`. */
  readonly of: string;
  readonly answered: unknown;
  readonly recounted: unknown;
}

/** Compares the answers of monitoring with the rows. Has the caches of one server, for its whole life. */
export class CountModelAnswers {
  readonly #database: Database;
  readonly #counts: TokenCountStore;
  readonly #users: ManagedUserStore;
  #snapshot: Knex.Transaction | undefined;

  constructor(database: Database) {
    this.#database = database;
    const snapshot = this.#snapshotDatabase();
    this.#counts = new TokenCountStore({ database: snapshot });
    this.#users = new ManagedUserStore({ database: snapshot });
  }

  /**
   * Requests every choice of realms, and counts the rows itself, both in one snapshot of the database: concurrent
   * writers do not disturb it.
   * @returns all answers; none if a lock on the tokens excludes readers (TRUNCATE)
   */
  async compare(): Promise<readonly ComparedAnswer[]> {
    return this.#database.knex.transaction(
      async (transaction) => {
        // Before the snapshot is taken: a snapshot does not hide a TRUNCATE.
        await transaction.raw(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT}`);
        try {
          await transaction.raw('LOCK TABLE tokens, users IN ACCESS SHARE MODE');
        } catch (error) {
          if (isExpected(error)) {
            return [];
          }
          throw error;
        }
        this.#snapshot = transaction;
        return this.#compareIn(transaction);
      },
      { isolationLevel: 'repeatable read' },
    );
  }

  async #compareIn(snapshot: Knex.Transaction): Promise<readonly ComparedAnswer[]> {
    const population = await readPopulation(snapshot);
    const configuration = await readConfiguration(snapshot, systemClock.now());
    const counts = await this.#counts.snapshot();
    const service = monitoringOver(this.#snapshotDatabase(), configuration, {
      counts: { snapshot: () => Promise.resolve(counts) },
    });
    const realms = population.realms.map(({ name }) => name);
    const compared: ComparedAnswer[] = [];
    const compare = async (of: string, answer: Promise<unknown>, recounted: unknown): Promise<void> => {
      compared.push({ of, answered: await answer, recounted });
    };
    const choices: (readonly [query: string, places: readonly string[]])[] = [
      ...combinations([...realms, NOWHERE]).map((places) => [places.join(), places] as const),
      ['*', [...realms, NOWHERE]],
      ['', realms],
    ];
    for (const [query, places] of choices) {
      const tokens = service.tokens(OPERATOR, { realms: query, status: ALL_STATUSES.join() });
      await compare(`tokens of ${query}`, tokens, recountTokens(population, places));
      const users = service.activeUsers(OPERATOR, { realms: query });
      await compare(`active users of ${query}`, users, recountActiveUsers(population, places));
    }
    for (const { id, name } of configuration.resolvers) {
      await compare(`users of ${name}`, this.#users.count(id), population.users.get(name));
    }
    const lockedTokens = this.#counts.lockedTokens().then(sumsByRealms);
    await compare('locked tokens', lockedTokens, recountLocked(population));
    return compared;
  }

  /** The database of the snapshot that is being compared, for the stores. */
  #snapshotDatabase(): Database {
    const snapshot = (): Knex.Transaction => {
      if (this.#snapshot === undefined) {
        throw new Error('Nothing is being compared');
      }
      return this.#snapshot;
    };
    return {
      get knex() {
        return snapshot();
      },
      sharing: SHARING,
      get prepared(): never {
        throw new Error('The counts are read by Knex');
      },
      get audit(): never {
        return nothingIsWritten();
      },
      transact: (work) =>
        snapshot().transaction((sql) => work({ sql, audit: new AuditRows(nothingIsWritten) })),
      ready: () => Promise.resolve(),
      usage: () => ({ used: 0, free: 0, waiting: 0 }),
      close: () => Promise.resolve(),
    };
  }
}

function nothingIsWritten(): never {
  throw new Error('Nothing is written here');
}
