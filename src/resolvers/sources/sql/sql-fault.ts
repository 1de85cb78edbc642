import { ServiceError } from '../../../kernel/errors.ts';
import type { SqlSettings } from '../../settings/sql-settings.ts';
import { UNKNOWN_LOGIN, UNKNOWN_LOGIN_CODE } from './mysql-login.ts';
import { connectionReason, ResolverUnavailable, type SilentServer } from '../../user-source.ts';

/** The error for an answer that did not come in time. */
export class SqlDelay extends Error {
  override readonly name = 'SqlDelay';
  readonly code = 'TIME_LIMIT';
  constructor(milliseconds: number) {
    super(`No answer within ${milliseconds} ms`);
  }
}

/** A fault in the rows themselves, in words for the client. */
export class SqlRowsFault extends Error {
  override readonly name = 'SqlRowsFault';
}

const AWAY = 'its database cannot be reached';
const REFUSED = 'its database refuses the user or the password';
const NO_DATABASE = 'there is no such database';
const NO_TABLE = 'there is no such table';
const NO_COLUMN = 'a column that its Map or its Where names does not exist';
const NO_RIGHT = 'its user may not read the table';
const NOT_UNDERSTOOD = 'the database does not understand its Where';
const LATE = 'its database does not answer in time';
const UNTRUSTED = 'the certificate of its database is not trusted';
const NO_TLS = 'its database does not speak TLS';
const CROWDED = 'its database takes no more connections';

const UNKNOWN_HOST = 'the name of its server is not known';
/** The reasons that the server itself has not given. */
const UNCONNECTED: readonly string[] = [AWAY, LATE, UNTRUSTED, NO_TLS, UNKNOWN_HOST];

/** Reasons by the code of a fault: of Node, of PostgreSQL (SQLSTATE), of MySQL and MariaDB. */
const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: AWAY,
  ECONNRESET: AWAY,
  EHOSTUNREACH: AWAY,
  ENETUNREACH: AWAY,
  ENOENT: AWAY,
  EACCES: AWAY,
  EPIPE: AWAY,
  ENOTFOUND: UNKNOWN_HOST,
  EAI_AGAIN: UNKNOWN_HOST,
  ETIMEDOUT: LATE,
  TIME_LIMIT: LATE,
  PROTOCOL_CONNECTION_LOST: AWAY,
  HANDSHAKE_NO_SSL_SUPPORT: NO_TLS,
  '57P01': AWAY,
  '57P02': AWAY,
  '57P03': AWAY,
  '28P01': REFUSED,
  '28000': REFUSED,
  ER_ACCESS_DENIED_ERROR: REFUSED,
  ER_ACCESS_DENIED_NO_PASSWORD_ERROR: REFUSED,
  [UNKNOWN_LOGIN_CODE]: UNKNOWN_LOGIN,
  '3D000': NO_DATABASE,
  ER_BAD_DB_ERROR: NO_DATABASE,
  ER_DBACCESS_DENIED_ERROR: 'its user may not use the database',
  '42P01': NO_TABLE,
  '3F000': NO_TABLE,
  ER_NO_SUCH_TABLE: NO_TABLE,
  '42703': NO_COLUMN,
  ER_BAD_FIELD_ERROR: NO_COLUMN,
  '42501': NO_RIGHT,
  ER_TABLEACCESS_DENIED_ERROR: NO_RIGHT,
  ER_COLUMNACCESS_DENIED_ERROR: NO_RIGHT,
  '42601': NOT_UNDERSTOOD,
  '42804': NOT_UNDERSTOOD,
  '42883': NOT_UNDERSTOOD,
  ER_PARSE_ERROR: NOT_UNDERSTOOD,
  ER_SP_DOES_NOT_EXIST: NOT_UNDERSTOOD,
  '25006': 'its Where would change something',
  ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION: 'its Where would change something',
  '57014': LATE,
  '1969': LATE,
  ER_QUERY_TIMEOUT: LATE,
  ER_QUERY_INTERRUPTED: LATE,
  '53300': CROWDED,
  ER_CON_COUNT_ERROR: CROWDED,
  ER_TOO_MANY_USER_CONNECTIONS: CROWDED,
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  CERT_HAS_EXPIRED: 'the certificate of its database has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate of its database is for another host',
};

/** Reasons for faults without a code, by their message. */
const WORDINGS: readonly (readonly [RegExp, string])[] = [
  [/does not support SSL/i, NO_TLS],
  [/does not match certificate's altnames/i, 'the certificate of its database is for another host'],
  [/certificate/i, UNTRUSTED],
  [/timeout|timed out/i, LATE],
  [/terminated|closed/i, AWAY],
];

/**
 * The text is no value of the column's type, so no row has it. 42883: PostgreSQL cannot compare values of the type, as
 * of json.
 */
const NO_SUCH_VALUE = ['22P02', '22003', '22007', '22008', '42883', 'ER_WRONG_VALUE'];

/** The text has letters that the encoding of the database or column lacks, so no row has it. */
const FOREIGN_LETTERS = [
  '22P05',
  'ER_CANT_AGGREGATE_2COLLATIONS',
  'ER_CANNOT_CONVERT_STRING',
  'ER_IMPOSSIBLE_STRING_CONVERSION',
];

/** @returns the code of a fault of any driver; empty if it has none */
function codeOf(cause: unknown): string {
  const { code, errno } = (cause ?? {}) as { code?: unknown; errno?: unknown };
  // The driver has no names for MariaDB's own faults.
  return typeof code === 'string' ? code : typeof errno === 'number' ? String(errno) : '';
}

/** @returns true if the column cannot hold the text that was searched for */
export function isNoSuchValue(cause: unknown): boolean {
  return NO_SUCH_VALUE.includes(codeOf(cause));
}

/** @returns true if the database has no letters for the text that was searched for */
export function hasForeignLetters(cause: unknown): boolean {
  return FOREIGN_LETTERS.includes(codeOf(cause));
}

/**
 * @param settings those of the resolver, if they can be read
 * @returns the fault as 'resolver.unavailable', in words that quote neither statement nor password
 */
export function sqlUnavailable(
  resolver: string,
  cause: unknown,
  settings?: Pick<SqlSettings, 'server' | 'port'>,
): ResolverUnavailable {
  const code = codeOf(cause);
  const reason = reasonOf(cause, code);
  return new ResolverUnavailable({
    resolver,
    reason,
    cause,
    detail: `SQL resolver ${resolver}: ${code === '' ? 'no code' : code}`,
    server: settings && silentServer(settings, reason, code),
  });
}

/** @returns undefined if the server has answered */
function silentServer(
  { server, port }: Pick<SqlSettings, 'server' | 'port'>,
  reason: string,
  code: string,
): SilentServer | undefined {
  if (!UNCONNECTED.includes(reason)) {
    return undefined;
  }
  const host = server.includes(':') ? `[${server}]` : server;
  return {
    lacks: reason === LATE ? 'answer' : 'connection',
    address: server.startsWith('/') ? server : `${host}:${port}`,
    reason: connectionReason(code) ?? reason,
  };
}

function reasonOf(cause: unknown, code: string): string {
  if (cause instanceof SqlRowsFault) {
    return cause.message;
  }
  if (cause instanceof ServiceError) {
    return `its settings or its password cannot be read (${cause.code})`;
  }
  const { message: text } = (cause ?? {}) as { message?: unknown };
  const worded = WORDINGS.find(([pattern]) => pattern.test(String(text)))?.[1];
  return REASONS[code] ?? worded ?? `its database reports a fault${code === '' ? '' : ` (${code})`}`;
}
