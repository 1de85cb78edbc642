import type { ActiveUserRow, TokenCountRow, TokenCountsSnapshot } from '../../monitoring/ports.ts';

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
