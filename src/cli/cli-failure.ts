import { type ErrorCode, isServiceError } from '../kernel/errors.ts';
import { safeLines } from '../kernel/text.ts';
import { unavailableResolvers } from '../resolvers/user-source.ts';

/** The exit status of a command; shells expect 130 after Ctrl-C. */
export const EXIT_CODES = { success: 0, failure: 1, usage: 2, interrupted: 130 } as const;

/** A failure that the user of the command line can correct. Only the message is printed. */
export class CliFailure extends Error {
  override readonly name = 'CliFailure';
  readonly exitCode: number;

  constructor(message: string, exitCode: number = EXIT_CODES.failure) {
    super(message);
    this.exitCode = exitCode;
  }
}

/**
 * @param options.debug adds the stack of the error and of its causes
 * @returns the message for the user of the command line, safe for a terminal
 */
export function describeFailure(error: unknown, { debug }: { debug: boolean }): string {
  return safeLines(debug ? `${briefText(error)}\n${traceText(error)}` : briefText(error));
}

function briefText(error: unknown): string {
  if (isServiceError(error)) {
    return error.detail === undefined ? error.message : `${error.message} (${error.detail})`;
  }
  if (error instanceof CliFailure) {
    return error.message;
  }
  const message = error instanceof Error ? error.message : String(error);
  return `unexpected failure: ${message} (LOG_LEVEL=debug tells more)`;
}

function traceText(error: unknown): string {
  if (!(error instanceof Error)) {
    return '';
  }
  const cause = error.cause === undefined ? '' : `\ncaused by ${traceText(error.cause)}`;
  return (error.stack ?? error.message) + cause;
}

/** @returns the reason of a failed `fetch`, whose error names it in its cause */
export function fetchFaultReason(error: unknown): string {
  if (!(error instanceof Error)) {
    return 'unknown reason';
  }
  return error.cause instanceof Error ? error.cause.message : error.message;
}

/** What a command says after the message of a service: the command that goes on. */
const ADVICE: Partial<Record<ErrorCode, string>> = {
  'user.unknown': '; `tankeeper user list --realm NAME` shows those of a realm',
  'resolver.in-use':
    ': `tankeeper realm set` takes it out of a realm, `tankeeper token unassign` a token from its users',
  'token.unknown': '; `tankeeper token list` shows those that there are',
  'realm.unknown': '; `tankeeper realm list` shows those that there are',
  'resolver.unknown': '; `tankeeper resolver list` shows those that there are',
  'policy.unknown': '; `tankeeper policy list` shows those that there are',
  'administrator.unknown': '; `tankeeper admin list` shows those that there are',
};

/** @returns the failure to report: that of a service names the command that goes on */
export function withListCommand(error: unknown): unknown {
  if (!isServiceError(error)) {
    return error;
  }
  const advice = ADVICE[error.code];
  return advice === undefined ? error : new CliFailure(error.message + advice);
}

/**
 * Adds the server to the failure of a resolver; the operator may see it.
 * @returns the failure to report
 */
export function withServer(error: unknown): unknown {
  const failed =
    isServiceError(error, 'resolver.unavailable') || isServiceError(error, 'resolver.invalid')
      ? unavailableResolvers(error)
      : [];
  return failed.length === 0
    ? error
    : new CliFailure([...new Set(failed.map((failure) => failure.describe()))].join('; '));
}
