import fc from 'fast-check';

/** All names that a run of the model uses; few, so that its writers meet. */
export const NAMES = {
  realms: ['east', 'north', 'south', 'west'],
  /** Resolvers with their kind: the users of `file` are not in the database. */
  resolvers: { people: 'managed', staff: 'managed', guests: 'managed', file: 'passwd' },
  logins: ['ada', 'bob', 'cyd'],
  serials: Array.from({ length: 9 }, (_, index) => `T${index}`),
} as const;

type ResolverName = keyof typeof NAMES.resolvers;

/** A user who may own tokens. */
export interface Person {
  readonly resolver: ResolverName;
  readonly login: string;
}

const ISOLATIONS = ['READ COMMITTED', 'REPEATABLE READ', 'SERIALIZABLE'] as const;

export type Isolation = (typeof ISOLATIONS)[number];

/** The number of connections with SQL by hand, and of callers of the services. */
export const HANDS = 3;

export const CALLERS = 2;

/** The ways to empty the database after a run: each must remove the counts, too. */
const CLEARINGS = ['truncate', 'delete'] as const;

export interface Run {
  readonly steps: readonly Step[];
  /** The ends of manual transactions that are still open. */
  readonly endings: readonly boolean[];
  readonly clearing: (typeof CLEARINGS)[number];
}

/** The names that a run uses: with fewer, its writers meet more often. */
interface Scale {
  readonly serials: number;
  readonly logins: number;
  readonly realms: readonly string[];
  readonly resolvers: readonly ResolverName[];
}

const NARROW: Scale = { serials: 4, logins: 1, realms: ['north', 'south'], resolvers: ['people', 'file'] };

const WIDE: Scale = {
  serials: NAMES.serials.length,
  logins: NAMES.logins.length,
  realms: NAMES.realms,
  resolvers: Object.keys(NAMES.resolvers) as ResolverName[],
};

/** The parts of changes. */
function partsOf(scale: Scale) {
  const names = NAMES.serials.slice(0, scale.serials);
  const resolver = fc.constantFrom(...scale.resolvers);
  const person = fc.record({ resolver, login: fc.constantFrom(...NAMES.logins.slice(0, scale.logins)) });
  return {
    serial: fc.constantFrom(...names),
    serials: fc.subarray(names, { minLength: 1 }),
    realm: fc.constantFrom(...scale.realms),
    realms: fc.subarray([...scale.realms]),
    resolver,
    resolvers: fc.subarray([...scale.resolvers]),
    active: fc.constantFrom(true, true, false),
    person,
    owner: fc.option(person, { freq: 4 }),
  };
}

const kind = <Kind extends string>(name: Kind): fc.Arbitrary<Kind> => fc.constant(name);

const what = kind;

