import { STATUS_CODES } from 'node:http';
import type { AnyServiceError } from '../../../kernel/errors.ts';
import type { RequestContext } from '../../request/exchange.ts';
import type { Reply } from '../../reply.ts';
import type { Failure, FailureDialect } from '../dialect.ts';
import { errorPage } from '../shared/error-page.ts';
import { failureSentence } from '../shared/failure-text.ts';
import { monitoringReply } from './linotp-monitoring-envelope.ts';

const NOT_FOUND =
  'The requested URL was not found on the server. If you entered the URL manually please check your spelling and try again.';
/** The pages of LinOTP 3.4.4's web framework. They contain nothing of the request. */
const PAGES: Readonly<Record<number, string>> = {
  400: 'The browser (or proxy) sent a request that this server could not understand.',
  404: NOT_FOUND,
  405: 'The method is not allowed for the requested URL.',
};

/** Statuses of errors that come as the page of the requested status; 401 keeps its own status on the wire. */
const PAGED: readonly number[] = [200, 401];

/** @returns the answers of LinOTP 3.4.4 to failed requests */
export function monitoringFailures(version: string): FailureDialect {
  return {
    errorCode: ({ form }) => form.legacyCode,
    failure: (failure, context) => failureReply(version, failure, context),
  };
}

function failureReply(version: string, failure: Failure, context: RequestContext): Reply {
  const { error, form, status, requestedStatus: requestedByClient } = failure;
  const page = PAGES[form.status];
  // A 400 comes as JSON unless the body is not JSON at all.
  if (page !== undefined && (form.status !== 400 || isNoJson(error))) {
    return frameworkPage(form.status, page);
  }
  const message = `${form.prefix}${failureSentence(error, context.language)}`;
  return requestedByClient !== undefined && PAGED.includes(form.status)
    ? { ...errorPage(requestedByClient, version, form.legacyCode, message), status }
    : monitoringReply(version, { status: false, error: { code: form.legacyCode, message } }, { status });
}

function isNoJson(error: AnyServiceError): boolean {
  return error.code === 'request.malformed' && error.payload.syntax === 'json';
}

function frameworkPage(status: number, text: string): Reply {
  const title = STATUS_CODES[status] ?? '';
  const body = `<!doctype html>
<html lang=en>
<title>${status} ${title}</title>
<h1>${title}</h1>
<p>${text}</p>
`;
  return { status, contentType: 'text/html; charset=utf-8', body };
}
