import type { Asked } from '../exchange.ts';
import type { Reply } from '../reply.ts';
import type { Failure } from './dialect.ts';
import { linotpReply, linotpValue } from './linotp-envelope.ts';
import { errorPage, notFoundPage, unauthorizedPage } from './linotp-pages.ts';
import { linotpWording } from './linotp-wording.ts';

/** Endpoints that answer what went wrong as if it were the outcome, whatever status the client wishes for. */
const STATUS_PATHS: readonly string[] = ['/ocra/checkstatus', '/ocra'];
const TEXT_PATHS: readonly string[] = ['/ocra/check_t', ...STATUS_PATHS];
/** Endpoints whose operations fail with the id 0. */
const ID_0_PATHS: readonly string[] = ['/ocra/calculateOtp', '/ocra/getActivationCode'];

/** @returns the answer of LinOTP 2.12.6 to a request that failed */
export function linotpFailure(version: string, failure: Failure, asked: Asked): Reply {
  const { error, form, status } = failure;
  const path = asked.path ?? '';
  if (form.status === 401) {
    return unauthorizedPage();
  }
  if (form.status === 404) {
    return notFoundPage();
  }
  const { code, message } = linotpWording(error, form, asked);
  if (form.status === 200 && TEXT_PATHS.includes(path) && error.code !== 'right.missing') {
    return textReply(version, message, failure, asked);
  }
  if (failure.statusWished) {
    return errorPage(status, version, code, message);
  }
  const isOperationFailure = ID_0_PATHS.includes(path) && error.code !== 'right.missing';
  return linotpReply(version, {
    result: { status: false, error: { message, code } },
    id: isOperationFailure ? 0 : 1,
    status,
  });
}

/** An empty transaction id finds nothing, where a missing one is missed. */
function textReply(version: string, message: string, { error }: Failure, { path, given }: Asked): Reply {
  const findsNothing =
    error.code === 'parameter.missing' && STATUS_PATHS.includes(path ?? '') && given.has('transactionid');
  return findsNothing
    ? linotpValue(version, { values: [] })
    : linotpReply(version, { result: { status: true, value: message }, id: 0 });
}
