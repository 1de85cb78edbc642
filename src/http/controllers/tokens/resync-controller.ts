import { z } from 'zod';
import type { ResynchronisationService } from '../../../challenges/resynchronisation-service.ts';
import type { AdministrationDialect } from '../../dialects/dialect.ts';
import type { Endpoint } from '../../endpoint-spec.ts';
import { optional, required, secret } from '../../request/parameter-schemas.ts';
import { valueChange } from '../../value-endpoint.ts';

/** @returns the endpoint that resynchronises a token by two consecutive responses */
export function resyncEndpoint(
  operations: ResynchronisationService,
  dialect: AdministrationDialect,
): Endpoint {
  return valueChange(
    dialect,
    {
      path: '/admin/resync',
      methods: ['GET', 'POST'],
      summary: 'resynchronises a token by two consecutive responses',
      requires: 'admin:resync',
      value: z.boolean().describe('true: both responses fit, and the token is in step'),
      purpose: 'bring a token back in step by two consecutive responses.',
      parameters: {
        otp1: secret(required('the first response')),
        otp2: secret(required('the second response')),
        serial: optional('the serial of the token'),
        user: optional('the login of the owner'),
        realm: optional('the realm of the owner'),
        challenge1: optional('the question of `otp1`; default: that of the last but one challenge'),
        challenge2: optional('the question of `otp2`; default: that of the last challenge'),
      },
    },
    ({ caller, parameters }) => operations.resync(caller, parameters),
  );
}
