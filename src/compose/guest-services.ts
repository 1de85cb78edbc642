import { AdministratorService } from '../administrators/administrator-service.ts';
import { loadOnUse } from '../kernel/load-on-use.ts';
import { VaultAuditAuthority } from '../security/vault/vault-audit-authority.ts';
import type { Services } from './build-services.ts';
import type { SignInServices } from './sign-in-services.ts';
import { type ServiceParts, type SharedParts, sharedParts } from './shared-parts.ts';

/** @returns the services of sign-ins. What browsers alone use is left out. */
function signInsOnUse(load: () => Promise<SignInServices>): SignInServices {
  return {
    signIn: loadOnUse(async () => (await load()).signIn),
    passkeys: loadOnUse(async () => (await load()).passkeys),
    secondFactors: loadOnUse(async () => (await load()).secondFactors),
    confirmation: loadOnUse(async () => (await load()).confirmation),
    sessions: loadOnUse(async () => (await load()).sessions),
    singleSignOn: undefined,
    signInMethods: { passkeys: false, singleSignOn: undefined },
  };
}

/**
 * @returns every service, as `buildServices`, for a command: it uses one or two of them, and the modules of the others
 *   take most of the time of its start. A feature is loaded when one of its services is called first
 */
export function guestServices(parts: ServiceParts): Services {
  const shared = sharedParts(parts);
  const { configuration, credentials, refusals, sources, administratorStore } = shared;
  certifyAudit(shared);
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
  const webhooks = once(async () => (await import('./webhook-services.ts')).webhookServices(shared));
  return {
    configuration,
    credentials,
    refusals,
    closeSources: () => sources.close(),
    administrators,
    realms: loadOnUse(async () => (await accounts()).realms),
    resolvers: loadOnUse(async () => (await accounts()).resolvers),
    users: loadOnUse(async () => (await accounts()).users),
    policies: loadOnUse(async () => (await accounts()).policies),
    rights: loadOnUse(async () => (await accounts()).rights),
    settings: loadOnUse(async () => (await accounts()).settings),
    tokens: loadOnUse(async () => (await accounts()).tokens),
    logins: loadOnUse(async () => (await logins()).logins),
    ...signInsOnUse(signIns),
    linotpImport: loadOnUse(async () => (await imports()).linotpImport),
    linotpVerification: loadOnUse(async () => (await imports()).linotpVerification),
    consequences: loadOnUse(async () => (await foreseen()).consequences),
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

/** Any feature writes to the audit. */
function certifyAudit({ database, vault }: Pick<SharedParts, 'database' | 'vault'>): void {
  database.audit.certifyBy(new VaultAuditAuthority({ vault }));
}

function once<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined;
  return () => (loaded ??= load());
}
