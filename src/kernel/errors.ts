/** The payload of a failure that its code describes alone. */
// eslint-disable-next-line @typescript-eslint/no-generated-empty-object-type -- a payload without members is the very meaning
export type NoPayload = Readonly<Record<never, never>>;

/** A name that does not exist, as the caller wrote it; absent where the message has no single one. */
interface UnknownName {
  readonly name?: string;
}

/**
 * Every failure of a request whose reason the caller may know, each with its payload for programs. A closed union: a
 * concept declares its own codes beside its values (`declare module`), and `http/failures.ts`, the only table that
 * translates them into legacy codes and HTTP statuses, must name each. Like the message, a payload may reach the client,
 * so it holds no secret.
 */
export interface ErrorPayloads {
  /** The parameters, of which one is required. None if any setting is accepted. */
  'parameter.missing': { readonly parameters: readonly string[] };
  /** The parameter, the fault of its hexadecimal digits, the other parameter that excludes it. */
  'parameter.invalid': {
    readonly parameter?: string;
    readonly fault?: 'length' | 'alphabet';
    readonly conflictsWith?: string;
  };
  /** `json`: the body is not JSON. */
  'request.malformed': { readonly syntax?: 'json' };
  'request.too-large': NoPayload;
  'request.media-type': NoPayload;
  'path.unknown': NoPayload;
  'method.not-allowed': NoPayload;
  /** The refused credentials, and their account. Both absent if no credentials were given. */
  'authentication.required': { readonly credentials?: RefusedCredentials; readonly account?: string };
  /** A right password of that account, which is not enough. */
  'second-factor.required': { readonly account: string };
  'second-factor.unusable': { readonly account: string };
  /** A proof of a sign-in was wrong. */
  'sign-in.refused': {
    readonly credentials: RefusedCredentials;
    readonly account?: string;
    /** Of single sign-on: no proof of the provider, no group that may sign in, no name that can be taken. */
    readonly reason?: 'provider' | 'groups' | 'name';
  };
  'sign-in.ended': NoPayload;
  'sign-in.unavailable': NoPayload;
  /** The person has not proven a moment ago to be the one who signed in. */
  'confirmation.required': NoPayload;
  /** A proof that the person gave anew was wrong. The login goes on. */
  'confirmation.refused': { readonly credentials: RefusedCredentials; readonly account: string };
  'passkey.unknown': NoPayload;
  'passkey.invalid': NoPayload;
  /**
   * The policy action that would give the right; or the right that the API token lacks, `scope:action`; or the
   * requested realms, of which none is visible.
   */
  'right.missing': {
    readonly policy?: { readonly scope: string; readonly action: string };
    readonly tokenRight?: string;
    readonly realms?: readonly string[];
  };
  'cross-site.refused': NoPayload;
  /** The name of the limit. */
  'too-many-requests': { readonly limit: string };
  'server.busy': NoPayload;
  /** The user as the client named them, and the login in it, without a possible realm. */
  'user.unknown': { readonly user: string; readonly login: string };
  'user.exists': NoPayload;
  /** The login, which is not exactly that of any of the users whom it finds. */
  'user.ambiguous': { readonly login: string };
  'realm.unknown': UnknownName;
  'realm.changed': NoPayload;
  'resolver.unknown': UnknownName;
  'resolver.invalid': NoPayload;
  'resolver.changed': NoPayload;
  'resolver.in-use': NoPayload;
  'resolver.unavailable': NoPayload;
  /** The login of the user who has no such token; absent if the token was named by its serial. */
  'token.unknown': { readonly login?: string };
  'token.exists': NoPayload;
  /** The login of the user who has several such tokens, and their serials. */
  'token.ambiguous': { readonly login: string; readonly serials: readonly string[] };
  'token.not-ocra': NoPayload;
  'token.not-ready': NoPayload;
  'token.state': NoPayload;
  'transaction.unknown': NoPayload;
  'token-status.unknown': { readonly status: string };
  'key-file.invalid': NoPayload;
  'key-file.secret': NoPayload;
  'import.refused': NoPayload;
  'challenge.too-long': NoPayload;
  /** Every question that could be shown with the text is that of another text. */
  'challenge.no-question': NoPayload;
  /** The values of `qrtanurl`, and the realms of the token whose policies give them. */
  'challenge.url-ambiguous': { readonly urls: readonly string[]; readonly realms: readonly string[] };
  'policy.unknown': UnknownName;
  'policy.invalid': NoPayload;
  'policy.changed': NoPayload;
  'administrator.unknown': UnknownName;
  'administrator.exists': NoPayload;
  'administrator.invalid': NoPayload;
  'configuration.invalid': NoPayload;
  'configuration.changed': NoPayload;
  'licence.invalid': NoPayload;
  'licence.unknown': NoPayload;
  /** The wrong part, its text, and the text around it if that tells more. At most 61 characters each. */
  'suite.invalid': { readonly part: SuitePart; readonly text: string; readonly whole?: string };
  /** The fault of the question: its length, or the format of the suite that it violates. */
  'data-input.invalid': { readonly question?: 'length' | 'A' | 'N' | 'H' };
  'activation-code.invalid': { readonly fault: ActivationCodeFault };
  /** The name of the missing parameter of the URL; the reason why an app refuses a code. */
  'qrtan-url.invalid': { readonly missing?: string; readonly fault?: QrTanFault };
  /** The reason why no app sends a response to the URL of a code. */
  'callback-url.refused': { readonly fault: CallbackFault };
  'token.counter-exhausted': NoPayload;
  'duration.invalid': NoPayload;
  'database.unavailable': NoPayload;
  'audit.unverifiable': NoPayload;
  'data-folder.in-use': NoPayload;
  'installation.missing': NoPayload;
  'address.unavailable': NoPayload;
  internal: NoPayload;
}