function changes({
  serial,
  serials,
  realm,
  realms,
  resolver,
  resolvers,
  active,
  person,
  owner,
}: ReturnType<typeof partsOf>) {
  const change = fc.oneof(
    { weight: 8, arbitrary: fc.record({ kind: kind('enrol'), serial, active, realms, owner }) },
    { weight: 3, arbitrary: fc.record({ kind: kind('assign'), serial, owner }) },
    { weight: 6, arbitrary: fc.record({ kind: kind('enable'), serial, active }) },
    { weight: 4, arbitrary: fc.record({ kind: kind('move'), serial, realms }) },
    { weight: 4, arbitrary: fc.record({ kind: kind('remove'), serial }) },
    { weight: 1, arbitrary: fc.record({ kind: kind('enable all'), serials, active }) },
    { weight: 1, arbitrary: fc.record({ kind: kind('move all'), serials, realms }) },
    { weight: 1, arbitrary: fc.record({ kind: kind('assign all'), serials, owner }) },
    { weight: 1, arbitrary: fc.record({ kind: kind('remove all'), serials }) },
    { weight: 1, arbitrary: fc.record({ kind: kind('import'), serials, realms }) },
    {
      weight: 3,
      arbitrary: fc.record({ kind: kind('settle'), serial, failCount: fc.constantFrom(0, 3, 10) }),
    },
    { weight: 2, arbitrary: fc.record({ kind: kind('put realm'), realm, resolvers }) },
    { weight: 2, arbitrary: fc.record({ kind: kind('remove realm'), realm }) },
    { weight: 2, arbitrary: fc.record({ kind: kind('put resolver'), resolver }) },
    { weight: 2, arbitrary: fc.record({ kind: kind('remove resolver'), resolver }) },
    { weight: 3, arbitrary: fc.record({ kind: kind('add user'), user: person }) },
    { weight: 2, arbitrary: fc.record({ kind: kind('remove user'), user: person }) },
  );
  const handiwork = fc.oneof(
    { weight: 3, arbitrary: fc.record({ kind: kind('upsert'), serial, active, owner }) },
    { weight: 9, arbitrary: fc.record({ kind: kind('furnish'), serials, realms, owner: person }) },
    { weight: 2, arbitrary: fc.record({ kind: kind('toggle everything') }) },
    { weight: 2, arbitrary: fc.record({ kind: kind('exchange owners'), serials }) },
    { weight: 2, arbitrary: fc.record({ kind: kind('merge sets'), from: realms, to: realms }) },
    { weight: 3, arbitrary: fc.record({ kind: kind('change set'), from: realms, to: realms }) },
    { weight: 2, arbitrary: fc.record({ kind: kind('rename realm'), realm, name: realm }) },
    { weight: 3, arbitrary: fc.record({ kind: kind('move user'), user: person, to: resolver }) },
    { weight: 1, arbitrary: fc.record({ kind: kind('truncate tokens') }) },
    { weight: 1, arbitrary: fc.record({ kind: kind('truncate users') }) },
    // Rarely: it would repair earlier errors.
    { weight: 1, arbitrary: fc.record({ kind: kind('rebuild') }) },
  );
  return { change, handiwork };
}

type ValueOf<Arbitrary> = Arbitrary extends fc.Arbitrary<infer Value> ? Value : never;

/** A change, by any way. `null`: no user. */
export type Change = ValueOf<ReturnType<typeof changes>['change']>;
/** Changes by hand in SQL only. */
export type Handiwork = ValueOf<ReturnType<typeof changes>['handiwork']>;

function stepsAt(scale: Scale) {
  const { change, handiwork } = changes(partsOf(scale));
  const hand = fc.nat({ max: HANDS - 1 });
  const caller = fc.nat({ max: CALLERS - 1 });
  const isolation = fc.constantFrom(...ISOLATIONS);
  const rows = fc.constantFrom(1, 1_000, 1_000);
  const step = fc.oneof(
    { weight: 16, arbitrary: fc.record({ what: what('service'), caller, change }) },
    { weight: 16, arbitrary: fc.record({ what: what('sql'), hand, change }) },
    { weight: 7, arbitrary: fc.record({ what: what('sql'), hand, change: handiwork }) },
    { weight: 6, arbitrary: fc.record({ what: what('begin'), hand, isolation }) },
    { weight: 2, arbitrary: fc.record({ what: what('savepoint'), hand }) },
    { weight: 1, arbitrary: fc.record({ what: what('rollback to savepoint'), hand }) },
    { weight: 5, arbitrary: fc.record({ what: what('commit'), hand }) },
    { weight: 2, arbitrary: fc.record({ what: what('rollback'), hand }) },
    { weight: 8, arbitrary: fc.record({ what: what('fold'), rows }) },
    { weight: 2, arbitrary: fc.record({ what: what('fold by hand'), hand, rows }) },
    { weight: 3, arbitrary: fc.record({ what: what('check') }) },
  );
  return fc.array(step, { minLength: 1, maxLength: 50, size: 'max' });
}

/** The next step of a run. */
export type Step = ValueOf<ReturnType<typeof stepsAt>>[number];

/** Any run of the model. Every part of a run is itself a run, so failures shrink well. */
export const anyRun: fc.Arbitrary<Run> = fc.record({
  steps: fc.oneof(stepsAt(NARROW), stepsAt(WIDE)),
  endings: fc.array(fc.boolean(), { minLength: HANDS, maxLength: HANDS }),
  clearing: fc.constantFrom(...CLEARINGS),
});
