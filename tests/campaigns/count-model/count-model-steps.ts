/** All names that a run of the model uses; few, so that its writers meet. */
export const NAMES = {
  realms: ['east', 'north', 'south', 'west'],
  /** Resolvers with their kind: the users of `file` are not in the database. */
  resolvers: { people: 'managed', staff: 'managed', guests: 'managed', file: 'passwd' },
  logins: ['ada', 'bob', 'cyd'],
  serials: Array.from({ length: 9 }, (_, index) => `T${index}`),
} as const;

export type ResolverName = keyof typeof NAMES.resolvers;

/** A user who may own tokens. */
export interface Person {
  readonly resolver: ResolverName;
  readonly login: string;
}

/** A change, by any way. `null`: no user. */
export type Change =
  | {
      readonly kind: 'enrol';
      readonly serial: string;
      readonly active: boolean;
      readonly realms: readonly string[];
      readonly owner: Person | null;
    }
  | { readonly kind: 'assign'; readonly serial: string; readonly owner: Person | null }
  | { readonly kind: 'enable'; readonly serial: string; readonly active: boolean }
  | { readonly kind: 'move'; readonly serial: string; readonly realms: readonly string[] }
  | { readonly kind: 'remove'; readonly serial: string }
  | { readonly kind: 'enable all'; readonly serials: readonly string[]; readonly active: boolean }
  | { readonly kind: 'move all'; readonly serials: readonly string[]; readonly realms: readonly string[] }
  | { readonly kind: 'assign all'; readonly serials: readonly string[]; readonly owner: Person | null }
  | { readonly kind: 'remove all'; readonly serials: readonly string[] }
  | { readonly kind: 'import'; readonly serials: readonly string[]; readonly realms: readonly string[] }
  | { readonly kind: 'settle'; readonly serial: string; readonly failCount: number }
  | { readonly kind: 'put realm'; readonly realm: string; readonly resolvers: readonly ResolverName[] }
  | { readonly kind: 'remove realm'; readonly realm: string }
  | { readonly kind: 'put resolver'; readonly resolver: ResolverName }
  | { readonly kind: 'remove resolver'; readonly resolver: ResolverName }
  | { readonly kind: 'add user'; readonly user: Person }
  | { readonly kind: 'remove user'; readonly user: Person };

/** Changes by hand in SQL only. */
export type Handiwork =
  | {
      readonly kind: 'upsert';
      readonly serial: string;
      readonly active: boolean;
      readonly owner: Person | null;
    }
  | {
      readonly kind: 'furnish';
      readonly serials: readonly string[];
      readonly realms: readonly string[];
      readonly owner: Person;
    }
  | { readonly kind: 'toggle everything' }
  | { readonly kind: 'exchange owners'; readonly serials: readonly string[] }
  | { readonly kind: 'merge sets'; readonly from: readonly string[]; readonly to: readonly string[] }
  | { readonly kind: 'change set'; readonly from: readonly string[]; readonly to: readonly string[] }
  | { readonly kind: 'rename realm'; readonly realm: string; readonly name: string }
  | { readonly kind: 'move user'; readonly user: Person; readonly to: ResolverName }
  | { readonly kind: 'truncate tokens' }
  | { readonly kind: 'truncate users' }
  | { readonly kind: 'rebuild' };

export const ISOLATIONS = ['READ COMMITTED', 'REPEATABLE READ', 'SERIALIZABLE'] as const;
export type Isolation = (typeof ISOLATIONS)[number];

/** The number of connections with SQL by hand, and of callers of the services. */
export const HANDS = 3;
export const CALLERS = 2;

/** The next step of a run. */
export type Step =
  | { readonly what: 'service'; readonly caller: number; readonly change: Change }
  | { readonly what: 'sql'; readonly hand: number; readonly change: Change | Handiwork }
  | { readonly what: 'begin'; readonly hand: number; readonly isolation: Isolation }
  | { readonly what: 'savepoint' | 'rollback to savepoint' | 'commit' | 'rollback'; readonly hand: number }
  | { readonly what: 'fold'; readonly rows: number }
  | { readonly what: 'fold by hand'; readonly hand: number; readonly rows: number }
  | { readonly what: 'check' };

/** The ways to empty the database after a run: each must remove the counts, too. */
export const CLEARINGS = ['truncate', 'delete'] as const;

export interface Run {
  readonly steps: readonly Step[];
  /** The ends of manual transactions that are still open. */
  readonly endings: readonly boolean[];
  readonly clearing: (typeof CLEARINGS)[number];
}