export type ErrorCode = keyof ErrorPayloads;

export type RefusedCredentials =
  'password' | 'session' | 'login' | 'csrf token' | 'api token' | 'second factor' | 'single sign-on';

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

/**
 * The reason why an app refuses a text: what it is instead of a QR-TAN code, what is wrong with the code, or with its
 * sender.
 */
export type QrTanFault =
  | 'empty'
  /** `otpauth:` and `otpauth-migration:`: codes of apps for one-time passwords (TOTP, HOTP). */
  | 'otpauth'
  | 'otpauth-migration'
  | 'web-link'
  | 'other-text'
  /** The end of the code is missing. */
  | 'torn'
  /** Its kind is none of init, nonce and req. */
  | 'unknown-kind'
  /** Longer than any QR code, a repeated parameter, a broken encoding. */
  | 'malformed'
  | 'serial-missing'
  /** The second code of a roll-out whose first code was never read. */
  | 'serial-unknown'
  | 'secret-length'
  | 'callback-missing'
  /** Signed with the key of another activation code, or by another server. */
  | 'activation-signature'
  /** Signed with the key of no token of the app. */
  | 'signature';

/** The scheme is none of http and https; http to another machine; no URL at all. */
export type CallbackFault = 'scheme' | 'insecure' | 'syntax';

/** The fault of an activation code: its length, one of its characters, or its checksum. */
export type ActivationCodeFault = 'padding' | 'alphabet' | 'checksum';

/** The optional context of a `ServiceError`, besides code and payload. */
interface ErrorContext {
  /** Text for the log only, never for the client. Must not hold secrets either. */
  readonly detail?: string;
  /** Seconds after which a retry may succeed, if known. */
  readonly retryAfter?: number;
  readonly cause?: unknown;
}

/** The codes whose payload has required members. */
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
 * SQL and no data of others; the `detail` and `cause` reach only the log.
 */
export class ServiceError<Code extends ErrorCode = ErrorCode> extends Error {
  override readonly name = 'ServiceError';
  readonly code: Code;
  readonly payload: ErrorPayloads[Code];
  readonly detail: string | undefined;
  readonly retryAfter: number | undefined;

  /** @param facts the payload of the code, with `detail`, `retryAfter` and `cause` */
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

/** @returns true if `error` is a `ServiceError`, of the given code if one is named */
export function isServiceError(error: unknown): error is AnyServiceError;
export function isServiceError<Code extends ErrorCode>(
  error: unknown,
  code: Code,
): error is ServiceError<Code>;
export function isServiceError(error: unknown, code?: ErrorCode): boolean {
  return error instanceof ServiceError && (code === undefined || error.code === code);
}
