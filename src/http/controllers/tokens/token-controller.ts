import { z } from 'zod';
import type { Services } from '../../../services.ts';
import type { TokenSettings } from '../../../tokens/token-settings.ts';
import type { TokenSelection } from '../../../tokens/token-selection.ts';
import { ServiceError } from '../../../kernel/errors.ts';
import { splitList } from '../../../kernel/text.ts';
import {
  type Endpoint,
  type Method,
  administratorEndpoint,
  plainChange,
  valueChange,
} from '../../endpoint-spec.ts';
import { blankAsUndefined, invalidParameter, optional, required, secret } from '../../request/parameters.ts';
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
const MOMENT = 'as `31/12/26 18:00` in the time zone of the server, or in ISO 8601 with a zone';

type SelectionParameters = z.output<z.ZodObject<typeof SELECTION>>;

const CHANGED = count.describe('the number of tokens that were changed');

const SET_TOKENS = {
  documented: CHANGED,
  linotp: z.record(z.string().describe('`set pin`, `set MaxFailCount`, …'), CHANGED),
};

export function tokenEndpoints(operations: Pick<Services, 'tokens'>): Endpoint[] {
  return [
    setEndpoint(operations),
    ...(['reset', 'remove'] as const).map((action) => selectionEndpoint(action, operations)),
    enableEndpoint(operations),
    disableEndpoint(operations),
    assignEndpoint(operations),
    unassignEndpoint(operations),
    realmEndpoint(operations),
  ];
}

/** The settings of /admin/set by their parameters: the names in the interface, and what they mean. */
const SETTINGS = {
  pin: PIN,
  removepin: optional('`1`, and no other setting: removes the token PIN', '1'),
  maxfailcount: optional('the number of wrong responses that locks the token', '10'),
  counterwindow: optional('the number of counters that a response may be ahead', '10'),
  syncwindow: optional('the number of counters that are searched to resynchronise', '1000'),
  ocrapin: secret(optional('the PIN of a suite with P')),
  removeocrapin: optional('`1`, and no other setting: removes the PIN of a suite with P', '1'),
  description: optional('the description of the token'),
  timeshift: optional('the seconds that the clock of the device is ahead', '-30'),
  validityperiodstart: optional(
    `the time from which the token is valid, ${MOMENT}; empty: none`,
    '01/01/26 08:00',
  ),
  validityperiodend: optional(
    `the time from which it is no longer valid, ${MOMENT}; empty: none`,
    '31/12/26 18:00',
  ),
  otplen: optional('the number of digits of HOTP and TOTP: 6 or 8', '8'),
  hashlib: optional('the hash function of HOTP and TOTP: `sha1`, `sha256` or `sha512`', 'sha256'),
  timestep: optional('the seconds of a step of TOTP: 30 or 60', '60'),
  timewindow: optional('the seconds by which the clock of TOTP may be wrong', '300'),
  countauth: optional('the number of responses so far, counted while a maximum is set; empty: 0', '0'),
  countauthmax: optional('the number of responses after which none is accepted; 0 or empty: any', '100'),
  countauthsuccess: optional('the number of accepted responses so far; empty: 0', '0'),
  countauthsuccessmax: optional('the number of accepted responses; 0 or empty: any', '50'),
} as const;

/** The names of settings as LinOTP writes them. */
const SETTING_NAMES: Readonly<Partial<Record<keyof typeof SETTINGS, string>>> = {
  maxfailcount: 'MaxFailCount',
  counterwindow: 'CounterWindow',
  syncwindow: 'SyncWindow',
  timeshift: 'timeShift',
  otplen: 'OtpLen',
  timestep: 'timeStep',
  timewindow: 'timeWindow',
  validityperiodstart: 'validityPeriodStart',
  validityperiodend: 'validityPeriodEnd',
  countauth: 'countAuth',
  countauthmax: 'countAuthMax',
  countauthsuccess: 'countAuthSuccess',
  countauthsuccessmax: 'countAuthSuccessMax',
};

/** Why `phone`, a setting of LinOTP, is refused. */
const NO_PHONE = 'no texts are sent; the phone number of a user is in the resolver';

const NOT_SET = z
  .strictObject({ message: z.string().describe('the settings that are refused, each with the reason') })
  .optional()
  .describe('present where others are set');

function setEndpoint({ tokens }: Pick<Services, 'tokens'>): Endpoint {
  return administratorEndpoint(
    {
      path: '/admin/set',
      methods: METHODS,
      summary: 'sets PIN, limits, period and description of a token',
      requires: 'admin:set',
      answers: valuesOf(SET_TOKENS, NOT_SET),
      usage: 'admin/set: set the PIN, limits, period or description of a token.',
      changesState: true,
      parameters: z.object({ ...SELECTION, ...SETTINGS, phone: optional(`refused: ${NO_PHONE}`) }),
    },
    async ({ caller, parameters, context, dialect }) => {
      const { serial, user, realm, resconf, phone, ...given } = parameters;
      const selected = selection({ serial, user, realm, resconf });
      const removed = removedPin(given);
      if (removed !== undefined) {
        const count = await tokens.removePin(caller, selected, removed === 'removepin' ? 'pin' : 'ocraPin');
        return dialect.administration.setTokens([removed], count, context);
      }
      const refused = phone === undefined ? [] : [notSetAs('phone', NO_PHONE)];
      const settings = settingsOf(given);
      if (refused.length > 0 && settings.size === 0) {
        throw new ServiceError('parameter.invalid', refused.join('. '));
      }
      const { count, unfit } = await tokens.setFitting(caller, selected, settings);
      const notSet = [...refused, ...[...unfit].map(([name, reason]) => notSetAs(name, reason))];
      const set = [...settings.keys()].filter((name) => !unfit.has(name));
      const detail = notSet.length === 0 ? undefined : { message: notSet.join('. ') };
      return dialect.administration.setTokens(set, count, context, detail);
    },
  );
}

