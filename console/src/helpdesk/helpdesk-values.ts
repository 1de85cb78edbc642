import type { ValueOf } from '../api/call.ts';

/** A token as the endpoints of the helpdesk answer it. */
export type HelpdeskToken = Omit<ValueOf<'/admin/token/show'>, 'transactions'>;

/** @returns the revision of a token after one change of it as it was read: an act that takes it back names it */
export function revisionAfter({ revision }: Pick<HelpdeskToken, 'revision'>): string {
  return `${BigInt(revision) + 1n}`;
}

/** One of the latest transactions of a token. */
export type RecentTransaction = NonNullable<ValueOf<'/admin/token/show'>['transactions']>[number];
