/** Number of tokens in exactly this set of realms, active or not, assigned or not. */
export interface TokenCountRow {
  /** Names of all realms of these tokens; empty: in no realm. */
  readonly realms: readonly string[];
  readonly active: boolean;
  readonly assigned: boolean;
  readonly tokens: number;
}

/**
 * Number of users of a resolver who own active tokens in exactly these realms, all of a user's active tokens taken
 * together. A user is in one row only, so the number of users in a choice of realms is a sum over rows, each user once.
 */
export interface ActiveUserRow {
  readonly resolver: string;
  /** Names of all realms in which such a user has an active token. */
  readonly realms: readonly string[];
  /** True if such a user (also) has an active token that is in no realm. */
  readonly inNoRealm: boolean;
  readonly users: number;
}

/** All counts as of one instant, so that they are consistent. */
export interface TokenCountsSnapshot {
  readonly tokens: readonly TokenCountRow[];
  readonly activeUsers: readonly ActiveUserRow[];
}

/** Number of locked tokens in exactly this set of realms. */
export interface LockedTokenRow {
  /** Names of all realms of these tokens; empty: in no realm. */
  readonly realms: readonly string[];
  readonly tokens: number;
}

/** A stored count that differs from a count of single tokens or users. */
export interface CountDrift {
  readonly counts: 'tokens' | 'active tokens of a user' | 'active users' | 'managed users' | 'locked tokens';
  readonly resolver: string | null;
  /** The id of a user within the resolver, as tokens name their owners. */
  readonly userId: string | null;
  /** The sets of realms that were counted, each as its names joined by ` & `, or `no realm`. */
  readonly realms: readonly string[];
  /** Null where it does not apply. */
  readonly active: boolean | null;
  readonly assigned: boolean | null;
  readonly kept: number;
  readonly counted: number;
}

/** The result of counting one by one. */
export interface CountCheck {
  /** Number of counts that have drifted. */
  readonly total: number;
  /** These counts, the first thousand at most. */
  readonly drifts: readonly CountDrift[];
}

type TokenEntry = readonly [realmSetId: number, active: boolean, assigned: boolean, tokens: number];
type UserEntry = readonly [resolverId: number, realmSetIds: readonly number[], users: number];
type SetEntry = readonly [id: number, realmIds: readonly number[]];
type NameEntry = readonly [id: number, name: string];

/** The result of `read_counts`; null instead of an empty list. */
interface Entries {
  readonly tokens: readonly TokenEntry[] | null;
  readonly users: readonly UserEntry[] | null;
  /** The realm sets that are referred to, if they still exist. */
  readonly sets: readonly SetEntry[] | null;
}

/** All folded counts, and the names that they refer to. */
export interface KeptEntries extends Entries {
  readonly realms: readonly NameEntry[] | null;
  readonly resolvers: readonly NameEntry[] | null;
}

/** Changes since the fold; numbers may be below zero. */
export type PendingEntries = Entries;

interface Rows {
  readonly tokens: ReadonlyMap<string, TokenCountRow>;
  readonly users: ReadonlyMap<string, ActiveUserRow>;
}

/** Turns counts by ids into rows by names. Rows with the same names are merged. */
export class CountRows {
  readonly #realms: ReadonlyMap<number, string>;
  readonly #resolvers: ReadonlyMap<number, string>;
  readonly #sets: ReadonlyMap<number, readonly string[]>;
  readonly #kept: Rows;
  readonly #snapshot: TokenCountsSnapshot;

  constructor(kept: KeptEntries) {
    this.#realms = new Map(kept.realms ?? []);
    this.#resolvers = new Map(kept.resolvers ?? []);
    this.#sets = this.#realmNames(kept.sets);
    this.#kept = this.#add({ tokens: new Map(), users: new Map() }, kept, this.#sets);
    this.#snapshot = toSnapshot(this.#kept);
  }

  /** @returns the sum of the folded and the pending counts */
  with(pending: PendingEntries | null): TokenCountsSnapshot {
    if (pending === null) {
      return this.#snapshot;
    }
    const sets = new Map([...this.#realmNames(pending.sets), ...this.#sets]);
    return toSnapshot(this.#add(this.#kept, pending, sets));
  }

  /** @returns names of realms by realm set; ids of realms that no longer exist are left out */
  #realmNames(sets: readonly SetEntry[] | null): ReadonlyMap<number, readonly string[]> {
    return new Map(
      sets?.map(([id, realmIds]) => [id, realmIds.flatMap((realm) => this.#realm(realm)).sort()]),
    );
  }

  #realm(id: number): readonly string[] {
    const name = this.#realms.get(id);
    return name === undefined ? [] : [name];
  }

  #add(rows: Rows, entries: Entries, sets: ReadonlyMap<number, readonly string[]>): Rows {
    return {
      tokens: addTokens(rows.tokens, entries.tokens ?? [], sets),
      users: this.#addUsers(rows.users, entries.users ?? [], sets),
    };
  }

  #addUsers(
    rows: ReadonlyMap<string, ActiveUserRow>,
    entries: readonly UserEntry[],
    sets: ReadonlyMap<number, readonly string[]>,
  ): ReadonlyMap<string, ActiveUserRow> {
    const users = new Map(rows);
    for (const [resolverId, setIds, amount] of entries) {
      const places = setIds.map((set) => sets.get(set) ?? []);
      const realms = [...new Set(places.flat())].sort();
      const inNoRealm = places.some((names) => names.length === 0);
      const key = JSON.stringify([resolverId, inNoRealm, realms]);
      const resolver = this.#resolvers.get(resolverId) ?? '';
      users.set(key, { resolver, realms, inNoRealm, users: (users.get(key)?.users ?? 0) + amount });
    }
    return users;
  }
}

function addTokens(
  rows: ReadonlyMap<string, TokenCountRow>,
  entries: readonly TokenEntry[],
  sets: ReadonlyMap<number, readonly string[]>,
): ReadonlyMap<string, TokenCountRow> {
  const tokens = new Map(rows);
  for (const [set, active, assigned, amount] of entries) {
    const realms = sets.get(set) ?? [];
    const key = JSON.stringify([active, assigned, realms]);
    tokens.set(key, { realms, active, assigned, tokens: (tokens.get(key)?.tokens ?? 0) + amount });
  }
  return tokens;
}

/** Leaves out rows whose count is zero. */
function toSnapshot({ tokens, users }: Rows): TokenCountsSnapshot {
  return {
    tokens: [...tokens.values()].filter((row) => row.tokens !== 0),
    activeUsers: [...users.values()].filter((row) => row.users !== 0),
  };
}
