/**
 * Every way in which a request can fail for a reason that the caller may know. A closed union: `http/failures.ts`
 * is the only table that translates these into legacy codes and HTTP statuses, and it must name each of them.
 */
export type ErrorCode =
  | 'parameter.missing'
  | 'parameter.invalid'
  | 'request.malformed'
  | 'request.too-large'
  | 'request.media-type'
  | 'path.unknown'
  | 'method.not-allowed'
  | 'authentication.required'
  | 'right.missing'
  | 'cross-site.refused'
  | 'too-many-requests'
  | 'server.busy'
  | 'user.unknown'
  | 'user.exists'
  | 'realm.unknown'
  | 'realm.exists'
  | 'resolver.unknown'
  | 'resolver.invalid'
  | 'resolver.in-use'
  | 'resolver.unavailable'
  | 'token.unknown'
  | 'token.exists'
  | 'token.ambiguous'
  | 'token.not-ocra'
  | 'token.not-ready'
  | 'token.state'
  | 'key-file.invalid'
  | 'key-file.secret'
  | 'challenge.too-long'
  | 'challenge.url-ambiguous'
  | 'policy.unknown'
  | 'policy.invalid'
  | 'administrator.unknown'
  | 'administrator.exists'
  | 'administrator.invalid'
  | 'configuration.invalid'
  | 'licence.invalid'
  | 'licence.unknown'
  | 'suite.invalid'
  | 'data-input.invalid'
  | 'activation-code.invalid'
  | 'qrtan-url.invalid'
  | 'duration.invalid'
  | 'key.unavailable'
  | 'key.refused'
  | 'secret.unreadable'
  | 'security-module.unavailable'
  | 'database.unavailable'
  | 'audit.unverifiable'
  | 'data-folder.in-use'
  | 'installation.missing'
  | 'address.unavailable'
  | 'internal';

/** Optional contents of a `ServiceError` besides its code. */
export interface ServiceErrorOptions {
  /** Particulars for the log only, never for the client. Must not hold secrets either. */
  readonly detail?: string;
  /** The objects of the error, for programs: parameters, parts, serials. Like the message it may reach the client. */
  readonly about?: readonly string[];
  /** Seconds until another attempt may succeed, where that is known. */
  readonly retryAfter?: number;
  readonly cause?: unknown;
}

/**
 * A failure of the domain. The `message` may reach the client, so it names no path, no SQL and no data of others; the
 * `detail` and `cause` reach only the log.
 */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly code: ErrorCode;
  readonly detail: string | undefined;
  readonly about: readonly string[];
  readonly retryAfter: number | undefined;

  constructor(code: ErrorCode, message: string, options: ServiceErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.detail = options.detail;
    this.about = options.about ?? [];
    this.retryAfter = options.retryAfter;
  }
}

/** @returns true if `error` is a `ServiceError`, of the given code where one is named */
export function isServiceError(error: unknown, code?: ErrorCode): error is ServiceError {
  return error instanceof ServiceError && (code === undefined || error.code === code);
}
