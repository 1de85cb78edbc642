import type { OperationGroup } from './operation.ts';
import { WEBHOOKS } from './webhooks.ts';

/** All operations, in the order of the help and of /openapi.json. */
export const OPERATION_GROUPS: readonly OperationGroup[] = [WEBHOOKS];
