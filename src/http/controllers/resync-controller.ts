import { z } from 'zod';
import type { ResynchronisationService } from '../../challenges/resynchronisation-service.ts';
import type { AdministrationDialect } from '../dialects/dialect.ts';
import { administratorEndpoint, type Endpoint } from '../endpoint-spec.ts';

/** What /admin/resync needs of the domain. */
export type ResynchronisationOperations = Pick<ResynchronisationService, 'resync'>;

const text = z.string();
const optional = text.optional();

/** @returns the endpoint that brings a token back in step by two consecutive responses */
export function resyncEndpoint(
  operations: ResynchronisationOperations,
  dialect: AdministrationDialect,
): Endpoint {
  return administratorEndpoint(
    {
      path: '/admin/resync',
      methods: ['GET', 'POST'],
      family: 'linotp2',
      usage: 'admin/resync: bring a token back in step by two consecutive responses.',
      changesState: true,
      parameters: z.object({
        otp1: text,
        otp2: text,
        serial: optional,
        user: optional,
        realm: optional,
        challenge1: optional,
        challenge2: optional,
      }),
    },
    async ({ caller, parameters, context }) =>
      dialect.resynchronised(await operations.resync(caller, parameters), context),
  );
}
