import type { ServiceError } from '../kernel/errors.ts';
import { DatabaseUnavailable } from './database-unavailable.ts';

/** The extent to which requests in flight at the same moment share statements. */
export interface Sharing {
  /** The most requests that share a statement; 1: each has its own. */
  readonly maxItems: number;
  /** The most such statements of one kind at once. */
  readonly maxGroups: number;
  /** The longest wait for a turn, in milliseconds; as long as the wait for a connection. */
  readonly maxWaitMs: number;
}

/** Two groups at once: one is in the database while the answers of the other are made. */
export const SHARING: Sharing = { maxItems: 64, maxGroups: 2, maxWaitMs: 5_000 };

/** Each request has statements of its own. */
export const UNSHARED: Sharing = { maxItems: 1, maxGroups: Infinity, maxWaitMs: 5_000 };

/** The error of a request that has waited too long for its turn. Nothing of it was sent to the database. */
export function refuseLate(): ServiceError {
  return new DatabaseUnavailable('the statements before it took too long');
}
