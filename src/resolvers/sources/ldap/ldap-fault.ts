/**
 * The cause of a failed request to a directory:
 * `settings` the resolver's configuration; `unreachable` no connection, or no TLS on it; `lost` a connection that ended
 * or answered with something other than LDAP; `silent` no answer in time; `refused` a result other than success, see
 * `resultCode`; `answer` entries that cannot be used; `busy` too many requests at once.
 */
type LdapFaultKind = 'settings' | 'unreachable' | 'lost' | 'silent' | 'refused' | 'answer' | 'busy';

/**
 * A failed request to a directory. The message is for the client too and continues the sentence
 * `The resolver 'x' is unavailable: …`; hosts, DNs and the server's messages are in `detail`, for the log. Neither
 * holds a password.
 */
export class LdapFault extends Error {
  override readonly name = 'LdapFault';
  readonly kind: LdapFaultKind;
  readonly detail: string | undefined;
  /** RFC 4511 §4.1.9, if the server sent one. */
  readonly resultCode: number | undefined;
  /** The servers at fault as `host:port`, separated by commas, once they are known. */
  readonly address: string | undefined;

  constructor(
    kind: LdapFaultKind,
    message: string,
    options: { detail?: string | undefined; resultCode?: number; address?: string; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.kind = kind;
    this.detail = options.detail;
    this.resultCode = options.resultCode;
    this.address = options.address;
  }

  /** The fault may be limited to this server: another one of the same directory may answer. */
  get isOfTheServer(): boolean {
    return ['unreachable', 'lost', 'silent'].includes(this.kind) || [51, 52].includes(this.resultCode ?? 0);
  }
}

/** RFC 4511 appendix A.1, for the codes that administrators encounter. */
const IN_WORDS: ReadonlyMap<number, string> = new Map([
  [2, 'the directory does not understand the question'],
  [3, 'the question takes longer than the directory allows'],
  [4, 'the answer is larger than the size limit of the directory'],
  [8, 'the directory demands a stronger way to bind'],
  [10, 'LDAPBASE is held by another directory, and referrals are not followed'],
  [11, 'the answer is larger than the directory allows'],
  [13, 'the directory demands TLS'],
  [32, 'LDAPBASE does not exist, or may not be seen'],
  [34, 'the directory takes LDAPBASE or BINDDN for no distinguished name'],
  [48, 'the directory refuses to bind like this'],
  [49, 'the directory refuses BINDDN and its password'],
  [50, 'BINDDN may not read the users'],
  [51, 'the directory is busy'],
  [52, 'the directory is not available'],
  [53, 'the directory is unwilling'],
]);

const MAX_DIAGNOSTIC_LENGTH = 200;

/** @param diagnostic the server's message, for the log */
export function refusedByServer(resultCode: number, diagnostic: string): LdapFault {
  const words = IN_WORDS.get(resultCode) ?? `the directory answers with error ${resultCode}`;
  const said = diagnostic.replaceAll(/\p{Cc}+/gu, ' ').slice(0, MAX_DIAGNOSTIC_LENGTH);
  return new LdapFault('refused', words, { resultCode, detail: `LDAP result ${resultCode} ${said}`.trim() });
}
