import { AdministratorService } from '../administrators/administrator-service.ts';
import { loadOnUse } from '../kernel/load-on-use.ts';
import { VaultAuditAuthority } from '../security/vault/vault-audit-authority.ts';
import type { AccountServices } from './account-services.ts';
import type { Services } from './build-services.ts';
import { type ServiceParts, sharedParts } from './shared-parts.ts';

/**
 * @returns every service, as `buildServices`, for a command: it uses one or two of them, and the modules of the others
 *   take most of the time of its start. A feature is loaded when one of its services is called first
 */
export function guestServices(parts: ServiceParts): Services {
  const shared = sharedParts(parts);
  const { configuration, credentials, refusals, sources, database, vault, administratorStore } = shared;
  // Any feature writes to the audit.
  database.audit.certifyBy(new VaultAuditAuthority({ vault }));
  // A part of it answers without a promise.
  const administrators = new AdministratorService({ ...shared, administrators: administratorStore });
  const accounts = once(async () => (await import('./account-services.ts')).accountServices(shared));
  const logins = once(async () =>
    (await import('./login-services.ts')).loginServices(shared, { administrators }),
  );
  const signIns = once(async () => {
    const parts = { administrators, ...(await logins()), ...(await challenges()) };
    return (await import('./sign-in-services.ts')).signInServices(shared, parts);
  });
  const imports = once(async () => (await import('./import-services.ts')).importServices(shared));
  const foreseen = once(async () => (await import('./consequence-services.ts')).consequenceServices(shared));
  const challenges = once(async () => (await import('./challenge-services.ts')).challengeServices(shared));
  const monitoring = once(async () => (await import('./monitoring-services.ts')).monitoringServices(shared));
  const upkeep = once(async () => (await import('./housekeeping-services.ts')).housekeepingServices(shared));
  const reasons = once(async () =>
    (await import('./explanation-services.ts')).explanationServices(shared, await upkeep()),
  );
  const webhooks = once(async () => (await import('./webhook-services.ts')).webhookServices(shared));
  return {
    configuration,
    credentials,
    refusals,
    closeSources: () => sources.close(),
    administrators,
    ...guestAccounts(accounts),
    logins: loadOnUse(async () => (await logins()).logins),
    signIn: loadOnUse(async () => (await signIns()).signIn),
    passkeys: loadOnUse(async () => (await signIns()).passkeys),
    // Browsers use it alone.
    singleSignOn: undefined,
    secondFactors: loadOnUse(async () => (await signIns()).secondFactors),
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
    enrolment: loadOnUse(async () => (await challenges()).enrolment),
    resynchronisation: loadOnUse(async () => (await challenges()).resynchronisation),
    tokenImport: loadOnUse(async () => (await challenges()).tokenImport),
    validation: loadOnUse(async () => (await challenges()).validation),
    monitoring: loadOnUse(async () => (await monitoring()).monitoring),
    counts: loadOnUse(async () => (await monitoring()).counts),
    installation: loadOnUse(async () => (await monitoring()).installation),
    licences: loadOnUse(async () => (await monitoring()).licences),
    housekeeping: loadOnUse(async () => (await upkeep()).housekeeping),
    audit: loadOnUse(async () => (await upkeep()).audit),
    auditSearch: loadOnUse(async () => (await upkeep()).auditSearch),
    backups: loadOnUse(async () => (await upkeep()).backups),
  };
}

/** The administration of accounts, tokens and their configuration. */
type GuestAccounts = Pick<
  AccountServices,
  'realms' | 'resolvers' | 'users' | 'policies' | 'rights' | 'settings' | 'tokens'
>;

function guestAccounts(load: () => Promise<AccountServices>): GuestAccounts {
  return {
    realms: loadOnUse(async () => (await load()).realms),
    resolvers: loadOnUse(async () => (await load()).resolvers),
    users: loadOnUse(async () => (await load()).users),
    policies: loadOnUse(async () => (await load()).policies),
    rights: loadOnUse(async () => (await load()).rights),
    settings: loadOnUse(async () => (await load()).settings),
    tokens: loadOnUse(async () => (await load()).tokens),
  };
}

function once<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined;
  return () => (loaded ??= load());
}
