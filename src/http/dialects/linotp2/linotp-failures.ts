import type { RequestContext } from '../../request/exchange.ts';
import type { Reply } from '../../reply.ts';
import type { Failure, FailureDialect } from '../dialect.ts';
import { linotpReply, linotpValue } from './linotp-envelope.ts';
import { framedErrorPage, notFoundPage, unauthorizedPage } from './linotp-pages.ts';
import { linotpWording } from './linotp-wording.ts';

/** Endpoints that answer a failure as a result, for any `httperror`. */
const STATUS_PATHS: readonly string[] = ['/ocra/checkstatus', '/ocra'];
const TEXT_PATHS: readonly string[] = ['/ocra/check_t', ...STATUS_PATHS];
/** Endpoints whose operations fail with the id 0. */
const ID_0_PATHS: readonly string[] = ['/ocra/calculateOtp', '/ocra/getActivationCode'];
/** Statuses that have a page of their own, for any `httperror`. */
const PAGES: Readonly<Record<number, () => Reply>> = { 401: unauthorizedPage, 404: notFoundPage };

/** @returns the answers of LinOTP 2.12.6 to failed requests */
export function linotpFailures(version: string): FailureDialect {
  return {
    errorCode: ({ error, form }, context) => linotpWording(error, form, context).code,
    failure: (failure, context) => failureReply(version, failure, context),
  };
}

function failureReply(version: string, failure: Failure, context: RequestContext): Reply {
  const { error, form, status } = failure;
  const path = context.path ?? '';
  const page = PAGES[form.status];
  if (page !== undefined) {
    return page();
  }
  const { code, message } = linotpWording(error, form, context);
  if (form.status === 200 && TEXT_PATHS.includes(path) && error.code !== 'right.missing') {
    return textReply(version, message, failure, context);
  }
  if (form.status === 200 && failure.requestedStatus !== undefined) {
    return framedErrorPage(status, version, code, message);
  }
  const isOperationFailure = ID_0_PATHS.includes(path) && error.code !== 'right.missing';
  return linotpReply(version, {
    result: { status: false, error: { message, code } },
    id: isOperationFailure ? 0 : 1,
    status,
  });
}

function textReply(version: string, message: string, { error }: Failure, context: RequestContext): Reply {
  return error.code === 'parameter.missing' && findsNothing(context)
    ? linotpValue(version, { values: [] })
    : linotpReply(version, { result: { status: true, value: message }, id: 0 });
}

/** True for an empty transaction id or a realm without a user, which find nothing; no id at all is an error. */
function findsNothing({ path, parameters }: RequestContext): boolean {
  const isNamed = parameters.has('transactionid') || (parameters.get('realm') ?? '').trim() !== '';
  return STATUS_PATHS.includes(path ?? '') && isNamed;
}
