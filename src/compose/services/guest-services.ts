import { AdministratorService } from '../../administrators/administrator-service.ts';
import { loadOnUse } from '../../kernel/load-on-use.ts';
import { VaultAuditAuthority } from '../../security/vault/vault-audit-authority.ts';
import type { Services } from './build-services.ts';
import type { ChallengeServices } from './challenge-services.ts';
import { directServices, type ServiceParts, type SharedParts, sharedParts } from '../shared-parts.ts';

/** The services that only browsers use. */
const BROWSER_SERVICES = {
  singleSignOn: undefined,
  signInMethods: { passkeys: false, singleSignOn: undefined },
} as const;

/**
 * @returns every service, as `buildServices`, for a command: it uses one or two of them, and the modules of the others
 *   take most of the time of its start. A feature is loaded when one of its services is called first
 */
export function guestServices(parts: ServiceParts): Services {
  const shared = sharedParts(parts);
  const { database, vault, administratorStore } = shared;
  // At once, as any feature may write audit rows.
  database.audit.certifyBy(new VaultAuditAuthority({ vault }));
  // Not loaded on use, as `recallPassword` returns no promise.
  const administrators = new AdministratorService({ ...shared, administrators: administratorStore });
  const accounts = once(async () => (await import('./account-services.ts')).accountServices(shared));
  const logins = once(async () =>
    (await import('./login-services.ts')).loginServices(shared, { administrators }),
  );
  const signIns = once(async () => {
    const { signInServices } = await import('./sign-in-services.ts');
    return signInServices(shared, { administrators, ...(await logins()), ...(await challenges()) });
  });
  const imports = once(async () => (await import('./import-services.ts')).importServices(shared));
  const consequences = once(async () =>
    (await import('./consequence-services.ts')).consequenceServices(shared),
  );
  const challenges = once(async () => (await import('./challenge-services.ts')).challengeServices(shared));
  const monitoring = once(async () => (await import('./monitoring-services.ts')).monitoringServices(shared));
  const upkeep = once(async () => (await import('./housekeeping-services.ts')).housekeepingServices(shared));
  const explanations = once(async () =>
    (await import('./explanation-services.ts')).explanationServices(shared, await upkeep()),
  );
  const webhooks = once(async () => (await import('./webhook-services.ts')).webhookServices(shared));
  return {
    ...directServices(shared),
    administrators,
    ...onUse(accounts, 'realms', 'resolvers', 'resolverTrials', 'users', 'policies', 'rights'),
    ...onUse(accounts, 'settings', 'tokens'),
    ...onUse(logins, 'logins'),
    ...onUse(signIns, 'signIn', 'passkeys', 'secondFactors', 'sessions', 'confirmation'),
    ...BROWSER_SERVICES,
    helpdesk: helpdeskOnUse(shared, challenges),
    ...onUse(imports, 'linotpImport', 'linotpVerification'),
    ...onUse(consequences, 'consequences'),
    ...onUse(explanations, 'explanations'),
    ...onUse(challenges, 'transactions', 'ocra', 'statusWaits', 'enrolment', 'resynchronisation'),
    ...onUse(challenges, 'tokenImport', 'validation'),
    statusWatch: undefined,
    ...onUse(webhooks, 'webhooks'),
    webhookDispatcher: async () => (await webhooks()).webhookDispatcher(),
    ...onUse(monitoring, 'monitoring', 'overview', 'counts', 'installation', 'licences', 'keyOverview'),
    ...onUse(upkeep, 'housekeeping', 'audit', 'auditSearch', 'auditExport', 'auditVerification'),
    ...onUse(upkeep, 'backups'),
    // Commands verify by themselves.
    stopVerification: () => Promise.resolve(),
  };
}

/** The views of the helpdesk, which browsers use more than commands. */
function helpdeskOnUse(
  shared: SharedParts,
  challenges: () => Promise<ChallengeServices>,
): Services['helpdesk'] {
  const load = once(
    async () =>
      (await import('./helpdesk-services.ts')).helpdeskServices(shared, await challenges()).helpdesk,
  );
  return onUse(load, 'search', 'people', 'tokenList');
}

/** @returns these services of a feature; the feature is loaded when one of them is called first */
function onUse<Feature extends object, Name extends keyof Feature>(
  load: () => Promise<Feature>,
  ...names: readonly Name[]
): Pick<Feature, Name> {
  const services = names.map((name) => [name, loadOnUse(async () => (await load())[name] as object)]);
  return Object.fromEntries(services) as Pick<Feature, Name>;
}

function once<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined;
  return () => (loaded ??= load());
}
