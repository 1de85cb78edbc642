import { z } from 'zod';
import type { AdministratorService } from '../../../administrators/administrator-service.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { ServiceError } from '../../../kernel/errors.ts';
import { parseExpiry } from '../../../kernel/expiry.ts';
import { done } from '../../answers.ts';
import type { AdministrationDialect } from '../../dialects/dialect.ts';
import { administratorEndpoint, type Endpoint } from '../../endpoint-spec.ts';
import { optional, required } from '../../request/parameter-schemas.ts';
import { API_TOKEN_MADE, API_TOKENS } from '../answers/administrator-answers.ts';

const ADMINISTRATOR = required('the administrator on whose behalf it speaks', 'anna');
const NAME = required('what it is called', 'nagios');

/** @returns the endpoints that manage API tokens */
export function apiTokenEndpoints(
  administrators: AdministratorService,
  dialect: AdministrationDialect,
  clock: Clock,
): Endpoint[] {
  return [
    listEndpoint(administrators, dialect),
    addEndpoint(administrators, dialect, clock),
    removeEndpoint(administrators, dialect),
  ];
}

function listEndpoint(administrators: AdministratorService, dialect: AdministrationDialect): Endpoint {
  return administratorEndpoint(
    {
      path: '/admin/api-tokens',
      methods: ['GET', 'POST'],
      summary: 'the API tokens of an administrator; the tokens themselves are not kept',
      requires: 'system:read',
      answers: API_TOKENS,
      family: 'linotp2',
      usage: 'admin/api-tokens: list API tokens.',
      changesState: false,
      parameters: z.object({ administrator: ADMINISTRATOR }),
    },
    async ({ caller, parameters: { administrator }, context }) => {
      const listed = await administrators.listApiTokens(caller, administrator);
      return dialect.value(
        listed.map(({ createdAt, expiresAt, name, administrator: owner, rights }) => ({
          name,
          administrator: owner,
          rights,
          created: createdAt.toISOString(),
          expires: expiresAt?.toISOString() ?? null,
        })),
        context,
      );
    },
  );
}

function addEndpoint(
  administrators: AdministratorService,
  dialect: AdministrationDialect,
  clock: Clock,
): Endpoint {
  return administratorEndpoint(
    {
      path: '/admin/api-tokens/add',
      methods: ['POST'],
      summary: 'makes an API token, with a confirmed login, and shows it this once',
      requires: 'system:write',
      answers: API_TOKEN_MADE,
      family: 'linotp2',
      usage: 'admin/api-tokens/add: make an API token.',
      changesState: true,
      parameters: z.object({
        administrator: ADMINISTRATOR,
        name: NAME,
        rights: required('`*`, or a comma list of `scope:action`, each part may be `*`', 'monitoring:*'),
        expires: optional('a date, a time, or a duration from now (`90D`); default: never', '90D'),
      }),
    },
    async ({ caller, parameters: { administrator, name, rights, expires }, context }) => {
      const { token } = await administrators.addApiToken(caller, administrator, {
        name,
        rights: rights.split(',').filter((right) => right.trim() !== ''),
        expiresAt: readExpiry(expires, clock),
      });
      return dialect.value({ token }, context);
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

function removeEndpoint(administrators: AdministratorService, dialect: AdministrationDialect): Endpoint {
  return administratorEndpoint(
    {
      path: '/admin/api-tokens/remove',
      methods: ['POST'],
      summary: 'removes an API token, which is refused within a second',
      requires: 'system:write',
      answers: done(),
      family: 'linotp2',
      usage: 'admin/api-tokens/remove: remove an API token.',
      changesState: true,
      parameters: z.object({ administrator: ADMINISTRATOR, name: NAME }),
    },
    async ({ caller, parameters: { administrator, name }, context }) => {
      await administrators.removeApiToken(caller, administrator, name);
      return dialect.done(context);
    },
  );
}
