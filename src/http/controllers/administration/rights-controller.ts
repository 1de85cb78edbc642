import { z } from 'zod';
import type { RightsService } from '../../../policy/rights-service.ts';
import type { AdministrationDialect } from '../../dialects/dialect.ts';
import type { Endpoint } from '../../endpoint-spec.ts';
import { valueReading } from '../../value-endpoint.ts';

const RIGHTS = z.strictObject({
  administrator: z.string(),
  rights: z.array(
    z.strictObject({
      scope: z.enum(['admin', 'system', 'monitoring', 'ocra']),
      action: z.string(),
      realms: z.union([z.literal('*'), z.array(z.string())]).describe('where it holds; `*`: everywhere'),
    }),
  ),
  realms: z.array(z.string()).describe('the realms in which a right of the scope admin holds'),
});

/** @returns the endpoint that tells callers their own rights */
export function rightsEndpoint(rights: RightsService, dialect: AdministrationDialect): Endpoint {
  return valueReading(
    dialect,
    {
      path: '/admin/rights',
      summary: 'the name and the rights of the caller, as they are now',
      requires: 'credential',
      value: RIGHTS,
      example: {
        administrator: 'anna',
        rights: [
          { scope: 'admin', action: 'show', realms: ['customers'] },
          { scope: 'ocra', action: 'request', realms: '*' },
        ],
        realms: ['customers', 'staff'],
      },
      parameters: {},
    },
    async ({ caller }) => {
      const { administrator } = caller.principal;
      const held = await rights.held(caller);
      return {
        administrator,
        rights: held.rights.map(({ scope, action, realms }) => ({
          scope,
          action,
          realms: realms === 'all' ? ('*' as const) : realms,
        })),
        realms: held.realms,
      };
    },
  );
}
