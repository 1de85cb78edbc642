import { z } from 'zod';
import { splitList } from '../../policy/policy-users.ts';
import type { TokenListing } from '../../tokens/token-listing.ts';
import type { TokenSelection } from '../../tokens/token-selection.ts';
import type { TokenService } from '../../tokens/token-service.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { Dialect } from '../dialects/dialect.ts';
import { administratorEndpoint, type Endpoint, type Method } from '../endpoint.ts';

/** What the administration of tokens needs of the domain. */
export interface TokenOperations {
  readonly tokens: Pick<
    TokenService,
    'page' | 'enable' | 'disable' | 'reset' | 'unassign' | 'set' | 'remove' | 'assign' | 'setRealms'
  >;
}

const METHODS: readonly Method[] = ['GET', 'POST'];
const text = z.string();
const optional = text.optional();
/** How a token, or all tokens of a user, are named. */
const SELECTION = { serial: optional, user: optional, realm: optional, resconf: optional } as const;
/** Stands for what is in no realm, as in /monitoring. */
const NO_REALM = '/:no realm:/';

type Selected = z.output<z.ZodObject<typeof SELECTION>>;

/** @returns the endpoints of /admin that show and change tokens */
export function tokenEndpoints(operations: TokenOperations, dialect: Dialect): Endpoint[] {
  return [
    showEndpoint(operations, dialect),
    setEndpoint(operations, dialect),
    ...(['reset', 'enable', 'disable', 'remove'] as const).map((action) =>
      selectionEndpoint(action, operations, dialect),
    ),
    assignEndpoint(operations, dialect),
    unassignEndpoint(operations, dialect),
    realmEndpoint(operations, dialect),
  ];
}

function showEndpoint({ tokens }: TokenOperations, dialect: Dialect): Endpoint {
  return administratorEndpoint(
    {
      path: '/admin/show',
      methods: METHODS,
      usage: 'admin/show: list tokens.',
      changesState: false,
      parameters: z.object({
        ...SELECTION,
        viewrealm: optional,
        page: optional,
        pagesize: optional,
        filter: optional,
        outform: optional,
      }),
    },
    async ({ caller, parameters, context }) => {
      const { serial, user, realm, resconf, viewrealm, page, pagesize, filter, outform } = parameters;
      refuseUnserved(filter, outform);
      const shown = await tokens.page(caller, {
        serial: given(serial),
        user: given(user),
        userRealm: realm,
        userResolver: given(resconf),
        ...readViewRealm(viewrealm ?? ''),
        page: { page: readNumber(given(page)), pageSize: readNumber(given(pagesize)) },
      });
      return dialect.administered(dialect.administration.tokenPage(shown), context);
    },
  );
}

function setEndpoint({ tokens }: TokenOperations, dialect: Dialect): Endpoint {
  const settings = {
    pin: optional,
    maxfailcount: optional,
    counterwindow: optional,
    syncwindow: optional,
    ocrapin: optional,
    description: optional,
  } as const;
  return administratorEndpoint(
    {
      path: '/admin/set',
      methods: METHODS,
      usage: 'admin/set: set the PIN, limits or description of a token.',
      changesState: true,
      parameters: z.object({ ...SELECTION, ...settings }),
    },
    async ({ caller, parameters, context }) => {
      const { pin, maxfailcount, counterwindow, syncwindow, ocrapin, description, ...selected } = parameters;
      const count = await tokens.set(caller, selection(selected), {
        pin,
        maxFail: readNumber(maxfailcount),
        counterWindow: readNumber(counterwindow),
        syncWindow: readNumber(syncwindow),
        ocraPin: ocrapin,
        description,
      });
      const names = Object.entries({
        pin,
        MaxFailCount: maxfailcount,
        CounterWindow: counterwindow,
        SyncWindow: syncwindow,
        ocrapin,
        description,
      }).flatMap(([name, value]) => (value === undefined ? [] : [name]));
      return dialect.administered(dialect.administration.setTokens(names, count), context);
    },
  );
}

function selectionEndpoint(
  action: 'reset' | 'enable' | 'disable' | 'remove',
  { tokens }: TokenOperations,
  dialect: Dialect,
): Endpoint {
  return administratorEndpoint(
    {
      path: `/admin/${action}`,
      methods: METHODS,
      usage: `admin/${action}: ${action} a token, or all tokens of a user.`,
      changesState: true,
      parameters: z.object(SELECTION),
    },
    async ({ caller, parameters, context }) => {
      const count = await tokens[action](caller, selection(parameters));
      return dialect.administered(dialect.administration.changedTokens(count), context);
    },
  );
}

function assignEndpoint({ tokens }: TokenOperations, dialect: Dialect): Endpoint {
  return administratorEndpoint(
    {
      path: '/admin/assign',
      methods: METHODS,
      usage: 'admin/assign: give a token to a user.',
      changesState: true,
      parameters: z.object({ ...SELECTION, serial: text, user: text, pin: optional }),
    },
    async ({ caller, parameters: { serial, user, realm, resconf, pin }, context }) => {
      await tokens.assign(caller, { serial, user, realm, resolver: given(resconf), pin });
      return dialect.done(context);
    },
  );
}

function unassignEndpoint({ tokens }: TokenOperations, dialect: Dialect): Endpoint {
  return administratorEndpoint(
    {
      path: '/admin/unassign',
      methods: METHODS,
      usage: 'admin/unassign: take a token, or all tokens of a user, from their user.',
      changesState: true,
      parameters: z.object(SELECTION),
    },
    async ({ caller, parameters, context }) => {
      await tokens.unassign(caller, selection(parameters));
      return dialect.done(context);
    },
  );
}

function realmEndpoint({ tokens }: TokenOperations, dialect: Dialect): Endpoint {
  return administratorEndpoint(
    {
      path: '/admin/tokenrealm',
      methods: METHODS,
      usage: 'admin/tokenrealm: put a token into these realms and no others.',
      changesState: true,
      parameters: z.object({ serial: text, realms: text }),
    },
    async ({ caller, parameters: { serial, realms }, context }) => {
      await tokens.setRealms(caller, { serial, realms: splitList(realms) });
      return dialect.administered(dialect.administration.changedTokens(1), context);
    },
  );
}

function selection({ serial, user, realm, resconf }: Selected): TokenSelection {
  return { serial: given(serial), user: given(user), realm, resolver: given(resconf) };
}

/** Old clients send fields of their forms also where nothing was filled in. */
function given(value: string | undefined): string | undefined {
  return value === undefined || value.trim() === '' ? undefined : value;
}

function readNumber(value: string | undefined): number | undefined {
  if (value === undefined) {
    return undefined;
  }
  return /^\d{1,9}$/.test(value.trim()) ? Number(value) : Number.NaN;
}

function readViewRealm(list: string): Pick<TokenListing, 'realm' | 'realms'> {
  const names = splitList(list);
  if (names.length === 0 || names.includes('*')) {
    return {};
  }
  return names.length === 1 && names[0] === NO_REALM ? { realm: null } : { realms: names };
}

/** Passing over a filter would show tokens that were not asked for, and scripts act on what they are shown. */
function refuseUnserved(filter: string | undefined, outform: string | undefined): void {
  if (given(filter) !== undefined) {
    throw new ServiceError(
      'parameter.invalid',
      "The parameter 'filter' is not served: name a serial, a user or realms (viewrealm)",
    );
  }
  if (given(outform) !== undefined && outform?.trim().toLowerCase() !== 'json') {
    throw new ServiceError('parameter.invalid', "The only value of the parameter 'outform' is json");
  }
}
