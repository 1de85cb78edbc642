/** The payload of a failure that its code describes alone. */
// eslint-disable-next-line @typescript-eslint/no-generated-empty-object-type -- a payload without members is the very meaning
type NoPayload = Readonly<Record<never, never>>;

/**
 * Every way in which a request can fail for a reason that the caller may know, each with what programs read of it. A
 * closed union: `http/failures.ts` is the only table that translates the codes into legacy codes and HTTP statuses, and
 * must name each of them. Like the message, a payload may reach the client, so it holds no secret.
 */
export interface ErrorPayloads {
  /** The parameters, any one of which would do. None where any setting would. */
  'parameter.missing': { readonly parameters: readonly string[] };
  /** The parameter, what is wrong with its hexadecimal digits, the other one that it cannot be given with. */
  'parameter.invalid': {
    readonly parameter?: string;
    readonly fault?: 'length' | 'alphabet';
    readonly conflictsWith?: string;
  };
  /** `json`: the body cannot be read at all, as it is not JSON. */
  'request.malformed': { readonly syntax?: 'json' };
  'request.too-large': NoPayload;
  'request.media-type': NoPayload;
  'path.unknown': NoPayload;
  'method.not-allowed': NoPayload;
  /** The credentials that were refused, and the account that they were for. Neither where none were given. */
  'authentication.required': { readonly credentials?: RefusedCredentials; readonly account?: string };
  /** The policy action that would give the right; or the realms asked for, none of which may be seen. */
  'right.missing': {
    readonly policy?: { readonly scope: string; readonly action: string };
    readonly realms?: readonly string[];
  };
  'cross-site.refused': NoPayload;
  /** The name of the limit. */
  'too-many-requests': { readonly limit: string };
  'server.busy': NoPayload;
  /** The user as the client named them, and the part of it that is the login, without what may be a realm. */
  'user.unknown': { readonly user: string; readonly login: string };
  'user.exists': NoPayload;
  'realm.unknown': NoPayload;
  'resolver.unknown': NoPayload;
  'resolver.invalid': NoPayload;
  'resolver.in-use': NoPayload;
  'resolver.unavailable': NoPayload;
  /** The login of the user who has no such token; absent where the token was named by its serial. */
  'token.unknown': { readonly login?: string };
  'token.exists': NoPayload;
  /** The login of the user who has several such tokens, and their serials. */
  'token.ambiguous': { readonly login: string; readonly serials: readonly string[] };
  'token.not-ocra': NoPayload;
  'token.not-ready': NoPayload;
  'token.state': NoPayload;
  'token-status.unknown': { readonly status: string };
  'key-file.invalid': NoPayload;
  'key-file.secret': NoPayload;
  'challenge.too-long': NoPayload;
  /** The values of `qrtanurl`, and the realms of the token whose policies give them. */
  'challenge.url-ambiguous': { readonly urls: readonly string[]; readonly realms: readonly string[] };
  'policy.unknown': NoPayload;
  'policy.invalid': NoPayload;
  'administrator.unknown': NoPayload;
  'administrator.exists': NoPayload;
  'administrator.invalid': NoPayload;
  'configuration.invalid': NoPayload;
  'licence.invalid': NoPayload;
  'licence.unknown': NoPayload;
  /** The part that is wrong, its text, and the text that it is a part of where that tells more. At most 61 characters each. */
  'suite.invalid': { readonly part: SuitePart; readonly text: string; readonly whole?: string };
  /** What is wrong with the question: its length, or that it does not keep to the format of the suite. */
  'data-input.invalid': { readonly question?: 'length' | 'A' | 'N' | 'H' };
  'activation-code.invalid': { readonly fault: ActivationCodeFault };
  /** The name of the URL's parameter that is missing. */
  'qrtan-url.invalid': { readonly missing?: string };
  'duration.invalid': NoPayload;
  'key.unavailable': NoPayload;
  'key.refused': NoPayload;
  'secret.unreadable': NoPayload;
  'security-module.unavailable': NoPayload;
  'database.unavailable': NoPayload;
  'audit.unverifiable': NoPayload;
  'data-folder.in-use': NoPayload;
  'installation.missing': NoPayload;
  'address.unavailable': NoPayload;
  internal: NoPayload;
}

export type ErrorCode = keyof ErrorPayloads;

export type RefusedCredentials = 'password' | 'session' | 'login' | 'csrf token' | 'api token';

/** The parts of an OCRA suite (RFC 6287 §6); `shape`: the three of them, `duplicate`: one that is given twice. */
export type SuitePart =
  | 'shape'
  | 'algorithm'
  | 'crypto function'
  | 'hash'
  | 'truncation'
  | 'data input'
  | 'question'
  | 'PIN'
  | 'session'
  | 'time step'
  | 'duplicate';

/** What is wrong with an activation code: how many characters it has, one of them, or their sum. */
export type ActivationCodeFault = 'padding' | 'alphabet' | 'checksum';

/** What a `ServiceError` may carry besides its code and payload. */
interface ErrorContext {
  /** For the log only, never for the client. Must not hold secrets either. */
  readonly detail?: string;
  /** Seconds after which it may go better, where that is known. */
  readonly retryAfter?: number;
  readonly cause?: unknown;
}

/** Those of the codes whose payload has members that must be given. */
type PayloadCode<Code extends ErrorCode> = Code extends ErrorCode
  ? NoPayload extends ErrorPayloads[Code]
    ? never
    : Code
  : never;

type ErrorArguments<Code extends ErrorCode> = [PayloadCode<Code>] extends [never]
  ? [facts?: ErrorPayloads[Code] & ErrorContext]
  : [facts: ErrorPayloads[Code] & ErrorContext];

/**
 * A failure of the domain. The `message` is plain English for people and may reach the client, so it names no path, no
 * SQL and nobody else's data; the `detail` and `cause` reach only the log.
 */
export class ServiceError<Code extends ErrorCode = ErrorCode> extends Error {
  override readonly name = 'ServiceError';
  readonly code: Code;
  readonly payload: ErrorPayloads[Code];
  readonly detail: string | undefined;
  readonly retryAfter: number | undefined;

  /** @param facts the payload of the code, and with it `detail`, `retryAfter` and `cause` */
  constructor(code: Code, message: string, ...[facts]: ErrorArguments<Code>) {
    const { detail, retryAfter, cause, ...payload }: ErrorContext = facts ?? {};
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.payload = payload as ErrorPayloads[Code];
    this.detail = detail;
    this.retryAfter = retryAfter;
  }
}

/** A `ServiceError` whose payload is known once its code is. */
export type AnyServiceError = { [Code in ErrorCode]: ServiceError<Code> }[ErrorCode];

/** @returns whether `error` is a `ServiceError`, of the given code where one is named */
export function isServiceError(error: unknown): error is AnyServiceError;
export function isServiceError<Code extends ErrorCode>(
  error: unknown,
  code: Code,
): error is ServiceError<Code>;
export function isServiceError(error: unknown, code?: ErrorCode): boolean {
  return error instanceof ServiceError && (code === undefined || error.code === code);
}
