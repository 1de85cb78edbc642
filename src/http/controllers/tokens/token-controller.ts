import { z } from 'zod';
import type { Services } from '../../../services.ts';
import { splitList } from '../../../policy/policy-users.ts';
import type { TokenSelection } from '../../../tokens/token-selection.ts';
import { ServiceError } from '../../../kernel/errors.ts';
import {
  type Endpoint,
  type Method,
  administratorEndpoint,
  plainChange,
  valueChange,
} from '../../endpoint-spec.ts';
import { optional, required, secret, blankAsUndefined } from '../../request/parameters.ts';
import { count, valuesOf } from '../../answers.ts';
import type { ResynchronisationService } from '../../../challenges/resynchronisation-service.ts';

const METHODS: readonly Method[] = ['GET', 'POST'];
/** The parameters that select a token, or all tokens of a user. */
export const SELECTION = {
  serial: optional('the serial of the token', 'QR1'),
  user: optional('the login of the owner', 'alice'),
  realm: optional('the realm of the owner', 'customers'),
  resconf: optional('the resolver of the owner'),
} as const;
const PIN = secret(optional('the token PIN'));

type SelectionParameters = z.output<z.ZodObject<typeof SELECTION>>;

const CHANGED = count.describe('the number of tokens that were changed');

/** The values of /admin/set. */
const SET_TOKENS = {
  documented: CHANGED,
  linotp: z.record(z.string().describe('`set pin`, `set MaxFailCount`, …'), CHANGED),
};

/** @returns the endpoints of /admin that change tokens */
export function tokenEndpoints(operations: Pick<Services, 'tokens'>): Endpoint[] {
  return [
    setEndpoint(operations),
    ...(['reset', 'enable', 'disable', 'remove'] as const).map((action) =>
      selectionEndpoint(action, operations),
    ),
    assignEndpoint(operations),
    unassignEndpoint(operations),
    realmEndpoint(operations),
  ];
}

