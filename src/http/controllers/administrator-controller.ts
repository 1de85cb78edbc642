import { z } from 'zod';
import type { Services } from '../../services.ts';
import type { AdministratorService } from '../../administrators/administrator-service.ts';
import type { SecondFactorService } from '../../administrators/second-factor-service.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { count } from '../answers.ts';
import { type Endpoint, plainChange, valueChange, valueReading } from '../endpoint-spec.ts';
import type { Guards } from '../limits/guards.ts';
import { optional, required, secret } from '../request/parameters.ts';
import { type Clock, parseExpiry } from '../../kernel/clock.ts';
import type { RightsService } from '../../policy/access-control.ts';

const instant = z.iso.datetime();
const ADMINISTRATOR = required('the name of the administrator', 'anna');
const NEW_PASSWORD = secret(required('the new password'));

/**
 * @returns the endpoints that manage administrators and API tokens. What changes a credential takes a confirmed login,
 *   too
 */
export function administratorEndpoints(
  { administrators, secondFactors }: Pick<Services, 'administrators' | 'secondFactors'>,
  guard: Guards['logins'],
  clock: Clock,
): Endpoint[] {
  return [
    listEndpoint(administrators),
    ownPasswordEndpoint(administrators, guard),
    plainChange(
      {
        path: '/admin/administrators/add',
        summary: 'adds an administrator, with a confirmed login',
        parameters: { administrator: ADMINISTRATOR, password: secret(required('the password')) },
      },
      ({ caller, parameters: { administrator, password } }) =>
        administrators.add(caller, administrator, password),
    ),
    plainChange(
      {
        path: '/admin/administrators/remove',
        summary:
          'removes another administrator, with sessions and API tokens, with a confirmed login; the last one stays',
        parameters: { administrator: ADMINISTRATOR },
      },
      ({ caller, parameters: { administrator } }) => administrators.remove(caller, administrator),
    ),
    passwordEndpoint(administrators),
    plainChange(
      {
        path: '/admin/administrators/second-factor',
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
      {
        path: '/admin/administrators/second-factor/remove',
        summary: 'leaves an administrator the password alone, with a confirmed login; ends all sessions',
        parameters: { administrator: ADMINISTRATOR },
      },
      ({ caller, parameters: { administrator } }) => secondFactors.remove(caller, administrator),
    ),
    linkEndpoint(secondFactors),
    listTokensEndpoint(administrators),
    addTokenEndpoint(administrators, clock),
    removeTokenEndpoint(administrators),
  ];
}

function listEndpoint(administrators: AdministratorService): Endpoint {
  return valueReading(
    {
      path: '/admin/administrators',
      summary: 'the administrators with their second factors',
      value: z.array(
        z.strictObject({
          name: z.string(),
          created: instant,
          second_factor: z.enum(['token', 'passkey']).nullable(),
          serial: z.string().nullable(),
          second_factor_lost: z
            .boolean()
            .describe('true: the token was removed or has another key, and nobody can sign in'),
          own: z.boolean(),
        }),
      ),
      example: [
        {
          name: 'anna',
          created: '2026-11-20T12:00:00.000Z',
          second_factor: 'token',
          serial: 'QR17',
          second_factor_lost: false,
          own: false,
        },
      ],
      parameters: {},
    },
    async ({ caller }) =>
      (await administrators.list()).map(({ name, createdAt, secondFactor }) => ({
        name,
        created: createdAt.toISOString(),
        second_factor: secondFactor?.kind ?? null,
        serial: secondFactor?.kind === 'token' ? secondFactor.serial : null,
        second_factor_lost: secondFactor?.kind === 'token' && secondFactor.tokenId === undefined,
        own: name === caller.principal.administrator,
      })),
  );
}

/** Guesses of the present password count like those of a sign-in. */
function ownPasswordEndpoint(administrators: AdministratorService, guard: Guards['logins']): Endpoint {
  return plainChange(
    {
      path: '/admin/password',
      summary:
        'changes the password of the caller, with a confirmed login, and ends all of their sessions; API tokens stay',
      requires: 'credential',
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

function passwordEndpoint(administrators: AdministratorService): Endpoint {
  return valueChange(
    {
      path: '/admin/administrators/password',
      summary: 'sets the password of another administrator, with a confirmed login; ends all sessions',
      value: z.strictObject({ api_tokens_left: count }),
      example: { api_tokens_left: 1 },
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

function linkEndpoint(secondFactors: SecondFactorService): Endpoint {
  return valueChange(
    {
      path: '/admin/administrators/passkey-link',
      summary:
        'makes a link by which an administrator registers a passkey, once and within an hour; shown once',
      value: z.strictObject({ link: z.url(), expires: instant }),
      example: { link: 'https://tan.example.com/console/#link=0123', expires: '2026-11-20T13:00:00.000Z' },
      parameters: { administrator: ADMINISTRATOR },
    },
    async ({ parameters: { administrator }, caller }) => {
      const { link, expiresAt } = await secondFactors.passkeyLink(caller, administrator);
      return { link, expires: expiresAt.toISOString() };
    },
  );
}

const TOKEN_OWNER = required('the administrator on whose behalf it speaks', 'anna');
const TOKEN_NAME = required('what it is called', 'nagios');

function listTokensEndpoint(administrators: AdministratorService): Endpoint {
  return valueReading(
    {
      path: '/admin/api-tokens',
      summary: 'the API tokens of an administrator; the tokens themselves are not kept',
      value: z.array(
        z.strictObject({
          name: z.string(),
          administrator: z.string(),
          rights: z.array(z.string()),
          created: instant,
          expires: instant.nullable(),
        }),
      ),
      example: [
        {
          name: 'nagios',
          administrator: 'anna',
          rights: ['monitoring:*'],
          created: '2026-11-20T12:00:00.000Z',
          expires: null,
        },
      ],
      parameters: { administrator: TOKEN_OWNER },
    },
    async ({ parameters: { administrator } }) => {
      const listed = await administrators.listApiTokens(administrator);
      return listed.map(({ createdAt, expiresAt, name, administrator: owner, rights }) => ({
        name,
        administrator: owner,
        rights,
        created: createdAt.toISOString(),
        expires: expiresAt?.toISOString() ?? null,
      }));
    },
  );
}

function addTokenEndpoint(administrators: AdministratorService, clock: Clock): Endpoint {
  return valueChange(
    {
      path: '/admin/api-tokens/add',
      summary: 'makes an API token, with a confirmed login, and shows it this once',
      value: z.strictObject({ token: z.string() }),
      example: { token: 'tk_0123' },
      parameters: {
        administrator: TOKEN_OWNER,
        name: TOKEN_NAME,
        rights: required('`*`, or a comma list of `scope:action`, each part may be `*`', 'monitoring:*'),
        expires: optional('a date, a time, or a duration from now (`90D`); default: never', '90D'),
      },
    },
    async ({ caller, parameters: { administrator, name, rights, expires } }) => {
      const { token } = await administrators.addApiToken(caller, administrator, {
        name,
        rights: rights.split(',').filter((right) => right.trim() !== ''),
        expiresAt: readExpiry(expires, clock),
      });
      return { token };
    },
  );
}

/**
 * @returns undefined for never
 * @throws ServiceError 'parameter.invalid'
 */
function readExpiry(text: string | undefined, clock: Clock): Date | undefined {
  if (text === undefined || text === '') {
    return undefined;
  }
  const expiry = parseExpiry(text, clock.now());
  if (expiry === undefined) {
    throw new ServiceError(
      'parameter.invalid',
      'expires must be a date (2027-01-31), a time (2027-01-31T12:00:00Z) or a duration from now (90D, 12H)',
      { parameter: 'expires' },
    );
  }
  return expiry;
}

function removeTokenEndpoint(administrators: AdministratorService): Endpoint {
  return plainChange(
    {
      path: '/admin/api-tokens/remove',
      summary: 'removes an API token, which is refused within a second',
      parameters: { administrator: TOKEN_OWNER, name: TOKEN_NAME },
    },
    ({ caller, parameters: { administrator, name } }) =>
      administrators.removeApiToken(caller, administrator, name),
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
