import type { NextFunction, Request } from 'express';
import type { Configuration } from '../configuration/configuration.ts';
import type { RefusalNotes } from '../audit/refusal-trail.ts';
import { ERROR_RESTRICTION } from '../configuration/settings.ts';
import { Reported } from '../kernel/bounded-work.ts';
import type { Clock } from '../kernel/clock.ts';
import { type AnyServiceError, type ErrorCode, ServiceError, isServiceError } from '../kernel/errors.ts';
import { type Log, describeFault } from '../kernel/log.ts';
import { splitList } from '../kernel/text.ts';
import { DigestRefusal } from './authentication/credentials.ts';
import type { Dialect } from './dialects/dialect.ts';
import { isOfAccountPage } from './endpoint-spec.ts';
import type { Exchange, ExchangeResponse } from './request/exchange.ts';
import { failureForm, SIGN_IN_CHALLENGE, type FailureForm } from './failures.ts';
import { ANSWER_PARAMETERS, readQuery, type RequestValues } from './request/parameters.ts';
import { noteRefused, refusedBy } from './refused-requests.ts';
import { send, textReply } from './reply.ts';

interface FailureContext {
  readonly dialect: Dialect['failures'];
  readonly configuration: { current(): Promise<Configuration> };
  readonly log: Log;
  readonly refusals: RefusalNotes;
  readonly clock: Clock;
  /** True for requests of our own pages. */
  readonly isForPages?: boolean;
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
  const noteKeptReason = keptReasons({ log, clock });
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
    noteKeptReason(error, exchange);
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
    const reply =
      context.failureText === undefined
        ? dialect.failure(
            { error, form, status, requestedStatus: requestedStatus(legacyCode, requested) },
            context,
          )
        : textReply(context.failureText, status);
    send(response, {
      ...reply,
      headers: {
        ...form.headers,
        ...retryAfter(error),
        ...reply.headers,
        ...((isForPages || isForAccountPage(exchange, error)) && pageHeaders(error)),
      },
    });
  };
}

/** True for a failure that the account page gets. What no policy offers is answered as any path that is not there. */
function isForAccountPage({ context }: Exchange, { code }: AnyServiceError): boolean {
  return isOfAccountPage(context.path) && code !== 'path.unknown';
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

/** The messages of open endpoints for an internal failure. Its reason is logged only. */
const TEXTS: Readonly<Partial<Record<ErrorCode, string>>> = {
  'resolver.unavailable': 'The resolver is unavailable',
  'key.unavailable': 'The key is unavailable',
  'secret.unreadable': 'The key is unavailable',
  'security-module.unavailable': 'The security module is unavailable',
};

/** A failure without its reason, as any client may see it. */
class UnexplainedError extends ServiceError {
  /** The message of the original error, for the log. */
  readonly reason: string;

  constructor(error: ServiceError, message: string) {
    super(error.code, message, {
      cause: error,
      ...(error.retryAfter !== undefined && { retryAfter: error.retryAfter }),
    });
    this.reason = error.message;
  }
}

/** @returns the error as an open endpoint may answer it: without the reason why a resolver, a file or a key failed */
export function withoutReason(error: unknown): unknown {
  const text = isServiceError(error) ? TEXTS[error.code] : undefined;
  return text !== undefined && isServiceError(error) ? new UnexplainedError(error, text) : error;
}

/**
 * @returns a function for every error that is answered, which logs, once a minute, the reasons that open endpoints
 *   withhold, and what an operator can mend at a client
 */
function keptReasons({ log, clock }: Pick<FailureContext, 'log' | 'clock'>) {
  const reported = new Reported({ clock });
  return (error: ServiceError, { requestId, context: { path }, client }: Exchange): void => {
    if (error instanceof DigestRefusal && reported.isNew(`digest ${client}`)) {
      log.warn(
        'A client was refused: it uses HTTP Digest, which is not offered here. Set it to Basic (linotpadm --authtype=Basic)',
        { requestId, path, client },
      );
    }
    if (error instanceof UnexplainedError && reported.isNew(error.reason)) {
      const { fault, faultDetail } = describeFault(error.cause);
      log.warn(`A request failed, and the client was not told why: ${error.reason}`, {
        requestId,
        path,
        fault,
        faultDetail,
      });
    }
  };
}

/** @returns the error; in place of an unexpected fault one without its details */
export function toServiceError(error: unknown): AnyServiceError {
  if (isServiceError(error)) {
    return error;
  }
  return hasNoDescriptor(error)
    ? new ServiceError('server.busy', 'The server has no file descriptor left', { cause: error })
    : new ServiceError('internal', 'Internal server error', { cause: error });
}

/** @returns true if the process, or the system, may open no further file or connection: that passes */
function hasNoDescriptor(error: unknown): boolean {
  const { code, cause } = (error ?? {}) as { readonly code?: unknown; readonly cause?: unknown };
  return code === 'EMFILE' || code === 'ENFILE' || (cause !== undefined && hasNoDescriptor(cause));
}

/** The request for an HTTP status by `httperror`; it applies to errors that would come with 200. */
interface RequestedStatus {
  /** The value of the parameter; undefined: not given. */
  readonly httpError: string | undefined;
  /** The configuration value `errors`: a comma list of the codes to which `httperror` applies; empty: all. */
  readonly restrictedTo: string;
}

/**
 * @returns the HTTP status requested for an error of that code; 500 for any value but 400 to 599; undefined: none is
 *   requested, or not for this code
 */
function requestedStatus(legacyCode: number, requested: RequestedStatus): number | undefined {
  if (requested.httpError === undefined) {
    return undefined;
  }
  const codes = splitList(requested.restrictedTo);
  if (codes.length > 0 && !codes.includes(String(legacyCode))) {
    return undefined;
  }
  const code = requested.httpError.trim();
  return /^[45]\d\d$/.test(code) ? Number(code) : 500;
}

/** @returns the HTTP status of a failure: its own, or in place of 200 the requested one */
function failureStatus({ status, legacyCode }: FailureForm, requested: RequestedStatus): number {
  return status === 200 ? (requestedStatus(legacyCode, requested) ?? status) : status;
}
