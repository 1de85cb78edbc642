import { ServiceError } from '../../kernel/errors.ts';
import type { Step } from './step.ts';

/** Refuses methods that the endpoint does not have, and answers OPTIONS. */
export const checkMethod: Step = ({ endpoint: { allowed }, request, response }, next) => {
  if (!allowed.includes(request.method)) {
    response.setHeader('Allow', allowed.join(', '));
    throw new ServiceError('method.not-allowed', `The method ${request.method} is not allowed here`);
  }
  return request.method === 'OPTIONS'
    ? Promise.resolve({ status: 204, headers: { Allow: allowed.join(', ') } })
    : next();
};
