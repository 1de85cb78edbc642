import type { DemoServer } from '../../compose/server.ts';
import type { Random } from '../../kernel/clock.ts';
import type { Caller } from '../../policy/caller.ts';
import type { Services } from '../../services.ts';

interface PlannedRealm {
  readonly name: string;
  readonly resolver: string;
  readonly logins: readonly string[];
}

interface PlannedToken {
  readonly serial: string;
  /** The login of the owner and the realm to find it in; null: unassigned. */
  readonly owner: { readonly login: string; readonly realm: string } | null;
  readonly realms: readonly string[];
  readonly active: boolean;
}

/** The realms, users and tokens at the start of the tour. */
export interface DemoPlan {
  readonly realms: readonly PlannedRealm[];
  readonly tokens: readonly PlannedToken[];
}

/** The user for whom the tour rolls out a token; has none before. */
export const TOUR_USER = { login: 'ada', realm: 'bank' } as const;

const CUSTOMERS =
  'ada bert clara david emma felix greta hugo ida jonas kira leo mia nils olga paul quinn rosa simon tara ulf vera wim xenia yann';
const STAFF = 'anna boris carla dieter elin frank gesa hans ines jan karin lars maren nora otto';
const SEED_BYTES = 32;

/** @returns two realms, forty users and a hundred tokens of all conditions, the same in every demo */
export function demoPlan(): DemoPlan {
  const bank = { name: 'bank', resolver: 'customers', logins: CUSTOMERS.split(' ') };
  const office = { name: 'office', resolver: 'staff', logins: STAFF.split(' ') };
  const owners = bank.logins.filter((login) => login !== TOUR_USER.login);
  const conditions = [
    ...times(45, (index) => ownership(bank, owners, index)),
    ...times(25, (index) => ownership(office, office.logins, index)),
    ...times(15, () => ({ owner: null, realms: ['bank'] })),
    ...times(10, () => ({ owner: null, realms: ['office'] })),
    ...times(4, () => ({ owner: null, realms: [] })),
    { owner: { login: 'anna', realm: 'office' }, realms: ['bank', 'office'] },
  ];
  const tokens = conditions.map((condition, index) => ({
    serial: `DEMO${String(index + 1).padStart(4, '0')}`,
    // One in five is disabled; the one in both realms is not.
    active: index % 5 !== 3,
    ...condition,
  }));
  return { realms: [bank, office], tokens };
}

function ownership(
  realm: PlannedRealm,
  owners: readonly string[],
  index: number,
): Pick<PlannedToken, 'owner' | 'realms'> {
  const login = owners[index % owners.length] ?? '';
  return { owner: { login, realm: realm.name }, realms: [realm.name] };
}

function times<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

/** About the size of the pool. */
const AT_ONCE = 8;

/** Creates the plan's content through the services, as an administrator would. */
export async function seedDemo(
  { services, baseUrl }: Pick<DemoServer, 'services' | 'baseUrl'>,
  caller: Caller,
  { realms, tokens }: DemoPlan,
  random: Random,
): Promise<void> {
  for (const realm of realms) {
    await seedRealm(services, caller, realm);
  }
  await services.policies.set(caller, {
    name: 'demo-qrtanurl',
    scope: 'authentication',
    action: `qrtanurl=${baseUrl}/ocra/check_t`,
    realm: '*',
    user: '*',
  });
  await inParallel(tokens, (token) => seedToken(services, caller, token, random));
}

async function seedRealm(
  { realms, resolvers, users }: Services,
  caller: Caller,
  { name, resolver, logins }: PlannedRealm,
): Promise<void> {
  await resolvers.set(caller, { name: resolver, kind: 'managed', settings: {} });
  await realms.set(caller, { name, resolvers: [resolver] });
  await inParallel(logins, (login) =>
    users.add(caller, {
      resolver,
      login,
      surname: 'Demo',
      email: `${login}@example.org`,
      phone: '',
      givenName: login.charAt(0).toUpperCase() + login.slice(1),
    }),
  );
}

async function seedToken(
  { enrolment, tokens }: Services,
  caller: Caller,
  { serial, owner, realms, active }: PlannedToken,
  random: Random,
): Promise<void> {
  await enrolment.init(caller, {
    type: 'ocra',
    serial,
    otpkey: random.bytes(SEED_BYTES).toString('hex'),
    description: 'made by the demo',
    ...(owner === null ? { realm: realms[0] } : { user: owner.login, realm: owner.realm }),
  });
  if (realms.length > 1) {
    await tokens.setRealms(caller, { serial, realms });
  }
  if (!active) {
    await tokens.disable(caller, { serial });
  }
}

async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  const waiting = items.values();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const item of waiting) {
        await work(item);
      }
    }),
  );
}
