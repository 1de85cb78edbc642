import { AdministratorService } from '../administrators/administrator-service.ts';
import { loadOnUse } from '../kernel/load-on-use.ts';
import { VaultAuditAuthority } from '../security/vault/vault-audit-authority.ts';
import type { AccountServices } from './account-services.ts';
import type { Services } from './build-services.ts';
import type { ChallengeServices } from './challenge-services.ts';
import { directServices, type ServiceParts, type SharedParts, sharedParts } from './shared-parts.ts';
import type { HousekeepingServices } from './housekeeping-services.ts';
import { type ServiceParts, sharedParts } from './shared-parts.ts';
import { type ServiceParts, type SharedParts, sharedParts } from './shared-parts.ts';

/** What browsers alone use. */
const OF_BROWSERS = {
  singleSignOn: undefined,
  signInMethods: { passkeys: false, singleSignOn: undefined },
} as const;

/**
 * @returns every service, as `buildServices`, for a command: it uses one or two of them, and the modules of the others
 *   take most of the time of its start. A feature is loaded when one of its services is called first.
 *   Single sign-on is left out: browsers alone use it
 */
export function guestServices(parts: ServiceParts): Services {
  const shared = sharedParts(parts);
  const { database, vault, administratorStore } = shared;
  // Any feature writes to the audit.
  database.audit.certifyBy(new VaultAuditAuthority({ vault }));
  const { configuration, credentials, refusals, sources, administratorStore } = shared;
  certifyAudit(shared);
  // A part of it answers without a promise.
  const administrators = new AdministratorService({ ...shared, administrators: administratorStore });
  const accounts = once(async () => (await import('./account-services.ts')).accountServices(shared));
  const known = { administrators };
  const logins = once(async () => (await import('./login-services.ts')).loginServices(shared, known));
  const signIns = once(async () => {
    const { signInServices } = await import('./sign-in-services.ts');
    return signInServices(shared, { administrators, ...(await logins()), ...(await challenges()) });
  });
  const imports = once(async () => (await import('./import-services.ts')).importServices(shared));
  const foreseen = once(async () => (await import('./consequence-services.ts')).consequenceServices(shared));
  const challenges = once(async () => (await import('./challenge-services.ts')).challengeServices(shared));
  const monitoring = once(async () =>
    (await import('./monitoring-services.ts')).monitoringServices(shared, { administrators }),
  );
  const upkeep = once(async () => (await import('./housekeeping-services.ts')).housekeepingServices(shared));
  const reasons = once(async () =>
    (await import('./explanation-services.ts')).explanationServices(shared, await upkeep()),
  );
  const webhooks = once(async () => (await import('./webhook-services.ts')).webhookServices(shared));
  return {
    ...directServices(shared),
    administrators,
    ...onUse(accounts, 'realms', 'resolvers', 'users', 'policies', 'rights', 'settings', 'tokens'),
    ...onUse(logins, 'logins'),
    ...onUse(signIns, 'signIn', 'passkeys', 'secondFactors', 'sessions'),
    singleSignOn: undefined,
    helpdesk: helpdeskOnUse(shared, challenges),
    ...onUse(imports, 'linotpImport', 'linotpVerification'),
    ...onUse(foreseen, 'consequences'),
    ...onUse(challenges, 'transactions', 'ocra', 'statusWaits', 'enrolment', 'resynchronisation'),
    ...onUse(challenges, 'tokenImport', 'validation'),
    ...guestAccounts(accounts),
    realms: loadOnUse(async () => (await accounts()).realms),
    resolvers: loadOnUse(async () => (await accounts()).resolvers),
    resolverTrials: loadOnUse(async () => (await accounts()).resolverTrials),
    users: loadOnUse(async () => (await accounts()).users),
    policies: loadOnUse(async () => (await accounts()).policies),
    rights: loadOnUse(async () => (await accounts()).rights),
    settings: loadOnUse(async () => (await accounts()).settings),
    tokens: loadOnUse(async () => (await accounts()).tokens),
    logins: loadOnUse(async () => (await logins()).logins),
    signIn: loadOnUse(async () => (await signIns()).signIn),
    passkeys: loadOnUse(async () => (await signIns()).passkeys),
    // Browsers use it alone.
    ...OF_BROWSERS,
    secondFactors: loadOnUse(async () => (await signIns()).secondFactors),
    confirmation: loadOnUse(async () => (await signIns()).confirmation),
    sessions: loadOnUse(async () => (await signIns()).sessions),
    linotpImport: loadOnUse(async () => (await imports()).linotpImport),
    linotpVerification: loadOnUse(async () => (await imports()).linotpVerification),
    consequences: loadOnUse(async () => (await foreseen()).consequences),
    explanations: loadOnUse(async () => (await reasons()).explanations),
    transactions: loadOnUse(async () => (await challenges()).transactions),
    webhooks: loadOnUse(async () => (await webhooks()).webhooks),
    webhookDispatcher: async () => (await webhooks()).webhookDispatcher(),
    ocra: loadOnUse(async () => (await challenges()).ocra),
    statusWaits: loadOnUse(async () => (await challenges()).statusWaits),
    statusWatch: undefined,
    ...onUse(webhooks, 'webhooks'),
    webhookDispatcher: async () => (await webhooks()).webhookDispatcher(),
    ...onUse(monitoring, 'monitoring', 'overview', 'counts', 'installation', 'licences'),
    // Servers have streams.
    live: undefined,
    ...onUse(upkeep, 'housekeeping', 'audit', 'auditSearch', 'backups'),
    enrolment: loadOnUse(async () => (await challenges()).enrolment),
    resynchronisation: loadOnUse(async () => (await challenges()).resynchronisation),
    tokenImport: loadOnUse(async () => (await challenges()).tokenImport),
    validation: loadOnUse(async () => (await challenges()).validation),
    monitoring: loadOnUse(async () => (await monitoring()).monitoring),
    counts: loadOnUse(async () => (await monitoring()).counts),
    installation: loadOnUse(async () => (await monitoring()).installation),
    keyOverview: loadOnUse(async () => (await monitoring()).keyOverview),
    licences: loadOnUse(async () => (await monitoring()).licences),
    housekeeping: loadOnUse(async () => (await upkeep()).housekeeping),
    ...guestAudit(upkeep),
    backups: loadOnUse(async () => (await upkeep()).backups),
  };
}

