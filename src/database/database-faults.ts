import { isServiceError, ServiceError } from '../kernel/errors.ts';

/**
 * SQLSTATE classes and codes, system codes, and the reasons for clients, which disclose nothing of the installation.
 */
const REASONS: readonly (readonly [RegExp, string])[] = [
  [/^(?:ECONNREFUSED|ENOENT)$/, 'no server is listening there'],
  [/^EACCES$/, 'access to the socket is denied'],
  [/^(?:ENOTFOUND|EAI_AGAIN)$/, 'the host name is unknown'],
  [/^(?:ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$/, 'the host cannot be reached'],
  [/^(?:ECONNRESET|EPIPE|57P0[125]|08...)$/, 'the connection was lost'],
  [/^57P03$/, 'the server is starting or stopping'],
  [/^E[MN]FILE$/, 'this server has no file descriptor left'],
  [/^53300$/, 'the server has no connection left'],
  [/^53...$/, 'the server is out of resources'],
  [/^58...$/, 'the server has trouble with its disk'],
  [/^28...$/, 'the user or the password is wrong'],
  [/^(?:3D000|57P04)$/, 'there is no such database'],
  [/^25006$/, 'the server accepts no writes'],
  [/^(?:57014|55P03|25P0[34])$/, 'the database took too long'],
];

/** serialization_failure, deadlock_detected: aborted in favour of another statement. */
const ABORTED = ['40001', '40P01'];
/** check_violation; without the name of a constraint, the row belongs to another partition. */
const CHECK_VIOLATION = '23514';
/** After this, a connection is of no use: its server takes no writes, as a standby. */
const READ_ONLY = '25006';
/** From pg, after the time for an answer, which may still come. */
const NO_ANSWER = 'Query read timeout';

/** SQLSTATE classes after which a statement or a commit may nevertheless have taken effect. */
const DOUBTFUL = /^(?:08|40003|57|58|XX)/;

/** From the function hold_sealing_key: another key seals, which this server has not read yet. */
const RETIRED_KEY = 'TK001';

/** From PgBouncer, with the SQLSTATE of a protocol violation. */
const REFUSED_SETTING = 'unsupported startup parameter';

/** What passes only when somebody corrects it, of codes in `REASONS`. */
const LASTING = /^(?:EACCES|28...|3D000|57P04)$/;
const LASTING_TEXT = /does not support SSL|self-signed|certificate/i;
/** Most of PgBouncer's faults have the SQLSTATE of a protocol violation: these are of a database that is away or full. */
const POOLER = '08P01';
const POOLER_PASSING =
  /server_login_retry|cannot connect to server|server connection|(?:login|query_wait)_timeout|too many|no more connections|shutting down/i;

/** Faults of pg that carry no code. */
const UNCODED: readonly (readonly [RegExp, string])[] = [
  [/timeout exceeded when trying to connect/i, 'no connection became free in time'],
  [/timeout expired|connection timeout|Query read timeout/i, 'the server did not answer in time'],
  [/Connection terminated|not queryable|connection error/i, 'the connection was lost'],
  [LASTING_TEXT, 'no secure connection comes about'],
];

/**
 * Translates the faults of pg and the system for a database that is away, full, or too slow, and for work that it has
 * aborted in favour of others.
 * @returns ServiceError 'database.unavailable', whose message names neither host nor user, or 'key.unavailable'; any
 *   other error as it is
 */
export function translateDatabaseFault(error: unknown): unknown {
  if ((error as { code?: unknown } | null)?.code === RETIRED_KEY) {
    return new ServiceError('key.unavailable', 'The encryption key that seals here is retired', {
      detail: 'SIGHUP has a server read its keys anew',
      cause: error,
    });
  }
  const reason = reasonOf(error);
  return reason === undefined
    ? error
    : new DatabaseUnavailable(reason, { detail: textOf(error), cause: error });
}

/** @throws the fault as `translateDatabaseFault` has it */
export function rethrow(fault: unknown): never {
  throw translateDatabaseFault(fault);
}

/**
 * @param error as translated here, or not
 * @returns true if PostgreSQL has aborted the work in favour of another one, or a row of the audit because its month
 *   was made while it was written: a retry may succeed at once
 */
export function isAborted(error: unknown): boolean {
  const { code, table, constraint } = ((error instanceof DatabaseUnavailable ? error.cause : error) ??
    {}) as Partial<Record<'code' | 'table' | 'constraint', unknown>>;
  return (
    ABORTED.includes(String(code)) ||
    (code === CHECK_VIOLATION && table === 'audit_default' && constraint === undefined)
  );
}

/** The database ends the connection: at a shutdown or a crash, for an administrator, or as it was idle too long. */
const ENDED = /^(?:57P0[1-5]|25P03)$/;

/** @returns true if no statement may follow on the connection */
export function endsConnection(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return code === READ_ONLY || ENDED.test(String(code)) || textOf(error).endsWith(NO_ANSWER);
}

/** @returns true if the program or the database refused before the commit; after a lost connection nothing is sure */
export function isSurelyUndone(error: unknown): boolean {
  if (isAborted(error)) {
    return true;
  }
  const translated = translateDatabaseFault(error);
  if (isServiceError(translated)) {
    return translated.code !== 'database.unavailable';
  }
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && !DOUBTFUL.test(code);
}

/**
 * @param error as translated here, or not
 * @returns true if the database may be there in a moment: it or its host is starting, or full, or cannot be reached
 */
export function isPassing(error: unknown): boolean {
  if (error instanceof ServiceError && error.cause !== undefined) {
    return isPassing(error.cause);
  }
  if (error instanceof DatabaseUnavailable) {
    return true;
  }
  const code = codeOf(error);
  const text = textOf(error);
  if (code === POOLER) {
    return POOLER_PASSING.test(text);
  }
  return reasonOf(error) !== undefined && !LASTING.test(code) && !LASTING_TEXT.test(text);
}

/**
 * Describes for operators at the start why the database cannot be used, with its address but never the password.
 * @param url the value of DATABASE_URL
 */
export function describeDatabaseFault(error: unknown, url: string): string {
  const cause = error instanceof ServiceError ? (error.cause ?? error) : error;
  return `the database ${describeDatabaseAddress(url)} is not available: ${reasonForOperators(cause)}`;
}

function reasonForOperators(cause: unknown): string {
  const text = textOf(cause);
  if (text.startsWith(REFUSED_SETTING)) {
    return `PgBouncer refuses the connection (${text}): set ignore_startup_parameters = options, statement_timeout, lock_timeout`;
  }
  // What PgBouncer says is more than its SQLSTATE does.
  return codeOf(cause) === POOLER ? text : (reasonOf(cause) ?? text);
}

/** @returns the address of a postgres:// URL for people: no user, no password, no parameter but the host */
export function describeDatabaseAddress(url: string): string {
  try {
    // The form without a host is common with sockets, but `new URL` refuses it.
    const { hostname, port, pathname, searchParams } = new URL(url.replace('@/', '@localhost/'));
    const host = searchParams.get('host') ?? decodeURIComponent(hostname);
    const number = searchParams.get('port') ?? (port === '' ? '5432' : port);
    return `'${decodeURIComponent(pathname.slice(1))}' on ${host === '' ? 'localhost' : host}, port ${number}`;
  } catch {
    return 'at the given URL (which is none of the form postgres://user:password@host:port/database)';
  }
}

function reasonOf(error: unknown): string | undefined {
  if (isServiceError(error)) {
    return error.code === 'configuration.invalid' ? 'it does not answer as it should' : undefined;
  }
  if (isAborted(error)) {
    return 'others are at the same rows';
  }
  const code = (error as { code?: unknown } | null)?.code;
  const known = typeof code === 'string' ? REASONS.find(([pattern]) => pattern.test(code)) : undefined;
  // A code that is not listed stands for a fault of the statement, whatever its text says.
  const table = typeof code === 'string' && known === undefined ? [] : UNCODED;
  return (known ?? table.find(([pattern]) => pattern.test(textOf(error))))?.[1];
}

function codeOf(error: unknown): string {
  return String((error as { code?: unknown } | null)?.code);
}

function textOf(error: unknown): string {
  const errors = error instanceof AggregateError ? (error.errors as unknown[]) : [error];
  return errors.map((one) => (one instanceof Error ? one.message : String(one))).join('; ');
}

/** The failure 'database.unavailable' with a reason for clients, which names neither host nor user. */
export class DatabaseUnavailable extends ServiceError<'database.unavailable'> {
  /** The end of the message. */
  readonly reason: string;

  constructor(reason: string, context: { readonly detail?: string; readonly cause?: unknown } = {}) {
    super('database.unavailable', `the database is not available: ${reason}`, context);
    this.reason = reason;
  }
}

/** @returns the fault of a standby, or of a former primary that was made read-only */
export function takesNoWrites(): DatabaseUnavailable {
  const reason = 'the server accepts no writes';
  return new DatabaseUnavailable(reason, { detail: `${reason}: a standby, or read-only` });
}
