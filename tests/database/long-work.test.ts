import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Knex } from 'knex';
import { setTimeout as sleep } from 'node:timers/promises';
import { AuditRetention, AuditService } from '../../src/audit/audit-service.ts';
import { systemRandom } from '../../src/kernel/system-random.ts';
import { isServiceError } from '../../src/kernel/errors.ts';
import { keyIdOf, newKey, Vault } from '../../src/keys/vault.ts';
import { AuditAuthority } from '../../src/audit/checkpoint.ts';
import { AuditSealer } from '../../src/audit/sealing-store.ts';
import { AuditStore } from '../../src/audit/audit-store.ts';
import { TokenCountStore } from '../../src/monitoring/token-count-store.ts';
import { type Database, openDatabase } from '../../src/database/database.ts';
import { lockRegistration, KeyStore } from '../../src/keys/key-store.ts';
import { MIGRATION_LOCK, migrateToLatest } from '../../src/database/migrate.ts';
import { OPERATOR } from '../support/values/callers.ts';
import { registerKey } from '../support/application/test-keys.ts';
import { untilWaiting } from '../support/database/held-statement.ts';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.ts';
import { ACT } from '../support/values/token-values.ts';

/** The time limit of a statement of a request, in milliseconds; an answer is waited for two seconds longer. */
const STATEMENT_MS = 300;
/** Surely more than both, and less than the 3 s for which pruning asks for a lock at a time. */
const HELD_MS = 2_400;
const DONE = 'done';

const [OLD, NEW] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
const vault = new Vault({ keys: [NEW, OLD], random: systemRandom });
/** All rows of now are of months that are over. */
const clock = { now: () => new Date(Date.UTC(new Date().getUTCFullYear() + 1, 0, 15)) };

/** A database with two keys of the vault and a pool as a server has it, whose statements are limited. */
interface Installation {
  readonly test: TestDatabase;
  readonly database: Database;
}

async function installed(): Promise<Installation> {
  const test = await createTestDatabase();
  const database = pool(test.url);
  for (const key of [NEW, OLD]) {
    await registerKey(test.database, newKey(key, systemRandom));
  }
  return { test, database };
}

async function removed({ database, test }: Installation): Promise<void> {
  await database.close();
  await test.drop();
}

function pool(connection: string): Database {
  return openDatabase({ connection, statementTimeoutMs: STATEMENT_MS, clock });
}

function audit({ database }: Installation): {
  readonly store: AuditStore;
  readonly service: AuditService;
} {
  const store = new AuditStore({ database });
  const authority = new AuditAuthority({ vault });
  return {
    store,
    service: new AuditService({
      store,
      sealer: new AuditSealer({ database, authority, clock, log: { info: () => undefined } }),
      authority,
      clock,
      pruningTime: () => Promise.resolve(clock.now()),
    }),
  };
}

type Hold = (holder: Knex.Transaction) => PromiseLike<unknown>;
type Work = Readonly<Record<string, (own: Installation) => Promise<unknown>>>;
type Outcomes = Readonly<Record<string, unknown>>;

/**
 * Begins all of `work` on a database of its own, while somebody holds what each needs for longer than any statement of
 * a request may run.
 * @returns the outcome of each
 */
async function outcomesWhileHeld(hold: Hold, work: Work): Promise<Outcomes> {
  const own = await installed();
  const holder = await own.test.database.knex.transaction();
  let outcomes: readonly (readonly [string, unknown])[];
  try {
    await hold(holder);
    const working = Promise.all(
      Object.entries(work).map(([what, begin]) =>
        begin(own).then(
          () => [what, DONE] as const,
          (error: unknown) => [what, error] as const,
        ),
      ),
    );
    await untilWaiting(own.test.database, Object.keys(work).length);
    await sleep(HELD_MS);
    await holder.rollback();
    outcomes = await working;
  } finally {
    await holder.rollback();
    await removed(own);
  }
  return Object.fromEntries(outcomes);
}

const table =
  (name: string, mode = 'ACCESS EXCLUSIVE'): Hold =>
  (holder) =>
    holder.raw(`LOCK TABLE ${name} IN ${mode} MODE`);

const atStarts: Hold = async (holder) => {
  await lockRegistration(holder);
  await holder.raw('SELECT pg_advisory_xact_lock(?, ?)', [...MIGRATION_LOCK]);
};

const LONG: readonly (readonly [what: string, hold: Hold, work: Work])[] = [
  [
    'that prunes the audit',
    table('audit_default', 'ROW EXCLUSIVE'),
    { prune: (own) => audit(own).service.prune(OPERATOR, { before: new Date(0), force: false }) },
  ],
  [
    'that prunes the audit in the housekeeping',
    table('audit_default', 'ROW EXCLUSIVE'),
    {
      housekeeping: (own) =>
        new AuditRetention({
          store: audit(own).store,
          audit: audit(own).service,
          retention: 86_400,
        }).remove(clock.now()),
    },
  ],
  [
    'that reads all tokens',
    table('tokens'),
    {
      verify: ({ database }) => new TokenCountStore({ database }).verify(),
      repair: ({ database }) => new TokenCountStore({ database }).repair(ACT),
    },
  ],
  [
    'that reads the keys of all tokens',
    table('tokens'),
    {
      list: ({ database }) => new KeyStore({ database }).counted(),
      reseal: ({ database }) => new KeyStore({ database }).reseal(vault, () => undefined, ACT),
      retire: ({ database }) => new KeyStore({ database }).retire(keyIdOf(OLD), ACT),
    },
  ],
  [
    'of a start',
    atStarts,
    {
      keys: ({ database }) =>
        new KeyStore({ database }).register((result) => Promise.resolve({ added: [], result })),
      migrate: ({ database }) => migrateToLatest(database),
    },
  ],
];

describe('long work', () => {
  let outcomes: readonly PromiseSettledResult<Outcomes>[];
  // Each waits for some seconds: all of them at once.
  beforeAll(async () => {
    outcomes = await Promise.allSettled(LONG.map(([, hold, work]) => outcomesWhileHeld(hold, work)));
  });

  it.each(LONG.map(([what, , work], place) => [what, work, place] as const))(
    '%s goes on for longer than a statement of a request may',
    (_what, work, place) => {
      const done = Object.fromEntries(Object.keys(work).map((what) => [what, DONE]));
      expect(outcomes[place]).toEqual({ status: 'fulfilled', value: done });
    },
  );
});

describe('the limits of requests', () => {
  let own: Installation;
  beforeAll(async () => {
    own = await installed();
  });
  afterAll(() => removed(own));

  it('hold beside long work', async () => {
    const { database } = own;
    const message = (work: PromiseLike<unknown>): Promise<unknown> =>
      Promise.resolve(work).then(
        () => 'it was let run',
        (error: unknown) => (isServiceError(error, 'database.unavailable') ? error.message : error),
      );
    await database.transact(({ sql }) => sql.raw('SELECT pg_sleep(0.6)'), { isLong: true });
    const tooLong = 'the database is not available: the database took too long';
    expect(await message(database.knex.raw('SELECT pg_sleep(30)'))).toBe(tooLong);
    expect(await message(database.transact(({ sql }) => sql.raw('SELECT pg_sleep(30)')))).toBe(tooLong);
  });
});
