import type { Session } from '../session/session.tsx';
import { part, viewAddress } from '../shell/page-address.ts';

/** The addresses of the helpdesk's pages, below `#`. */

/** A user as addresses name them. */
export interface PersonName {
  readonly user: string;
  readonly realm: string;
  readonly resolver: string;
}

/** Where a person is chosen. */
export function peopleAddress(session: Pick<Session, 'may'>): string {
  return session.may('admin', 'userlist') ? '/people' : '/search';
}

export function personAddress({ user, realm, resolver }: PersonName): string {
  return `/people/${part(realm)}/${part(resolver)}/${part(user)}`;
}

export function tokenAddress(serial: string): string {
  return `/tokens/${part(serial)}`;
}

/** The list of the tokens with a status, as `locked`; another: of all. */
export function tokensAddress(status: string): string {
  const isOfOwner = status === 'assigned' || status === 'unassigned';
  const isState = status === 'active' || status === 'inactive' || status === 'locked';
  return viewAddress('/tokens', { [isOfOwner ? 'owner' : 'state']: isOfOwner || isState ? status : '' });
}

/** The audit of a token. */
export function tokenAuditAddress(serial: string): string {
  return `/audit/subject/${encodeURIComponent(serial)}`;
}

/** The audit of the tokens of a user. */
export function userAuditAddress({ user, realm }: Pick<PersonName, 'user' | 'realm'>): string {
  return `/audit/user/${part(`${user}@${realm}`)}`;
}

export function transactionAddress(transactionId: string): string {
  return `/transactions/${part(transactionId)}`;
}

/** The enrolment of a further token for the user. */
export function newTokenAddress({ user, realm, resolver }: PersonName): string {
  return `/enrol/person/${part(realm)}/${part(resolver)}/${part(user)}`;
}

/** The enrolment of the token anew. */
export function enrolAgainAddress(serial: string): string {
  return `/enrol/token/${part(serial)}`;
}
