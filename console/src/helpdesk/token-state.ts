import type { ValueOf } from '../api/call.ts';
import type { Session } from '../session/session.tsx';

/** A token as the endpoints of the helpdesk answer it. */
export type HelpdeskToken = ValueOf<'/admin/token'>['token'];
/** One of the latest transactions of a token. */
export type RecentTransaction = NonNullable<ValueOf<'/admin/token'>['transactions']>[number];

/** What keeps a token from accepting responses; `ready`: nothing. */
export type TokenState = 'ready' | 'locked' | 'disabled' | 'phase1' | 'phase2';

/** @returns the first reason why a response would be refused, as the helpdesk has to mend it */
export function stateOf({
  active,
  locked,
  rollout,
}: Pick<HelpdeskToken, 'active' | 'locked' | 'rollout'>): TokenState {
  if (rollout === 'phase1') {
    return 'phase1';
  }
  if (!active) {
    return 'disabled';
  }
  if (locked) {
    return 'locked';
  }
  return rollout === 'phase2' ? 'phase2' : 'ready';
}

/** @returns whether the right holds in one of the token's realms; a token in no realm needs it everywhere */
export function mayOnToken(
  session: Session,
  action: string,
  { realms }: Pick<HelpdeskToken, 'realms'>,
): boolean {
  return realms.length === 0
    ? session.rights.some(
        (right) => right.scope === 'admin' && right.action === action && right.realms === '*',
      )
    : realms.some((realm) => session.may('admin', action, realm));
}
