/** The payload of a failure that its code describes alone. */
// eslint-disable-next-line @typescript-eslint/no-generated-empty-object-type -- a payload without members is the very meaning
export type NoPayload = Readonly<Record<never, never>>;

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
  'server.busy': NoPayload;
  'duration.invalid': NoPayload;
  'database.unavailable': NoPayload;
  internal: NoPayload;
}

export type ErrorCode = keyof ErrorPayloads;

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
