import { z } from 'zod';
import type { AdministratorService } from '../../administrators/administrator-service.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { type Endpoint, plainChange, valueReading } from '../endpoint-spec.ts';
import type { Guards } from '../limits/guards.ts';
import { required, secret } from '../request/parameters.ts';
import type { RightsService } from '../../policy/access-control.ts';

/** Guesses of the present password count like those of a sign-in. */
export function ownPasswordEndpoint(administrators: AdministratorService, guard: Guards['logins']): Endpoint {
  return plainChange(
    {
      path: '/admin/password',
      summary:
        'changes the password of the caller, with a confirmed login, and ends all of their sessions; API tokens stay',
      requires: 'credential',
      parameters: {
        password: secret(required('the present password of the caller')),
        new_password: secret(required('the new password')),
      },
    },
    async ({ parameters: { password, new_password: next }, caller, limitedAs }) => {
      const account = caller.principal.administrator;
      const isChanged = await guard.attempt({ client: limitedAs, account, password }, () =>
        administrators.changeOwnPassword(caller, password, next),
      );
      if (!isChanged) {
        throw new ServiceError('confirmation.refused', 'Wrong password', {
          credentials: 'password',
          account,
        });
      }
    },
  );
}

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

export function rightsEndpoint(rights: RightsService): Endpoint {
  return valueReading(
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
