import type { Knex } from 'knex';

/** All tokens, realms and users as plain rows of one snapshot. */
export interface Population {
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
export const NOWHERE = '/:no realm:/';

/** Reads every row, without a join beyond names: all sums are computed here. */
export async function readPopulation(connection: Knex): Promise<Population> {
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
export const ALL_STATUSES: readonly string[] = combinations(Object.keys(MEANINGS)).map((words) =>
  words.join('&'),
);

/** @returns every choice of at least one of these, each in the given order */
export function combinations(names: readonly string[]): readonly (readonly string[])[] {
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
export function recountTokens(population: Population, places: readonly string[]): unknown {
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
export function recountLocked({ tokens }: Population): unknown {
  return sumsByRealms(tokens.filter(({ isLocked }) => isLocked).map(({ realms }) => ({ realms, tokens: 1 })));
}

/** @returns sums above 0 by the names of the realms, joined, in order */
export function sumsByRealms(
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
export function recountActiveUsers(population: Population, places: readonly string[]): unknown {
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
