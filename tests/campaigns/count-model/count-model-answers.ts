import { expect } from '@jest/globals';
import type { Knex } from 'knex';
import { AuditRows } from '../../../src/audit/rows-store.ts';
import { readConfiguration } from '../../../src/configuration/configuration-store.ts';
import type { Configuration } from '../../../src/configuration/configuration.ts';
import type { Database } from '../../../src/database/database.ts';
import { SHARING } from '../../../src/database/prepared-statements.ts';
import { systemClock } from '../../../src/kernel/clock.ts';
import { MonitoringService } from '../../../src/monitoring/monitoring-service.ts';
import { TokenCountStore, foldCounts } from '../../../src/monitoring/token-count-store.ts';
import { UserCounts } from '../../../src/monitoring/user-counts.ts';
import { ServiceMetrics } from '../../../src/observability/metrics.ts';
import { AccessControl } from '../../../src/policy/access-control.ts';
import { ManagedUserStore } from '../../../src/users/managed-user-store.ts';
import { countingSources } from '../../support/application/user-sources.ts';
import { OPERATOR } from '../../support/values/callers.ts';
import { LOCK_TIMEOUT, isExpected } from './count-model-writers.ts';

/** @returns the service over counts, under a configuration that is not in the database; no count of users is known before */
function monitoringOver(
  counts: Pick<TokenCountStore, 'snapshot'>,
  configuration: Configuration,
): MonitoringService {
  const nothing = (): void => undefined;
  const clock = systemClock;
  return new MonitoringService({
    configurations: { current: () => Promise.resolve(configuration) },
    access: new AccessControl({ clock }),
    counts,
    configurationState: {
      assumed: configuration,
      lastChangeInDatabase: () => Promise.resolve(configuration),
    },
    probe: { encrypts: () => Promise.resolve(true) },
    userCounts: new UserCounts({
      sources: countingSources(() => Promise.resolve(0)),
      store: { find: () => Promise.resolve([]), keep: () => Promise.resolve() },
      metrics: new ServiceMetrics({ clock }).resolvers,
      observations: { resolverUsed: () => undefined },
      log: { error: nothing, warn: nothing, info: nothing, debug: nothing },
      clock,
      timeoutMs: 3000,
    }),
    clock,
  });
}

/** All tokens, realms and users as plain rows of one snapshot. */
interface Population {
  readonly tokens: readonly {
    readonly realms: readonly string[];
    readonly active: boolean;
    readonly isLocked: boolean;
    /** Resolver and id of the user; null: unassigned. */
    readonly owner: readonly [resolver: string, id: string] | null;
  }[];
  /** By name, with the names of their resolvers in order. */
  readonly realms: readonly { readonly name: string; readonly resolvers: readonly string[] }[];
  /** The number of managed users, by the resolver's name. */
  readonly users: ReadonlyMap<string, number>;
}

type CountedToken = Population['tokens'][number];

/** The client's name for tokens without a realm. */
const NOWHERE = '/:no realm:/';

/** Reads every row, without a join beyond names: all sums are computed here. */
async function readPopulation(connection: Knex): Promise<Population> {
  const { rows } = await connection.raw<{ rows: [PopulationRow] }>(`
    SELECT
      (SELECT coalesce(json_agg(json_build_array(realm_set_id::text, active, owner_resolver_id::text, owner_user_id, fail_count >= max_fail)), '[]') FROM tokens) AS tokens,
      (SELECT json_agg(json_build_array(id::text, realm_ids::text[])) FROM realm_sets) AS sets,
      (SELECT coalesce(json_agg(json_build_array(id::text, name) ORDER BY name), '[]') FROM realms) AS realms,
      (SELECT coalesce(json_agg(json_build_array(id::text, name)), '[]') FROM resolvers) AS resolvers,
      (SELECT coalesce(json_agg(json_build_array(realm_id::text, resolver_id::text) ORDER BY position), '[]') FROM realm_resolvers) AS members,
      (SELECT coalesce(json_agg(resolver_id::text), '[]') FROM users) AS users`);
  const [found] = rows;
  const realmNames = new Map(found.realms);
  const resolverNames = new Map(found.resolvers);
  const sets = new Map(found.sets);
  const nameOf = (resolver: string): string => resolverNames.get(resolver) ?? '';
  const users = new Map<string, number>([...resolverNames.values()].map((name) => [name, 0]));
  for (const resolver of found.users) {
    users.set(nameOf(resolver), (users.get(nameOf(resolver)) ?? 0) + 1);
  }
  return {
    tokens: found.tokens.map(([set, active, resolver, id, isLocked]) => ({
      active,
      isLocked,
      realms: (sets.get(set) ?? []).flatMap((realm) => realmNames.get(realm) ?? []),
      owner: resolver === null || id === null ? null : [nameOf(resolver), id],
    })),
    realms: found.realms.map(([id, name]) => ({
      name,
      resolvers: found.members.filter(([realm]) => realm === id).map(([, resolver]) => nameOf(resolver)),
    })),
    users,
  };
}

interface PopulationRow {
  readonly tokens: [
    set: string,
    active: boolean,
    resolver: string | null,
    user: string | null,
    locked: boolean,
  ][];
  readonly sets: [id: string, realms: string[]][];
  readonly realms: [id: string, name: string][];
  readonly resolvers: [id: string, name: string][];
  readonly members: [realm: string, resolver: string][];
  readonly users: string[];
}

const MEANINGS: Readonly<Record<string, (token: CountedToken) => boolean>> = {
  assigned: ({ owner }) => owner !== null,
  unassigned: ({ owner }) => owner === null,
  active: ({ active }) => active,
  inactive: ({ active }) => !active,
};

