import fc from 'fast-check';

/** All names that a run of the model uses; few, so that its writers meet. */
export const NAMES = {
  realms: ['east', 'north', 'south', 'west'],
  /** By kind: `file` is one whose users are not kept in the database. */
  resolvers: { people: 'managed', staff: 'managed', guests: 'managed', file: 'passwd' },
  logins: ['ada', 'bob', 'cyd'],
  serials: Array.from({ length: 9 }, (_, index) => `T${index}`),
} as const;

export type ResolverName = keyof typeof NAMES.resolvers;

/** Somebody who may own tokens. */
export interface Person {
  readonly resolver: ResolverName;
  readonly login: string;
}

/** What is changed, by whichever way. `null`: nobody. */
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
  | { readonly kind: 'settle'; readonly serial: string }
  | { readonly kind: 'put realm'; readonly realm: string; readonly resolvers: readonly ResolverName[] }
  | { readonly kind: 'remove realm'; readonly realm: string }
  | { readonly kind: 'put resolver'; readonly resolver: ResolverName }
  | { readonly kind: 'remove resolver'; readonly resolver: ResolverName }
  | { readonly kind: 'add user'; readonly user: Person }
  | { readonly kind: 'remove user'; readonly user: Person };

/** What only SQL by hand does. */
export type Handiwork =
  | {
      readonly kind: 'upsert';
      readonly serial: string;
      readonly active: boolean;
      readonly owner: Person | null;
    }
  | { readonly kind: 'toggle everything' }
  | { readonly kind: 'exchange owners'; readonly serials: readonly string[] }
  | { readonly kind: 'merge sets'; readonly from: readonly string[]; readonly to: readonly string[] }
  | { readonly kind: 'rename realm'; readonly realm: string; readonly name: string }
  | { readonly kind: 'move user'; readonly user: Person; readonly to: ResolverName }
  | { readonly kind: 'truncate tokens' }
  | { readonly kind: 'truncate users' };

export const ISOLATIONS = ['READ COMMITTED', 'REPEATABLE READ', 'SERIALIZABLE'] as const;
export type Isolation = (typeof ISOLATIONS)[number];

/** How many connections write SQL by hand, and how many callers of the services there are. */
export const HANDS = 3;
export const CALLERS = 2;

/** What happens next in a run. */
export type Step =
  | { readonly what: 'service'; readonly caller: number; readonly change: Change }
  | { readonly what: 'sql'; readonly hand: number; readonly change: Change | Handiwork }
  | { readonly what: 'begin'; readonly hand: number; readonly isolation: Isolation }
  | { readonly what: 'savepoint' | 'rollback to savepoint' | 'commit' | 'rollback'; readonly hand: number }
  | { readonly what: 'fold'; readonly rows: number }
  | { readonly what: 'fold by hand'; readonly hand: number; readonly rows: number }
  | { readonly what: 'rebuild by hand'; readonly hand: number }
  | { readonly what: 'check' };

/** How the database is emptied after a run: each way must take the counts with it. */
export const CLEARINGS = ['truncate', 'delete'] as const;

export interface Run {
  readonly steps: readonly Step[];
  /** What becomes of transactions that are still open at the end, by hand. */
  readonly endings: readonly boolean[];
  readonly clearing: (typeof CLEARINGS)[number];
}

const serial = fc.constantFrom(...NAMES.serials);
const serials = fc.subarray([...NAMES.serials], { minLength: 1, maxLength: 5 });
const realm = fc.constantFrom(...NAMES.realms);
const realms = fc.subarray([...NAMES.realms], { maxLength: 3 });
const resolver = fc.constantFrom(...(Object.keys(NAMES.resolvers) as ResolverName[]));
const active = fc.oneof(
  { weight: 2, arbitrary: fc.constant(true) },
  { weight: 1, arbitrary: fc.constant(false) },
);
/** Often the same one, so that somebody has several tokens. */
const person: fc.Arbitrary<Person> = fc.oneof(
  { weight: 1, arbitrary: fc.constant({ resolver: 'people', login: 'ada' }) },
  { weight: 2, arbitrary: fc.record({ resolver, login: fc.constantFrom(...NAMES.logins) }) },
);
const owner = fc.option(person, { freq: 3 });
const kind = <Kind extends string>(name: Kind): fc.Arbitrary<Kind> => fc.constant(name);

const change: fc.Arbitrary<Change> = fc.oneof(
  { weight: 7, arbitrary: fc.record({ kind: kind('enrol'), serial, active, realms, owner }) },
  { weight: 3, arbitrary: fc.record({ kind: kind('assign'), serial, owner }) },
  { weight: 3, arbitrary: fc.record({ kind: kind('enable'), serial, active }) },
  { weight: 4, arbitrary: fc.record({ kind: kind('move'), serial, realms }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('remove'), serial }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('enable all'), serials, active }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('move all'), serials, realms }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('assign all'), serials, owner }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('remove all'), serials }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('import'), serials, realms }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('settle'), serial }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: kind('put realm'),
      realm,
      resolvers: fc.subarray(Object.keys(NAMES.resolvers) as ResolverName[]),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: kind('remove realm'), realm }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('put resolver'), resolver }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('remove resolver'), resolver }) },
  { weight: 3, arbitrary: fc.record({ kind: kind('add user'), user: person }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('remove user'), user: person }) },
);

const handiwork: fc.Arbitrary<Handiwork> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: kind('upsert'), serial, active, owner }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('toggle everything') }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('exchange owners'), serials }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('merge sets'), from: realms, to: realms }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('rename realm'), realm, name: realm }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('move user'), user: person, to: resolver }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('truncate tokens') }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('truncate users') }) },
);

const hand = fc.nat({ max: HANDS - 1 });
const caller = fc.nat({ max: CALLERS - 1 });
const rows = fc.constantFrom(1, 3, 1_000);
const what = <What extends Step['what']>(name: What): fc.Arbitrary<What> => fc.constant(name);

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 16, arbitrary: fc.record({ what: what('service'), caller, change }) },
  { weight: 16, arbitrary: fc.record({ what: what('sql'), hand, change }) },
  { weight: 4, arbitrary: fc.record({ what: what('sql'), hand, change: handiwork }) },
  {
    weight: 6,
    arbitrary: fc.record({ what: what('begin'), hand, isolation: fc.constantFrom(...ISOLATIONS) }),
  },
  { weight: 2, arbitrary: fc.record({ what: what('savepoint'), hand }) },
  { weight: 1, arbitrary: fc.record({ what: what('rollback to savepoint'), hand }) },
  { weight: 4, arbitrary: fc.record({ what: what('commit'), hand }) },
  { weight: 2, arbitrary: fc.record({ what: what('rollback'), hand }) },
  { weight: 4, arbitrary: fc.record({ what: what('fold'), rows }) },
  { weight: 1, arbitrary: fc.record({ what: what('fold by hand'), hand, rows }) },
  { weight: 1, arbitrary: fc.record({ what: what('rebuild by hand'), hand }) },
  { weight: 2, arbitrary: fc.record({ what: what('check') }) },
);

/** Any run of the model. Every part of a run is one again, so failures shrink well. */
export const anyRun: fc.Arbitrary<Run> = fc.record({
  steps: fc.array(step, { minLength: 1, maxLength: 50, size: 'max' }),
  endings: fc.array(fc.boolean(), { minLength: HANDS, maxLength: HANDS }),
  clearing: fc.constantFrom(...CLEARINGS),
});
