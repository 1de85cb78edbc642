import { z } from 'zod';
import type { Services } from '../../../services.ts';
import type { AdministratorService } from '../../../administrators/administrator-service.ts';
import type { SecondFactorService } from '../../../administrators/second-factor-service.ts';
import { ServiceError } from '../../../kernel/errors.ts';
import { done } from '../../answers.ts';
import type { AdministrationDialect } from '../../dialects/dialect.ts';
import { administratorEndpoint, type AdministratorCall, type Endpoint } from '../../endpoint-spec.ts';
import { type Guards, UNGUARDED } from '../../limits/guards.ts';
import type { Reply } from '../../reply.ts';
import { optional, required, secret } from '../../request/parameter-schemas.ts';
import { ADMINISTRATORS, LINK, PASSWORD_SET } from '../answers/administrator-answers.ts';

const ADMINISTRATOR = required('the name of the administrator', 'anna');
const NEW_PASSWORD = secret(required('the new password'));

/** @returns the endpoints that manage administrators. What changes a credential takes a confirmed login, too. */
export function administratorEndpoints(
  operations: Pick<Services, 'administrators' | 'secondFactors'>,
  dialect: AdministrationDialect,
  guard: Guards['logins'] = UNGUARDED.logins,
): Endpoint[] {
  const { administrators, secondFactors } = operations;
  return [
    listEndpoint(administrators, dialect),
    ownPasswordEndpoint(administrators, dialect, guard),
    changeEndpoint(
      {
        path: '/admin/administrators/add',
        summary: 'adds an administrator, with a confirmed login',
        parameters: z.object({ administrator: ADMINISTRATOR, password: secret(required('the password')) }),
      },
      dialect,
      ({ caller, parameters: { administrator, password } }) =>
        administrators.add(caller, administrator, password),
    ),
    changeEndpoint(
      {
        path: '/admin/administrators/remove',
        summary:
          'removes another administrator, with sessions and API tokens, with a confirmed login; the last one stays',
        parameters: z.object({ administrator: ADMINISTRATOR }),
      },
      dialect,
      ({ caller, parameters: { administrator } }) => administrators.remove(caller, administrator),
    ),
    passwordEndpoint(administrators, dialect),
    changeEndpoint(
      {
        path: '/admin/administrators/second-factor',
        summary:
          'binds a token to an administrator as second factor, with a confirmed login; ends all sessions',
        parameters: z.object({
          administrator: ADMINISTRATOR,
          serial: required('an OCRA token of this server', 'QR17'),
        }),
      },
      dialect,
      ({ caller, parameters: { administrator, serial } }) =>
        secondFactors.setToken(caller, administrator, serial),
    ),
    changeEndpoint(
      {
        path: '/admin/administrators/second-factor/remove',
        summary: 'leaves an administrator the password alone, with a confirmed login; ends all sessions',
        parameters: z.object({ administrator: ADMINISTRATOR }),
      },
      dialect,
      ({ caller, parameters: { administrator } }) => secondFactors.remove(caller, administrator),
    ),
    linkEndpoint(secondFactors, dialect),
  ];
}

function listEndpoint(administrators: AdministratorService, dialect: AdministrationDialect): Endpoint {
  return administratorEndpoint(
    {
      path: '/admin/administrators',
      methods: ['GET', 'POST'],
      summary: 'the administrators with their second factors',
      requires: 'system:read',
      answers: ADMINISTRATORS,
      family: 'linotp2',
      usage: 'admin/administrators: list administrators.',
      changesState: false,
      parameters: z.object({}),
    },
    async ({ caller, context }) => {
      const listed = await administrators.list(caller);
      return dialect.value(
        listed.map(({ name, createdAt, secondFactor }) => ({
          name,
          created: createdAt.toISOString(),
          second_factor: secondFactor?.kind ?? null,
          serial: secondFactor?.kind === 'token' ? secondFactor.serial : null,
          own: name === caller.principal.administrator,
        })),
        context,
      );
    },
  );
}

