import { z } from 'zod';
import type { ResynchronisationService } from '../../../challenges/resynchronisation-service.ts';
import type { AdministrationDialect } from '../../dialects/dialect.ts';
import { administratorEndpoint, type Endpoint } from '../../endpoint-spec.ts';
import { optional, required, secret } from '../../request/parameter-schemas.ts';
import { RESYNCHRONISED } from '../answers/token-answers.ts';

/** @returns the endpoint that resynchronises a token by two consecutive responses */
export function resyncEndpoint(
  operations: ResynchronisationService,
  dialect: AdministrationDialect,
): Endpoint {
  return administratorEndpoint(
    {
      path: '/admin/resync',
      methods: ['GET', 'POST'],
      summary: 'resynchronises a token by two consecutive responses',
      requires: 'admin:resync',
      answers: RESYNCHRONISED,
      family: 'linotp2',
      usage: 'admin/resync: bring a token back in step by two consecutive responses.',
      changesState: true,
      parameters: z.object({
        otp1: secret(required('the first response')),
        otp2: secret(required('the second response')),
        serial: optional('the serial of the token'),
        user: optional('the login of the owner'),
        realm: optional('the realm of the owner'),
        challenge1: optional('the question of `otp1`; default: that of the last but one challenge'),
        challenge2: optional('the question of `otp2`; default: that of the last challenge'),
      }),
    },
    async ({ caller, parameters, context }) =>
      dialect.resynchronised(await operations.resync(caller, parameters), context),
  );
}
