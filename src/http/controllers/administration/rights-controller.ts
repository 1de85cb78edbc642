import { z } from 'zod';
import type { HeldRight, RightsService } from '../../../policy/rights-service.ts';
import { inEveryDialect, valueOf } from '../../answers.ts';
import type { AdministrationDialect } from '../../dialects/dialect.ts';
import { administratorEndpoint, type Endpoint } from '../../endpoint-spec.ts';

const RIGHTS = inEveryDialect(
  valueOf(
    z.strictObject({
      administrator: z.string(),
      rights: z.array(
        z.strictObject({
          scope: z.enum(['admin', 'system', 'monitoring', 'ocra']),
          action: z.string(),
          realms: z.union([z.literal('*'), z.array(z.string())]).describe('where it holds; `*`: everywhere'),
        }),
      ),
      realms: z.array(z.string()).describe('the realms in which a right of the scope admin holds'),
    }),
    {
      example: {
        value: {
          administrator: 'anna',
          rights: [
            { scope: 'admin', action: 'show', realms: ['customers'] },
            { scope: 'ocra', action: 'request', realms: '*' },
          ],
          realms: ['customers', 'staff'],
        },
      },
    },
  ),
);

/** @returns the endpoint that tells callers their own rights */
export function rightsEndpoint(rights: RightsService, dialect: AdministrationDialect): Endpoint {
  return administratorEndpoint(
    {
      path: '/admin/rights',
      methods: ['GET', 'POST'],
      summary: 'the name and the rights of the caller, as they are now',
      requires: 'credential',
      answers: RIGHTS,
      family: 'linotp2',
      usage: 'admin/rights: tell the rights of the caller.',
      changesState: false,
      parameters: z.object({}),
    },
    async ({ caller, context }) => {
      const { administrator } = caller.principal;
      const held = await rights.held(caller);
      return dialect.value(
        { administrator, rights: held.rights.map(rightObject), realms: held.realms },
        context,
      );
    },
  );
}

function rightObject({ scope, action, realms }: HeldRight): object {
  return { scope, action, realms: realms === 'all' ? '*' : realms };
}