/** Guesses of the present password count like those of a sign-in. */
function ownPasswordEndpoint(
  administrators: AdministratorService,
  dialect: AdministrationDialect,
  guard: Guards['logins'],
): Endpoint {
  return administratorEndpoint(
    {
      path: '/admin/password',
      methods: ['POST'],
      summary:
        'changes the password of the caller, with a confirmed login, and ends all of their sessions; API tokens stay',
      requires: 'credential',
      answers: done(),
      family: 'linotp2',
      usage: 'admin/password: change the own password.',
      changesState: true,
      parameters: z.object({
        password: secret(required('the present password of the caller')),
        new_password: NEW_PASSWORD,
      }),
    },
    async ({ parameters: { password, new_password: next }, caller, limitedAs, context }) => {
      const account = caller.principal.administrator;
      const isChanged = await guard.attempt({ client: limitedAs, account, password }, async () =>
        (await administrators.changeOwnPassword(caller, password, next)) ? true : undefined,
      );
      if (isChanged === undefined) {
        throw new ServiceError('confirmation.refused', 'Wrong password', {
          credentials: 'password',
          account,
        });
      }
      return dialect.done(context);
    },
  );
}

function passwordEndpoint(administrators: AdministratorService, dialect: AdministrationDialect): Endpoint {
  return administratorEndpoint(
    {
      path: '/admin/administrators/password',
      methods: ['POST'],
      summary: 'sets the password of another administrator, with a confirmed login; ends all sessions',
      requires: 'system:write',
      answers: PASSWORD_SET,
      family: 'linotp2',
      usage: 'admin/administrators/password: set a password.',
      changesState: true,
      parameters: z.object({
        administrator: ADMINISTRATOR,
        new_password: NEW_PASSWORD,
        revoke_tokens: optional('`1`: also revokes all API tokens of the administrator', '1'),
      }),
    },
    async ({
      parameters: { administrator, new_password: password, revoke_tokens: revoke },
      caller,
      context,
    }) => {
      const revokesApiTokens = revoke === '1';
      const { apiTokens } = await administrators.setPassword(caller, administrator, password, {
        revokesApiTokens,
      });
      return dialect.value({ api_tokens_left: revokesApiTokens ? 0 : apiTokens }, context);
    },
  );
}

function linkEndpoint(secondFactors: SecondFactorService, dialect: AdministrationDialect): Endpoint {
  return administratorEndpoint(
    {
      path: '/admin/administrators/passkey-link',
      methods: ['POST'],
      summary:
        'makes a link by which an administrator registers a passkey, once and within an hour; shown once',
      requires: 'system:write',
      answers: LINK,
      family: 'linotp2',
      usage: 'admin/administrators/passkey-link: make a link to register a passkey.',
      changesState: true,
      parameters: z.object({ administrator: ADMINISTRATOR }),
    },
    async ({ parameters: { administrator }, caller, context }) => {
      const { link, expiresAt } = await secondFactors.passkeyLink(caller, administrator);
      return dialect.value({ link, expires: expiresAt.toISOString() }, context);
    },
  );
}

/** @returns an endpoint that changes an administrator and has nothing to report */
function changeEndpoint<Shape extends z.ZodRawShape>(
  spec: {
    readonly path: `/${string}`;
    readonly summary: string;
    readonly parameters: z.ZodObject<Shape>;
  },
  dialect: AdministrationDialect,
  change: (call: AdministratorCall<z.output<z.ZodObject<Shape>>>) => Promise<void>,
): Endpoint {
  return administratorEndpoint(
    {
      ...spec,
      methods: ['POST'],
      requires: 'system:write',
      answers: done(),
      family: 'linotp2',
      usage: `${spec.path.slice(1)}: change an administrator.`,
      changesState: true,
    },
    async (call): Promise<Reply> => {
      await change(call);
      return dialect.done(call.context);
    },
  );
}
