/** The addresses of the helpdesk's pages, below `#`. */

/** A user as addresses name them. */
export interface PersonName {
  readonly user: string;
  readonly realm: string;
  readonly resolver: string;
}

export function personAddress({ user, realm, resolver }: PersonName): string {
  return `/people/${part(realm)}/${part(resolver)}/${part(user)}`;
}

export function tokenAddress(serial: string): string {
  return `/tokens/${part(serial)}`;
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

/** Dots alone would be directories to some browsers. */
function part(text: string): string {
  return encodeURIComponent(text).replaceAll('.', '%2E');
}
