import type { OperationGroup } from './operation.ts';
import { ADMINISTRATORS, API_TOKENS, SECOND_FACTORS, SESSIONS } from './administrators.ts';
import { AUDIT } from './audit.ts';
import { HELPDESK } from './helpdesk.ts';
import { INSTALLATION } from './installation.ts';
import { KEYS } from './keys.ts';
import { POLICIES } from './policies.ts';
import { REALMS } from './realms.ts';
import { RESOLVERS } from './resolvers.ts';
import { SETTINGS } from './settings.ts';
import { TOKENS } from './tokens.ts';
import { TRANSACTIONS } from './transactions.ts';
import { USERS } from './users.ts';
import { WEBHOOKS } from './webhooks.ts';

/** All operations, in the order of the help and of /openapi.json. */
export const OPERATION_GROUPS: readonly OperationGroup[] = [
  ADMINISTRATORS,
  SECOND_FACTORS,
  API_TOKENS,
  SESSIONS,
  TOKENS,
  TRANSACTIONS,
  AUDIT,
  HELPDESK,
  USERS,
  REALMS,
  RESOLVERS,
  POLICIES,
  SETTINGS,
  WEBHOOKS,
  KEYS,
  INSTALLATION,
];
