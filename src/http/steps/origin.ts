import { ServiceError } from '../../kernel/errors.ts';
import type { Step } from './step.ts';

/**
 * Refuses a change that a page of another site made a browser send (https://www.w3.org/TR/fetch-metadata/). Clients
 * without the header pass.
 */
export const refuseCrossSite: Step = ({ endpoint, request }, next) => {
  const site = request.headers['sec-fetch-site'];
  if (endpoint.changesState && site !== undefined && site !== 'same-origin' && site !== 'none') {
    throw new ServiceError(
      'cross-site.refused',
      'A request that another site made a browser send is refused here',
    );
  }
  return next();
};
