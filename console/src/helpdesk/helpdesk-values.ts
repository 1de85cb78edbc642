import type { ValueOf } from '../api/call.ts';

/** A token as the endpoints of the helpdesk answer it. */
export type HelpdeskToken = Omit<ValueOf<'/admin/token/show'>, 'transactions'>;

/** One of the latest transactions of a token. */
export type RecentTransaction = NonNullable<ValueOf<'/admin/token/show'>['transactions']>[number];
