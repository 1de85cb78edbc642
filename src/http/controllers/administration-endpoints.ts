import type { Clock } from '../../kernel/clock.ts';
import type { AdministrationDialect } from '../dialects/dialect.ts';
import type { Endpoint } from '../endpoint-spec.ts';
import { type SettingOperations, configurationEndpoints } from './configuration-controller.ts';
import { consequenceEndpoints, type ConsequenceOperations } from './consequence-controller.ts';
import { explanationEndpoints, type ExplanationOperations } from './explanation-controller.ts';
import { type PolicyOperations, policyEndpoints } from './policy-controller.ts';
import { type RealmOperations, realmEndpoints } from './realm-controller.ts';
import { tokenEndpoints, type TokenOperations } from './token-controller.ts';
import { userListEndpoint, type UserOperations } from './userlist-controller.ts';

/** The operations of administration. */
export interface AdministrationOperations extends TokenOperations, RealmOperations, UserOperations {
  readonly policies: PolicyOperations;
  readonly explanations: ExplanationOperations;
  readonly consequences: ConsequenceOperations;
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
    ...configurationEndpoints(operations.settings, dialect),
  ];
}
