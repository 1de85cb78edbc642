import { z } from 'zod';
import type { AdministratorService } from '../../../administrators/administrator-service.ts';
import { type Clock, parseExpiry } from '../../../kernel/clock.ts';
import { ServiceError } from '../../../kernel/errors.ts';
import type { AdministrationDialect } from '../../dialects/dialect.ts';
import type { Endpoint } from '../../endpoint-spec.ts';
import { optional, required } from '../../request/parameter-schemas.ts';
import { plainChange, valueChange, valueReading } from '../../value-endpoint.ts';

const instant = z.iso.datetime();
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
  return valueReading(
    dialect,
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
      purpose: 'list API tokens.',
      parameters: { administrator: ADMINISTRATOR },
    },
    async ({ caller, parameters: { administrator } }) => {
      const listed = await administrators.listApiTokens(caller, administrator);
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

function addEndpoint(
  administrators: AdministratorService,
  dialect: AdministrationDialect,
  clock: Clock,
): Endpoint {
  return valueChange(
    dialect,
    {
      path: '/admin/api-tokens/add',
      summary: 'makes an API token, with a confirmed login, and shows it this once',
      value: z.strictObject({ token: z.string() }),
      example: { token: 'tk_0123' },
      purpose: 'make an API token.',
      parameters: {
        administrator: ADMINISTRATOR,
        name: NAME,
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

function removeEndpoint(administrators: AdministratorService, dialect: AdministrationDialect): Endpoint {
  return plainChange(
    dialect,
    {
      path: '/admin/api-tokens/remove',
      summary: 'removes an API token, which is refused within a second',
      purpose: 'remove an API token.',
      parameters: { administrator: ADMINISTRATOR, name: NAME },
    },
    ({ caller, parameters: { administrator, name } }) =>
      administrators.removeApiToken(caller, administrator, name),
  );
}