function guestAudit(
  upkeep: () => Promise<HousekeepingServices>,
): Pick<
  HousekeepingServices,
  'audit' | 'auditSearch' | 'auditExport' | 'auditVerification' | 'stopVerification'
> {
  return {
    audit: loadOnUse(async () => (await upkeep()).audit),
    auditSearch: loadOnUse(async () => (await upkeep()).auditSearch),
    auditExport: loadOnUse(async () => (await upkeep()).auditExport),
    auditVerification: loadOnUse(async () => (await upkeep()).auditVerification),
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

/** The administration of accounts, tokens and their configuration. */
type GuestAccounts = Pick<
  AccountServices,
  'realms' | 'resolvers' | 'users' | 'policies' | 'rights' | 'settings' | 'tokens'
>;
function guestAccounts(load: () => Promise<AccountServices>): GuestAccounts {
    realms: loadOnUse(async () => (await load()).realms),
    resolvers: loadOnUse(async () => (await load()).resolvers),
    users: loadOnUse(async () => (await load()).users),
    policies: loadOnUse(async () => (await load()).policies),
    rights: loadOnUse(async () => (await load()).rights),
    settings: loadOnUse(async () => (await load()).settings),
    tokens: loadOnUse(async () => (await load()).tokens),
/** Any feature writes to the audit. */
function certifyAudit({ database, vault }: Pick<SharedParts, 'database' | 'vault'>): void {
  database.audit.certifyBy(new VaultAuditAuthority({ vault }));
function once<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined;
  return () => (loaded ??= load());
}
