import type { Random } from '../../kernel/clock.ts';
import type { Caller } from '../../policy/caller.ts';
import type { Services } from '../../services.ts';

const REALM = { name: 'bank', resolver: 'customers' };
/** The customers of the portal. */
const LOGINS = ['ada', 'emma'] as const;
/** The rights of the portal: roll-out, challenges and their state, and no more. */
const RIGHTS = ['admin:init', 'admin:show', 'ocra:request', 'ocra:status', 'ocra:activationcode'];
const PASSWORD_BYTES = 6;

type SeededServices = Pick<Services, 'administrators' | 'policies' | 'realms' | 'resolvers' | 'users'>;

/** The settings of the portal. */
export interface PortalAccess {
  readonly apiToken: string;
  /** Throw-away passwords by login; the first is the one that the demo shows. */
  readonly passwords: ReadonlyMap<string, string>;
}

/**
 * Creates what an installation with a portal has: users in a realm, the policy with the destination of responses, and
 * an administrator for the portal with an API token.
 * @param publicUrl the address at which browsers find the server, without a slash at its end
 */
export async function seedPortal(
  { administrators, policies, realms, resolvers, users }: SeededServices,
  caller: Caller,
  { publicUrl, random }: { readonly publicUrl: string; readonly random: Random },
): Promise<PortalAccess> {
  const secret = (): string => random.bytes(PASSWORD_BYTES).toString('hex');
  await resolvers.set(caller, { name: REALM.resolver, kind: 'managed', settings: {} });
  await realms.set(caller, { name: REALM.name, resolvers: [REALM.resolver] });
  for (const login of LOGINS) {
    await users.add(caller, {
      resolver: REALM.resolver,
      login,
      givenName: login,
      surname: 'Demo',
      email: `${login}@example.org`,
      phone: '',
    });
  }
  await policies.set(caller, {
    name: 'demo-qrtanurl',
    scope: 'authentication',
    action: `qrtanurl=${publicUrl}/ocra/check_t`,
    realm: '*',
    user: '*',
  });
  await administrators.add(caller, 'portal', secret() + secret());
  const { token } = await administrators.addApiToken(caller, 'portal', { name: 'demo', rights: RIGHTS });
  return { apiToken: token, passwords: new Map(LOGINS.map((login) => [login, secret()])) };
}