/** Every combination of the four, also the impossible ones. */
const ALL_STATUSES: readonly string[] = combinations(Object.keys(MEANINGS)).map((words) => words.join('&'));

/** @returns every choice of at least one of these, each in the given order */
function combinations(names: readonly string[]): readonly (readonly string[])[] {
  return Array.from({ length: 2 ** names.length - 1 }, (_, index) =>
    names.filter((_name, bit) => ((index + 1) & (1 << bit)) !== 0),
  );
}

const isIn = (token: CountedToken, place: string): boolean =>
  place === NOWHERE ? token.realms.length === 0 : token.realms.includes(place);

const ownersOf = (tokens: readonly CountedToken[]): readonly string[] => [
  ...new Set(tokens.flatMap(({ active, owner }) => (active && owner !== null ? [owner.join('/')] : []))),
];

const inAnyOf = ({ tokens }: Population, places: readonly string[]): readonly CountedToken[] =>
  tokens.filter((token) => places.some((place) => isIn(token, place)));

/** @returns the expected answer of /monitoring/tokens for these places */
function recountTokens(population: Population, places: readonly string[]): unknown {
  const counts = (tokens: readonly CountedToken[]): unknown => [
    { status: 'total', count: tokens.length },
    { status: 'total users', count: ownersOf(tokens).length },
    ...ALL_STATUSES.map((status) => ({
      status,
      count: tokens.filter((token) => status.split('&').every((word) => MEANINGS[word]?.(token))).length,
    })),
  ];
  return {
    realms: places.map((realm) => ({ realm, counts: counts(inAnyOf(population, [realm])) })),
    summary: counts(inAnyOf(population, places)),
  };
}

/** @returns the number of locked tokens by the names of their realms, joined, in order */
function recountLocked({ tokens }: Population): unknown {
  return sumsByRealms(tokens.filter(({ isLocked }) => isLocked).map(({ realms }) => ({ realms, tokens: 1 })));
}

/** @returns sums above 0 by the names of the realms, joined, in order */
function sumsByRealms(
  rows: readonly { readonly realms: readonly string[]; readonly tokens: number }[],
): unknown {
  const sums = new Map<string, number>();
  for (const { realms, tokens } of rows) {
    const names = [...realms].sort().join();
    sums.set(names, (sums.get(names) ?? 0) + tokens);
  }
  return [...sums].filter(([, tokens]) => tokens !== 0).sort();
}

/** @returns the expected answer of /monitoring/activeUsers for these places */
function recountActiveUsers(population: Population, places: readonly string[]): unknown {
  const usersOf = (realm: string, resolver: string): number =>
    ownersOf(inAnyOf(population, [realm]).filter(({ owner }) => owner?.[0] === resolver)).length;
  return {
    realms: places.map((realm) => {
      const resolvers =
        realm === NOWHERE
          ? [...population.users.keys()].filter((resolver) => usersOf(NOWHERE, resolver) > 0).sort()
          : (population.realms.find(({ name }) => name === realm)?.resolvers ?? []);
      return {
        realm,
        resolvers: resolvers.map((resolver) => ({ resolver, users: usersOf(realm, resolver) })),
      };
    }),
    total: ownersOf(inAnyOf(population, places)).length,
  };
}

/** An answer of the service and the expected one. */
interface ComparedAnswer {
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
    const service = monitoringOver({ snapshot: () => Promise.resolve(counts) }, configuration);
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
    // Before a comparison stores only make their statements.
    const snapshot = (): Knex => this.#snapshot ?? this.#database.knex;
    return {
      get knex() {
        return snapshot();
      },
      sharing: SHARING,
      prepared: this.#database.prepared,
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

export async function pendingDeltas({ knex }: Database): Promise<number> {
  const { rows } = await knex.raw<{ rows: { pending: string }[] }>(
    `SELECT (SELECT count(*) FROM count_deltas) + (SELECT count(*) FROM user_count_deltas)
       + (SELECT count(*) FROM locked_token_deltas) AS pending`,
  );
  return Number(rows[0]?.pending);
}

/** Expects that every answer equals a count of tokens and users one by one, for any pending and folded parts. */
export async function expectRightAnswers(database: Database): Promise<void> {
  const compared = await new CountModelAnswers(database).compare();
  expect(compared.length).toBeGreaterThan(0);
  expect(compared.map(({ of, answered }) => [of, answered])).toEqual(
    compared.map(({ of, recounted }) => [of, recounted]),
  );
}

/** Expects the same before a fold, during one, and after it, and no pending delta at the end. */
export async function expectRightCounts(database: Database): Promise<void> {
  await expectRightAnswers(database);
  await database.knex.raw('SELECT fold_counts(1)');
  await expectRightAnswers(database);
  await foldCounts(database);
  await expectRightAnswers(database);
  expect(await pendingDeltas(database)).toBe(0);
  expect(await new TokenCountStore({ database }).verify()).toEqual({ total: 0, drifts: [] });
  const { rows } = await database.knex.raw<{ rows: unknown[] }>(`
    SELECT 'tokens' FROM token_counts WHERE tokens <= 0
    UNION ALL SELECT 'user tokens' FROM active_user_tokens WHERE tokens <= 0
    UNION ALL SELECT 'active users' FROM active_user_counts WHERE users <= 0
    UNION ALL SELECT 'users' FROM user_counts WHERE users <= 0
    UNION ALL SELECT 'locked tokens' FROM locked_token_counts WHERE tokens <= 0`);
  expect(rows).toEqual([]);
}
