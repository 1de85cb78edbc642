import { isServiceError } from '../kernel/errors.ts';
import { CliFailure } from './cli-failure.ts';
import { safeLines } from '../kernel/terminal-text.ts';

/**
 * @param options.debug whether an unexpected error shows where it came from
 * @returns what to tell the person at the command line
 */
export function failureText(error: unknown, { debug }: { debug: boolean }): string {
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
