import type { RequestContext } from '../request/exchange.ts';
import type { Reply } from '../reply.ts';
import type { Failure, FailureDialect } from './dialect.ts';
import { linotpReply, linotpValue } from './linotp2-replies.ts';
import { linotpWording } from './linotp2-wording.ts';
import { errorPage } from './failure-text.ts';

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
  const page = pageOf(failure);
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

/** @returns undefined also for a path that LinOTP has: the page would not name it */
function pageOf({ error, form }: Failure): (() => Reply) | undefined {
  return error.code === 'path.not-served' ? undefined : PAGES[form.status];
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

/** Statuses whose pages LinOTP 2.12.6 puts into the frame of its web framework. */
const FRAMED: readonly number[] = [400, 401, 403, 404, 500];

const UNAUTHORIZED = `401 Unauthorized

This server could not verify that you are authorized to access the document you requested. Either you supplied the wrong credentials (e.g., bad password), or your browser does not understand how to supply the credentials required.

 You have no valid session!  `;

const NOT_FOUND = `404 Not Found

The resource could not be found.

   `;

/** @returns the page for unauthenticated requests */
function unauthorizedPage(): Reply {
  return page(401, framed(401, UNAUTHORIZED));
}

/** @returns the page for unknown paths */
function notFoundPage(): Reply {
  return page(404, framed(404, NOT_FOUND));
}

/** @returns the page for an error with a status that the client requested */
function framedErrorPage(status: number, version: string, code: number, message: string): Reply {
  const reply = errorPage(status, version, code, message);
  return FRAMED.includes(status) ? page(status, framed(status, reply.body)) : reply;
}

function page(status: number, body: string): Reply {
  return { status, contentType: 'text/html; charset=utf-8', body };
}

function framed(status: number, content: string): string {
  return `<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd">
<html xmlns="http://www.w3.org/1999/xhtml" xml:lang="en" lang="en">
<head>
 <title>Server Error ${status}</title>
<!-- CSS Imports -->
<link rel="stylesheet" href="/error/style/black.css" type="text/css" media="screen" />

<!-- Favorite Icons -->
<link rel="icon" href="/error/img/favicon.ico" type="image/png" />

<style type="text/css">
        .red {
            color:#FF0000;
        }
        .bold {
            font-weight: bold;
        }
</style>
</head>

<body>
    <div id="container">
        ${content}
    </div>
</body>
</html>
`;
}
