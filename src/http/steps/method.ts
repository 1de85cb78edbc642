import { ServiceError } from '../../kernel/errors.ts';
import type { Endpoint } from '../endpoint-spec.ts';
import type { Step } from './step.ts';

/** Refuses methods that the endpoint does not have, and answers OPTIONS. */
export const checkMethod: Step = async ({ endpoint, request, response }, next) => {
  const allowed = allowedMethods(endpoint);
  if (!allowed.includes(request.method)) {
    response.setHeader('Allow', allowed.join(', '));
    throw new ServiceError('method.not-allowed', `The method ${request.method} is not allowed here`);
  }
  return request.method === 'OPTIONS' ? { status: 204, headers: { Allow: allowed.join(', ') } } : next();
};

function allowedMethods({ methods }: Pick<Endpoint, 'methods'>): string[] {
  return methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).concat('OPTIONS');
}
