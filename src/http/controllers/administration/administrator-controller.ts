import { z } from 'zod';
import type { Services } from '../../../services.ts';
import type { AdministratorService } from '../../../administrators/administrator-service.ts';
import type { SecondFactorService } from '../../../administrators/second-factor-service.ts';
import { ServiceError } from '../../../kernel/errors.ts';
import { count } from '../../answers.ts';
import type { AdministrationDialect } from '../../dialects/dialect.ts';
import type { Endpoint } from '../../endpoint-spec.ts';
import type { Guards } from '../../limits/guards.ts';
import { optional, required, secret } from '../../request/parameter-schemas.ts';
import { plainChange, valueChange, valueReading } from '../../value-endpoint.ts';

const instant = z.iso.datetime();
const ADMINISTRATOR = required('the name of the administrator', 'anna');
const NEW_PASSWORD = secret(required('the new password'));

/** @returns the endpoints that manage administrators. What changes a credential takes a confirmed login, too. */
export function administratorEndpoints(
  operations: Pick<Services, 'administrators' | 'secondFactors'>,
  dialect: AdministrationDialect,
  guard: Guards['logins'],
): Endpoint[] {
  const { administrators, secondFactors } = operations;
  return [
    listEndpoint(administrators, dialect),
    ownPasswordEndpoint(administrators, dialect, guard),
    plainChange(
      dialect,
      {
        path: '/admin/administrators/add',
        purpose: 'change an administrator.',
        summary: 'adds an administrator, with a confirmed login',
        parameters: { administrator: ADMINISTRATOR, password: secret(required('the password')) },
      },
      ({ caller, parameters: { administrator, password } }) =>
        administrators.add(caller, administrator, password),
    ),
    plainChange(
      dialect,
      {
        path: '/admin/administrators/remove',
        purpose: 'change an administrator.',
        summary:
          'removes another administrator, with sessions and API tokens, with a confirmed login; the last one stays',
        parameters: { administrator: ADMINISTRATOR },
      },
      ({ caller, parameters: { administrator } }) => administrators.remove(caller, administrator),
    ),
    passwordEndpoint(administrators, dialect),
    plainChange(
      dialect,
      {
        path: '/admin/administrators/second-factor',
        purpose: 'change an administrator.',
        summary:
          'binds a token to an administrator as second factor, with a confirmed login; ends all sessions',
        parameters: {
          administrator: ADMINISTRATOR,
          serial: required('an OCRA token of this server', 'QR17'),
        },
      },
      ({ caller, parameters: { administrator, serial } }) =>
        secondFactors.setToken(caller, administrator, serial),
    ),
    plainChange(
      dialect,
      {
        path: '/admin/administrators/second-factor/remove',
        purpose: 'change an administrator.',
        summary: 'leaves an administrator the password alone, with a confirmed login; ends all sessions',
        parameters: { administrator: ADMINISTRATOR },
      },
      ({ caller, parameters: { administrator } }) => secondFactors.remove(caller, administrator),
    ),
    linkEndpoint(secondFactors, dialect),
  ];
}

function listEndpoint(administrators: AdministratorService, dialect: AdministrationDialect): Endpoint {
  return valueReading(
    dialect,
    {
      path: '/admin/administrators',
      summary: 'the administrators with their second factors',
      value: z.array(
        z.strictObject({
          name: z.string(),
          created: instant,
          second_factor: z.enum(['token', 'passkey']).nullable(),
          serial: z.string().nullable(),
          own: z.boolean(),
        }),
      ),
      example: [
        {
          name: 'anna',
          created: '2026-11-20T12:00:00.000Z',
          second_factor: 'token',
          serial: 'QR17',
          own: false,
        },
      ],
      parameters: {},
    },
    async ({ caller }) =>
      (await administrators.list(caller)).map(({ name, createdAt, secondFactor }) => ({
        name,
        created: createdAt.toISOString(),
        second_factor: secondFactor?.kind ?? null,
        serial: secondFactor?.kind === 'token' ? secondFactor.serial : null,
        own: name === caller.principal.administrator,
      })),
  );
}

/** Guesses of the present password count like those of a sign-in. */
function ownPasswordEndpoint(
  administrators: AdministratorService,
  dialect: AdministrationDialect,
  guard: Guards['logins'],
): Endpoint {
  return plainChange(
    dialect,
    {
      path: '/admin/password',
      summary:
        'changes the password of the caller, with a confirmed login, and ends all of their sessions; API tokens stay',
      requires: 'credential',
      purpose: 'change the own password.',
      parameters: {
        password: secret(required('the present password of the caller')),
        new_password: NEW_PASSWORD,
      },
    },
    async ({ parameters: { password, new_password: next }, caller, limitedAs }) => {
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
    },
  );
}

function passwordEndpoint(administrators: AdministratorService, dialect: AdministrationDialect): Endpoint {
  return valueChange(
    dialect,
    {
      path: '/admin/administrators/password',
      summary: 'sets the password of another administrator, with a confirmed login; ends all sessions',
      value: z.strictObject({ api_tokens_left: count }),
      example: { api_tokens_left: 1 },
      purpose: 'set a password.',
      parameters: {
        administrator: ADMINISTRATOR,
        new_password: NEW_PASSWORD,
        revoke_tokens: optional('`1`: also revokes all API tokens of the administrator', '1'),
      },
    },
    async ({ parameters: { administrator, new_password: password, revoke_tokens: revoke }, caller }) => {
      const revokesApiTokens = revoke === '1';
      const { apiTokens } = await administrators.setPassword(caller, administrator, password, {
        revokesApiTokens,
      });
      return { api_tokens_left: revokesApiTokens ? 0 : apiTokens };
    },
  );
}

function linkEndpoint(secondFactors: SecondFactorService, dialect: AdministrationDialect): Endpoint {
  return valueChange(
    dialect,
    {
      path: '/admin/administrators/passkey-link',
      summary:
        'makes a link by which an administrator registers a passkey, once and within an hour; shown once',
      value: z.strictObject({ link: z.url(), expires: instant }),
      example: { link: 'https://tan.example.com/console/#link=0123', expires: '2026-11-20T13:00:00.000Z' },
      purpose: 'make a link to register a passkey.',
      parameters: { administrator: ADMINISTRATOR },
    },
    async ({ parameters: { administrator }, caller }) => {
      const { link, expiresAt } = await secondFactors.passkeyLink(caller, administrator);
      return { link, expires: expiresAt.toISOString() };
    },
  );
}
