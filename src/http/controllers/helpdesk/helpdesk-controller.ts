import { z } from 'zod';
import type { Services } from '../../../services.ts';
import { ServiceError } from '../../../kernel/errors.ts';
import { NO_REALM } from '../../../monitoring/realm-choice.ts';
import type { AdministrationDialect } from '../../dialects/dialect.ts';
import {
  personObject,
  searchObject,
  tokenFactsObject,
  tokenSheetObject,
} from '../../dialects/shared/helpdesk-objects.ts';
import { administratorEndpoint, type Endpoint, type Method } from '../../endpoint-spec.ts';
import { optional, required } from '../../request/parameter-schemas.ts';
import { PERSON, SEARCH_RESULT, TOKEN, TOKEN_SHEET } from '../answers/helpdesk-answers.ts';
import { blankAsUndefined } from '../../request/parameters.ts';

const METHODS: readonly Method[] = ['GET', 'POST'];

/** @returns the endpoints by which the helpdesk finds people, tokens and transactions */
export function helpdeskEndpoints(
  operations: Services['helpdesk'],
  dialect: AdministrationDialect,
): Endpoint[] {
  return [
    searchEndpoint(operations, dialect),
    personEndpoint(operations, dialect),
    tokenEndpoint(operations, dialect),
    tokensEndpoint(operations, dialect),
  ];
}

function searchEndpoint(operations: Services['helpdesk'], dialect: AdministrationDialect): Endpoint {
  return administratorEndpoint(
    {
      path: '/admin/search',
      methods: METHODS,
      summary:
        'finds tokens by the beginning of the serial (`admin:show`), people by the beginning of a name (`admin:userlist`) and a transaction (`admin:transaction`), ten of each kind at most',
      requires: 'credential',
      answers: SEARCH_RESULT,
      family: 'linotp2',
      usage: 'admin/search: find tokens, people and transactions.',
      changesState: false,
      parameters: z.object({
        text: required('a serial, login, name, e-mail address, `login@realm` or transaction', 'QR1'),
      }),
    },
    async ({ caller, parameters: { text }, context }) =>
      dialect.value(searchObject(await operations.search.search(caller, text)), context),
  );
}

function personEndpoint(operations: Services['helpdesk'], dialect: AdministrationDialect): Endpoint {
  return administratorEndpoint(
    {
      path: '/admin/person',
      methods: METHODS,
      summary:
        'a user with their tokens; names with `admin:userlist` only, the latest transactions with `admin:transaction` only',
      requires: 'admin:show',
      answers: PERSON,
      family: 'linotp2',
      usage: 'admin/person: show a user with their tokens.',
      changesState: false,
      parameters: z.object({
        user: required('the login of the user', 'alice'),
        realm: optional('the realm of the user; default: the default realm', 'customers'),
        resconf: optional('the only resolver to ask'),
      }),
    },
    async ({ caller, parameters: { user, realm, resconf }, context }) => {
      const person = await operations.people.person(caller, {
        user,
        realm,
        resolver: blankAsUndefined(resconf),
      });
      return dialect.value(personObject(person), context);
    },
  );
}

function tokenEndpoint(operations: Services['helpdesk'], dialect: AdministrationDialect): Endpoint {
  return administratorEndpoint(
    {
      path: '/admin/token',
      methods: METHODS,
      summary: 'a token, with its latest transactions for callers with `admin:transaction`',
      requires: 'admin:show',
      answers: TOKEN,
      family: 'linotp2',
      usage: 'admin/token: show a token.',
      changesState: false,
      parameters: z.object({ serial: required('the serial of the token', 'QR1') }),
    },
    async ({ caller, parameters: { serial }, context }) =>
      dialect.value(tokenFactsObject(await operations.people.token(caller, serial)), context),
  );
}

function tokensEndpoint(operations: Services['helpdesk'], dialect: AdministrationDialect): Endpoint {
  return administratorEndpoint(
    {
      path: '/admin/tokens',
      methods: METHODS,
      summary: 'a page of tokens by serial, also of many, without counting them one by one',
      requires: 'admin:show',
      answers: TOKEN_SHEET,
      family: 'linotp2',
      usage: 'admin/tokens: list tokens page by page.',
      changesState: false,
      parameters: z.object({
        serial: optional('the beginning of the serial, in any case', 'QR1'),
        user: optional('the login of the owner', 'alice'),
        userrealm: optional('the realm of the owner', 'customers'),
        resconf: optional('the resolver of the owner'),
        realm: optional('a realm of the tokens, `/:no realm:/` for tokens in none', 'customers'),
        status: optional(
          'a comma list of `active`, `inactive`, `assigned`, `unassigned`, `locked`; all must hold',
        ),
        limit: optional('1 to 200; default 50', '50'),
        cursor: optional('`next` of the page before'),
      }),
    },
    async ({ caller, parameters, context }) => {
      const { serial, user, userrealm, resconf, realm, status = '', limit, cursor } = parameters;
      const sheet = await operations.tokenList.page(caller, {
        serialPrefix: blankAsUndefined(serial)?.trim(),
        user: blankAsUndefined(user),
        userRealm: blankAsUndefined(userrealm),
        userResolver: blankAsUndefined(resconf),
        realm: realm === NO_REALM ? null : blankAsUndefined(realm),
        ...readStatus(status),
        limit: readLimit(blankAsUndefined(limit)),
        cursor: blankAsUndefined(cursor),
      });
      return dialect.value(tokenSheetObject(sheet), context);
    },
  );
}

/** The conditions by their names in the interface. */
const STATUSES = {
  active: { active: true },
  inactive: { active: false },
  assigned: { assigned: true },
  unassigned: { assigned: false },
  locked: { isLocked: true },
} as const;

/** @throws ServiceError 'parameter.invalid' for an unknown name, and for two that exclude each other */
function readStatus(list: string): { active?: boolean; assigned?: boolean; isLocked?: boolean } {
  const names = list
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '');
  const excludes = (one: string, other: string): boolean => names.includes(one) && names.includes(other);
  if (
    !names.every((name) => Object.hasOwn(STATUSES, name)) ||
    excludes('active', 'inactive') ||
    excludes('assigned', 'unassigned')
  ) {
    const message =
      'The status must be a comma list of active or inactive, assigned or unassigned, and locked: no other';
    throw new ServiceError('parameter.invalid', message, { parameter: 'status' });
  }
  return Object.assign({}, ...names.map((name) => STATUSES[name as keyof typeof STATUSES])) as object;
}

function readLimit(text: string | undefined): number | undefined {
  if (text === undefined) {
    return undefined;
  }
  return /^\d{1,9}$/.test(text.trim()) ? Number(text) : Number.NaN;
}
