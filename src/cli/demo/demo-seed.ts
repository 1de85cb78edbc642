import type { Caller } from '../../policy/caller.ts';
import type { Random } from '../../kernel/clock.ts';
import type { Services } from '../../services.ts';
import { type DemoPlan, type PlannedRealm, type PlannedToken, randomSeed } from './demo-plan.ts';
import type { DemoServer } from './demo-server.ts';

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
    otpkey: randomSeed(random),
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
