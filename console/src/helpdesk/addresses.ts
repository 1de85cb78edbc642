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

/** The list of the tokens with a status, as `locked`; `all`: of all. */
export function tokensAddress(status: string): string {
  return `/tokens/with/${part(status)}`;
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

/**
 * Percent signs are not used, as the router decodes some of them.
 * @returns the name as a part of an address: any character but letters, digits and `_.@-` as `~2f~`, its code point
 */
export function part(name: string): string {
  return name.replace(/[^\w.@-]/gu, (character) => `~${(character.codePointAt(0) ?? 0).toString(16)}~`);
}

/** @returns the name that a part of an address stands for */
export function readPart(text: string): string {
  return text.replace(/~([0-9a-f]{1,5}|10[0-9a-f]{4})~/g, (_, code: string) =>
    String.fromCodePoint(Number.parseInt(code, 16)),
  );
}
