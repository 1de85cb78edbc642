import type { Clock } from '../../../kernel/clock.ts';
import type { AdministrationDialect } from '../../dialects/dialect.ts';
import type { Endpoint } from '../../endpoint-spec.ts';
import { type SettingOperations, configurationEndpoints } from '../system/configuration-controller.ts';
import { consequenceEndpoints, type ConsequenceOperations } from '../system/consequence-controller.ts';
import { explanationEndpoints, type ExplanationOperations } from '../system/explanation-controller.ts';
import { keyEndpoint, type KeyOperations } from '../system/key-controller.ts';
import { licenceEndpoints, type LicenceOperations } from '../system/licence-controller.ts';
import { type PolicyOperations, policyEndpoints } from '../system/policy-controller.ts';
import {
  type RealmConsequenceOperations,
  realmConsequenceEndpoints,
} from '../system/realm-consequence-controller.ts';
import { type RealmOperations, realmEndpoints } from '../system/realm-controller.ts';
import { type ResolverTrialOperations, resolverTrialEndpoints } from '../system/resolver-trial-controller.ts';
import { tokenEndpoints, type TokenOperations } from '../tokens/token-controller.ts';
import { type ManagedUserOperations, managedUserEndpoints } from '../tokens/user-controller.ts';
import { userListEndpoint, type UserOperations } from '../tokens/userlist-controller.ts';
import { webhookEndpoints, type WebhookOperations } from '../system/webhook-controller.ts';

/** The operations of administration. */
export interface AdministrationOperations
  extends
    TokenOperations,
    RealmOperations,
    ResolverTrialOperations,
    RealmConsequenceOperations,
    KeyOperations,
    LicenceOperations,
    WebhookOperations {
  readonly users: UserOperations['users'] & ManagedUserOperations['users'];
  readonly resolvers: RealmOperations['resolvers'];
  readonly policies: PolicyOperations;
  readonly explanations: ExplanationOperations;
  readonly consequences: ConsequenceOperations & RealmConsequenceOperations['consequences'];
  readonly settings: SettingOperations;
}

/** @returns the endpoints of /admin that manage tokens, and all of /system */
export function administrationEndpoints(
  operations: AdministrationOperations,
  dialect: AdministrationDialect,
  clock: Clock,
): Endpoint[] {
  return [
    ...tokenEndpoints(operations, dialect),
    userListEndpoint(operations, dialect),
    ...policyEndpoints(operations.policies, dialect),
    ...explanationEndpoints(operations.explanations, dialect, clock),
    ...consequenceEndpoints(operations.consequences, operations.settings, dialect),
    ...realmEndpoints(operations, dialect),
    ...resolverTrialEndpoints(operations, dialect),
    ...realmConsequenceEndpoints(operations, dialect),
    ...managedUserEndpoints(operations, dialect),
    keyEndpoint(operations, dialect),
    ...licenceEndpoints(operations, dialect),
    ...webhookEndpoints(operations, dialect),
    ...configurationEndpoints(operations.settings, dialect),
  ];
}
