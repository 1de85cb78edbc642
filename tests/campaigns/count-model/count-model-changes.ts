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

/** The number of connections with SQL by hand. */
export const HANDS = 5;

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

const named = <Kind extends string>(kind: Kind): fc.Arbitrary<Kind> => fc.constant(kind);

function changes(parts: ReturnType<typeof partsOf>) {
  const { serial, serials, realm, realms, resolver, resolvers, active, person, owner } = parts;
  return fc.oneof(
    { weight: 8, arbitrary: fc.record({ kind: named('enrol'), serial, active, realms, owner }) },
    { weight: 6, arbitrary: fc.record({ kind: named('assign all'), serials, owner }) },
    { weight: 8, arbitrary: fc.record({ kind: named('enable all'), serials, active }) },
    { weight: 5, arbitrary: fc.record({ kind: named('move all'), serials, realms }) },
    { weight: 5, arbitrary: fc.record({ kind: named('remove all'), serials }) },
    {
      weight: 5,
      arbitrary: fc.record({ kind: named('settle'), serial, failCount: fc.constantFrom(0, 3, 10) }),
    },
    { weight: 2, arbitrary: fc.record({ kind: named('put realm'), realm, resolvers }) },
    { weight: 2, arbitrary: fc.record({ kind: named('remove realm'), realm }) },
    { weight: 2, arbitrary: fc.record({ kind: named('put resolver'), resolver }) },
    { weight: 2, arbitrary: fc.record({ kind: named('remove resolver'), resolver }) },
    { weight: 3, arbitrary: fc.record({ kind: named('add user'), user: person }) },
    { weight: 2, arbitrary: fc.record({ kind: named('remove user'), user: person }) },
    { weight: 2, arbitrary: fc.record({ kind: named('upsert'), serial, active, owner }) },
    { weight: 6, arbitrary: fc.record({ kind: named('furnish'), serials, realms, owner: person }) },
    { weight: 1, arbitrary: fc.record({ kind: named('toggle everything') }) },
    { weight: 1, arbitrary: fc.record({ kind: named('exchange owners'), serials }) },
    { weight: 1, arbitrary: fc.record({ kind: named('merge sets'), from: realms, to: realms }) },
    { weight: 2, arbitrary: fc.record({ kind: named('change set'), from: realms, to: realms }) },
    { weight: 1, arbitrary: fc.record({ kind: named('rename realm'), realm, name: realm }) },
    { weight: 2, arbitrary: fc.record({ kind: named('move user'), user: person, to: resolver }) },
    { weight: 1, arbitrary: fc.record({ kind: named('truncate tokens') }) },
    { weight: 1, arbitrary: fc.record({ kind: named('truncate users') }) },
    // Rarely: it would repair earlier errors.
    { weight: 1, arbitrary: fc.record({ kind: named('rebuild') }) },
  );
}

type ValueOf<Arbitrary> = Arbitrary extends fc.Arbitrary<infer Value> ? Value : never;

/** A change by SQL. `null`: no user. */
export type Change = ValueOf<ReturnType<typeof changes>>;

function stepsAt(scale: Scale) {
  const change = changes(partsOf(scale));
  const hand = fc.nat({ max: HANDS - 1 });
  const isolation = fc.constantFrom(...ISOLATIONS);
  const rows = fc.constantFrom(1, 1_000, 1_000);
  const step = fc.oneof(
    { weight: 39, arbitrary: fc.record({ what: named('sql'), hand, change }) },
    { weight: 6, arbitrary: fc.record({ what: named('begin'), hand, isolation }) },
    { weight: 2, arbitrary: fc.record({ what: named('savepoint'), hand }) },
    { weight: 1, arbitrary: fc.record({ what: named('rollback to savepoint'), hand }) },
    { weight: 5, arbitrary: fc.record({ what: named('commit'), hand }) },
    { weight: 2, arbitrary: fc.record({ what: named('rollback'), hand }) },
    { weight: 8, arbitrary: fc.record({ what: named('fold'), rows }) },
    { weight: 2, arbitrary: fc.record({ what: named('fold by hand'), hand, rows }) },
    { weight: 3, arbitrary: fc.record({ what: named('check') }) },
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