function notSetAs(name: string, reason: string): string {
  return `The parameter '${name}' is not set: ${reason.replace(/^The/, 'the')}`;
}

/** The settings of a token by their parameters. */
const READERS: Readonly<
  Record<Exclude<keyof typeof SETTINGS, 'removepin' | 'removeocrapin'>, (text: string) => TokenSettings>
> = {
  pin: (pin) => ({ pin }),
  maxfailcount: (text) => ({ maxFail: readNumber(text) }),
  counterwindow: (text) => ({ counterWindow: readNumber(text) }),
  syncwindow: (text) => ({ syncWindow: readNumber(text) }),
  ocrapin: (ocraPin) => ({ ocraPin }),
  description: (description) => ({ description }),
  timeshift: (text) => ({ timeShift: readShift(text) }),
  otplen: (text) => ({ otpLength: readNumber(text) }),
  hashlib: (hash) => ({ hash }),
  timestep: (text) => ({ timeStep: readNumber(text) }),
  timewindow: (text) => ({ timeWindow: readNumber(text) }),
  validityperiodstart: (validFrom) => ({ use: { validFrom } }),
  validityperiodend: (validUntil) => ({ use: { validUntil } }),
  countauth: (useCount) => ({ use: { useCount } }),
  countauthmax: (maxUses) => ({ use: { maxUses } }),
  countauthsuccess: (successCount) => ({ use: { successCount } }),
  countauthsuccessmax: (maxSuccesses) => ({ use: { maxSuccesses } }),
};

/** @returns the given settings, by their names in LinOTP */
function settingsOf(
  given: Readonly<Partial<Record<keyof typeof READERS, string | undefined>>>,
): ReadonlyMap<string, TokenSettings> {
  const names = Object.keys(READERS) as (keyof typeof READERS)[];
  return new Map(
    names.flatMap((name) => {
      const text = given[name];
      return text === undefined ? [] : [[SETTING_NAMES[name] ?? name, READERS[name](text)] as const];
    }),
  );
}

function readShift(text: string): number {
  return /^[+-]?\d{1,9}$/.test(text.trim()) ? Number(text) : Number.NaN;
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
    throw invalidParameter(removed, `The parameter '${removed}' is 1, and stands without other settings`);
  }
  return removed;
}

const SUMMARIES = {
  reset: 'sets the fail counter to 0, which unlocks the token',
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
      usage: `admin/${action}: ${action} a token, or all tokens of a user.`,
      parameters: SELECTION,
    },
    ({ caller, parameters }) => tokens[action](caller, selection(parameters)),
  );
}

function enableEndpoint({ tokens }: Pick<Services, 'tokens'>): Endpoint {
  return valueChange(
    {
      path: '/admin/enable',
      methods: METHODS,
      summary: 'enables a token',
      requires: 'admin:enable',
      value: CHANGED,
      usage: 'admin/enable: enable a token, or all tokens of a user.',
      parameters: {
        ...SELECTION,
        found_again: optional('`1`: also a token that was reported lost, and was found again', '1'),
      },
    },
    ({ caller, parameters: { found_again: found, ...selected } }) =>
      tokens.enable(caller, selection(selected), isOne('found_again', found)),
  );
}

function disableEndpoint({ tokens }: Pick<Services, 'tokens'>): Endpoint {
  return valueChange(
    {
      path: '/admin/disable',
      methods: METHODS,
      summary: 'disables a token',
      requires: 'admin:disable',
      value: CHANGED,
      usage: 'admin/disable: disable a token, or all tokens of a user.',
      parameters: {
        ...SELECTION,
        lost: optional('`1`: its device is lost; open challenges are closed, and the audit says `lost`', '1'),
      },
    },
    ({ caller, parameters: { lost, ...selected } }) =>
      tokens[isOne('lost', lost) ? 'lose' : 'disable'](caller, selection(selected)),
  );
}

/** @throws ServiceError 'parameter.invalid' for anything else than 1: it could be meant as either */
function isOne(parameter: string, given: string | undefined): boolean {
  if (given !== undefined && given !== '1') {
    throw invalidParameter(parameter, `The parameter '${parameter}' is 1, or left out`);
  }
  return given === '1';
}

function assignEndpoint({ tokens }: Pick<Services, 'tokens'>): Endpoint {
  return plainChange(
    {
      path: '/admin/assign',
      methods: METHODS,
      summary: 'assigns a token to a user',
      requires: 'admin:assign',
      usage: 'admin/assign: give a token to a user.',
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
      usage: 'admin/unassign: take a token, or all tokens of a user, from their user.',
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
      usage: 'admin/tokenrealm: put a token into these realms and no others.',
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

export function resyncEndpoint(operations: ResynchronisationService): Endpoint {
  return valueChange(
    {
      path: '/admin/resync',
      methods: ['GET', 'POST'],
      summary: 'resynchronises a token by two consecutive responses',
      requires: 'admin:resync',
      value: z.boolean().describe('true: both responses fit, and the token is in step'),
      usage: 'admin/resync: bring a token back in step by two consecutive responses.',
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