function setEndpoint({ tokens }: Pick<Services, 'tokens'>): Endpoint {
  const settings = {
    pin: PIN,
    removepin: optional('`1`, and no other setting: removes the token PIN', '1'),
    maxfailcount: optional('the number of wrong responses that locks the token', '10'),
    counterwindow: optional('the number of counters that a response may be ahead', '10'),
    syncwindow: optional('the number of counters that are searched to resynchronise', '1000'),
    ocrapin: secret(optional('the PIN of a suite with P')),
    removeocrapin: optional('`1`, and no other setting: removes the PIN of a suite with P', '1'),
    description: optional('the description of the token'),
  } as const;
  return administratorEndpoint(
    {
      path: '/admin/set',
      methods: METHODS,
      summary: 'sets PIN, limits and description of a token',
      requires: 'admin:set',
      answers: valuesOf(SET_TOKENS),
      usage: 'admin/set: set the PIN, limits or description of a token.',
      changesState: true,
      parameters: z.object({ ...SELECTION, ...settings }),
    },
    async ({ caller, parameters, context, dialect }) => {
      const { serial, user, realm, resconf, ...given } = parameters;
      const selected = selection({ serial, user, realm, resconf });
      const removed = removedPin(given);
      if (removed !== undefined) {
        const count = await tokens.removePin(caller, selected, removed === 'removepin' ? 'pin' : 'ocraPin');
        return dialect.administration.setTokens([removed], count, context);
      }
      const { pin, maxfailcount, counterwindow, syncwindow, ocrapin, description } = given;
      const count = await tokens.set(caller, selected, {
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
      return dialect.administration.setTokens(names, count, context);
    },
  );
}

/**
 * @returns the parameter that removes a PIN; undefined: none is given
 * @throws ServiceError 'parameter.invalid' for another value than 1, and beside another setting
 */
function removedPin(
  given: Readonly<Record<string, string | undefined>>,
): 'removepin' | 'removeocrapin' | undefined {
  const removed = (['removepin', 'removeocrapin'] as const).find((name) => given[name] !== undefined);
  if (removed === undefined) {
    return undefined;
  }
  const settings = Object.values(given).filter((value) => value !== undefined);
  if (given[removed] !== '1' || settings.length > 1) {
    throw new ServiceError(
      'parameter.invalid',
      `The parameter '${removed}' is 1, and stands without other settings`,
      { parameter: removed },
    );
  }
  return removed;
}

const SUMMARIES = {
  reset: 'sets the fail counter to 0, which unlocks the token',
  enable: 'enables a token',
  disable: 'disables a token',
  remove: 'removes a token and its challenges',
} as const;

function selectionEndpoint(action: keyof typeof SUMMARIES, { tokens }: Pick<Services, 'tokens'>): Endpoint {
  return valueChange(
    {
      path: `/admin/${action}`,
      methods: METHODS,
      summary: SUMMARIES[action],
      requires: `admin:${action}`,
      value: CHANGED,
      purpose: `${action} a token, or all tokens of a user.`,
      parameters: SELECTION,
    },
    ({ caller, parameters }) => tokens[action](caller, selection(parameters)),
  );
}

function assignEndpoint({ tokens }: Pick<Services, 'tokens'>): Endpoint {
  return plainChange(
    {
      path: '/admin/assign',
      methods: METHODS,
      summary: 'assigns a token to a user',
      requires: 'admin:assign',
      purpose: 'give a token to a user.',
      parameters: {
        ...SELECTION,
        serial: required('the serial of the token', 'QR1'),
        user: required('the login of the user', 'alice'),
        pin: PIN,
      },
    },
    async ({ caller, parameters: { serial, user, realm, resconf, pin } }) => {
      await tokens.assign(caller, { serial, user, realm, resolver: blankAsUndefined(resconf), pin });
    },
  );
}

function unassignEndpoint({ tokens }: Pick<Services, 'tokens'>): Endpoint {
  return plainChange(
    {
      path: '/admin/unassign',
      methods: METHODS,
      summary: 'removes the owner of a token',
      requires: 'admin:unassign',
      purpose: 'take a token, or all tokens of a user, from their user.',
      parameters: SELECTION,
    },
    async ({ caller, parameters }) => {
      await tokens.unassign(caller, selection(parameters));
    },
  );
}

function realmEndpoint({ tokens }: Pick<Services, 'tokens'>): Endpoint {
  return valueChange(
    {
      path: '/admin/tokenrealm',
      methods: METHODS,
      summary: 'sets the realms of a token',
      requires: 'admin:tokenrealm',
      value: CHANGED,
      purpose: 'put a token into these realms and no others.',
      parameters: {
        serial: required('the serial of the token', 'QR1'),
        realms: required('a comma list of realms', 'customers,staff'),
      },
    },
    async ({ caller, parameters: { serial, realms } }) => {
      await tokens.setRealms(caller, { serial, realms: splitList(realms) });
      return 1;
    },
  );
}

function selection({ serial, user, realm, resconf }: SelectionParameters): TokenSelection {
  return {
    serial: blankAsUndefined(serial),
    user: blankAsUndefined(user),
    realm,
    resolver: blankAsUndefined(resconf),
  };
}

/** @returns the number; NaN for another text, which the service refuses */
export function readNumber(value: string | undefined): number | undefined {
  if (value === undefined) {
    return undefined;
  }
  return /^\d{1,9}$/.test(value.trim()) ? Number(value) : Number.NaN;
}

/** @returns the endpoint that resynchronises a token by two consecutive responses */
export function resyncEndpoint(operations: ResynchronisationService): Endpoint {
  return valueChange(
    {
      path: '/admin/resync',
      methods: ['GET', 'POST'],
      summary: 'resynchronises a token by two consecutive responses',
      requires: 'admin:resync',
      value: z.boolean().describe('true: both responses fit, and the token is in step'),
      purpose: 'bring a token back in step by two consecutive responses.',
      parameters: {
        otp1: secret(required('the first response')),
        otp2: secret(required('the second response')),
        serial: optional('the serial of the token'),
        user: optional('the login of the owner'),
        realm: optional('the realm of the owner'),
        challenge1: optional('the question of `otp1`; default: that of the last but one challenge'),
        challenge2: optional('the question of `otp2`; default: that of the last challenge'),
      },
    },
    ({ caller, parameters }) => operations.resync(caller, parameters),
  );
}
