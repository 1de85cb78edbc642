import { ServiceError } from '../../kernel/errors.ts';
import { refuseNavigation } from '../authentication/credentials.ts';
import type { Step } from './step.ts';

/**
 * Refuses a change that a page of another site made a browser send (https://www.w3.org/TR/fetch-metadata/), and the step
 * of a sign-in that is no request of a page. Clients without the headers pass.
 */
export const refuseForeign: Step = ({ endpoint, request }, next) => {
  if (!endpoint.changesState || endpoint.fromAnySite === true) {
    return next();
  }
  const site = request.headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') {
    throw new ServiceError(
      'cross-site.refused',
      'A request that another site made a browser send is refused here',
    );
  }
  if (endpoint.requires === 'sign-in') {
    refuseNavigation(request);
  }
  return next();
};

/** Seconds for which a browser may remember the answer to a preflight; no browser remembers it longer than a day. */
const PREFLIGHT_AGE = 7_200;

/**
 * Lets pages of the app's other origins call the endpoint and read its answer (https://fetch.spec.whatwg.org/#http-cors-protocol),
 * never with credentials. The headers are also those of a refusal by a later step. Any other origin is answered as if it
 * had sent no `Origin`: its browser keeps the answer from the page.
 */
export const shareWithApps: Step = ({ endpoint, request, response, server }, next) => {
  const { appOrigins = [] } = server;
  if (endpoint.calledByApps !== true || appOrigins.length === 0) {
    return next();
  }
  response.setHeader('Vary', 'Origin');
  const { origin } = request.headers;
  if (origin === undefined || !appOrigins.includes(origin)) {
    return next();
  }
  response.setHeader('Access-Control-Allow-Origin', origin);
  if (request.method === 'OPTIONS') {
    response.setHeader('Access-Control-Allow-Methods', endpoint.methods.join(', '));
    response.setHeader('Access-Control-Allow-Headers', 'Content-Type');
    response.setHeader('Access-Control-Max-Age', PREFLIGHT_AGE);
  } else {
    // Date: a device compares its clock. Retry-After: it waits when a limit is reached.
    response.setHeader('Access-Control-Expose-Headers', 'Date, Retry-After');
  }
  return next();
};
