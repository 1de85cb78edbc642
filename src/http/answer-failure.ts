import type { NextFunction, Request } from 'express';
import type { Configuration } from '../configuration/configuration.ts';
import type { RefusalNotes } from '../audit/refusal-trail.ts';
import { ERROR_RESTRICTION } from '../configuration/setting.ts';
import type { Clock } from '../kernel/clock.ts';
import { type AnyServiceError, ServiceError } from '../kernel/errors.ts';
import { describeFault, type Log } from '../kernel/log.ts';
import type { FailureDialect } from './dialects/dialect.ts';
import type { ExchangeHandler, ExchangeResponse } from './request/exchange.ts';
import {
  failureForm,
  failureStatus,
  SIGN_IN_CHALLENGE,
  toServiceError,
  requestedStatus,
} from './failures.ts';
import { KeptReasons } from './kept-reasons.ts';
import type { Guards } from './limits/guards.ts';
import { readQuery, type RequestValues } from './request/parameters.ts';
import { noteRefused, refusedBy } from './refused-requests.ts';
import { send } from './reply.ts';

/** The parameters that every endpoint takes and that change an answer. */
const ANSWER_PARAMETERS: readonly string[] = ['id', 'httperror'];

export interface FailureContext {
  readonly dialect: FailureDialect;
  readonly configuration: { current(): Promise<Configuration> };
  readonly log: Log;
  readonly refusals?: RefusalNotes | undefined;
  readonly clock: Clock;
  /** True for requests of our own pages. */
  readonly isForPages?: boolean;
}

const nothingThere = (cause?: unknown): ServiceError =>
  new ServiceError('path.unknown', 'There is nothing at this path', { cause });

/** @returns a handler that fails every request whose path is not percent-encoded UTF-8; no route matches such a path */
export function refuseBrokenPath({ requests }: Pick<Guards, 'requests'>): ExchangeHandler {
  const refuse = async (limitedAs: string, cause: unknown): Promise<never> => {
    await requests.admit(limitedAs);
    throw nothingThere(cause);
  };
  return (request, response, next) => {
    try {
      decodeURIComponent(request.path);
    } catch (cause) {
      return refuse(response.locals.exchange.limitedAs, cause);
    }
    next();
    return undefined;
  };
}

/** @returns a handler that fails every request that no endpoint took */
export function refuseUnknownPath({ requests }: Pick<Guards, 'requests'>): ExchangeHandler {
  return async (_request, response) => {
    await requests.admit(response.locals.exchange.limitedAs);
    throw nothingThere();
  };
}

/** @returns the handler that turns the error of a request into its answer */
export function answerFailure({
  dialect,
  configuration,
  log,
  refusals,
  clock,
  isForPages = false,
}: FailureContext) {
  const keptReasons = new KeptReasons({ log, clock });
  return async (
    thrown: unknown,
    request: Request,
    response: ExchangeResponse,
    // eslint-disable-next-line @typescript-eslint/no-unused-vars -- express knows an error handler by its four parameters
    _next: NextFunction,
  ): Promise<void> => {
    const { exchange } = response.locals;
    const error = toServiceError(thrown);
    const form = failureForm(error.code);
    exchange.failed = error.code;
    keptReasons.note(error, exchange);
    await noteRefused(refusals, exchange, refusedBy(error));
    if (form.status >= 500 ? !isReportedOnce(error) : error.code === 'security-module.unavailable') {
      log.error('request failed', {
        requestId: exchange.requestId,
        path: exchange.context.path,
        ...describeFault(thrown),
      });
    }
    if (response.headersSent) {
      response.destroy();
      return;
    }
    if (exchange.context.parameters.size === 0) {
      // The answer repeats the id of the request even where its parameters could not be read.
      exchange.context = { ...exchange.context, parameters: answerParameters(request) };
    }
    const httpError = exchange.context.parameters.get('httperror');
    const restrictedTo = httpError === undefined ? '' : await readRestriction(configuration);
    const { context } = exchange;
    const legacyCode = dialect.errorCode({ error, form }, context);
    const requested = { httpError, restrictedTo };
    const status = failureStatus({ ...form, legacyCode }, requested);
    const reply = dialect.failure(
      { error, form, status, requestedStatus: requestedStatus(legacyCode, requested) },
      context,
    );
    send(response, {
      ...reply,
      headers: {
        ...form.headers,
        ...retryAfter(error),
        ...reply.headers,
        ...(isForPages && pageHeaders(error)),
      },
    });
  };
}

/**
 * Headers for our own pages: the code of the failure, with the refused credentials where it has them, for words in other
 * languages; and no scheme at which browsers would ask for a password by themselves.
 */
function pageHeaders({ code, payload }: AnyServiceError): Readonly<Record<string, string>> {
  const credentials = 'credentials' in payload ? payload.credentials : undefined;
  return {
    'Tankeeper-Failure': credentials === undefined ? code : `${code}/${credentials.replaceAll(' ', '-')}`,
    ...(code === 'authentication.required' && { 'WWW-Authenticate': SIGN_IN_CHALLENGE }),
  };
}

/** True for an overload or a lost database: the part that noticed it has logged it once, not once a request. */
function isReportedOnce({ code, detail }: ServiceError): boolean {
  return code === 'server.busy' || (code === 'database.unavailable' && detail === undefined);
}

/** @returns the parameters of the query string that change an answer */
function answerParameters(request: Request): RequestValues {
  return new Map([...readQuery(request)].filter(([name]) => ANSWER_PARAMETERS.includes(name)));
}

function retryAfter({ retryAfter: seconds }: ServiceError): Readonly<Record<string, string>> {
  return seconds === undefined ? {} : { 'Retry-After': String(seconds) };
}

/** Reads the value of `errors`. Without the configuration the error is answered all the same. */
async function readRestriction(configuration: { current(): Promise<Configuration> }): Promise<string> {
  try {
    return (await configuration.current()).settings.get(ERROR_RESTRICTION) ?? '';
  } catch {
    return '';
  }
}
