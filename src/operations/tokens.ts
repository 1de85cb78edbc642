import { z } from 'zod';
import { LATEST_TRANSACTIONS } from '../helpdesk/person-service.ts';
import { TOKEN_SHEET } from '../helpdesk/token-list-service.ts';
import { ServiceError } from '../kernel/errors.ts';
import { NO_REALM } from '../monitoring/monitoring-query.ts';
import type { Caller } from '../policy/caller.ts';
import type { TokenSelection } from '../tokens/token-selection.ts';
import { TOKEN } from '../tokens/token-view.ts';
import { choice, filter, flag, knownSecret, list, password, text, wholeNumber } from './input.ts';
import { operation, type OperationGroup } from './operation.ts';

const serial = text('the serial of the token', 'QR1');
const serials = list('the serials of tokens', 'QR1');
/** The way of all changes of one token. */
const REVISION = text(
  'the `revision` of the token that was read: where it has changed since then, nothing is done',
  '1',
).optional();
const count = z.int().nonnegative();
const changed = count.describe('the number of tokens that were changed');

/** The conditions by their names. */
const STATUSES = {
  active: { active: true },
  inactive: { active: false },
  assigned: { assigned: true },
  unassigned: { assigned: false },
  locked: { isLocked: true },
} as const;

const STATUS_RULE = 'it must be a list of active or inactive, assigned or unassigned, and locked';

const STATUS = 'of `active`, `inactive`, `assigned`, `unassigned`, `locked`; all must hold';

const status = list(STATUS, 'active,locked')
  .refine((names) => names.every((name) => Object.hasOwn(STATUSES, name.toLowerCase())), STATUS_RULE)
  .transform((names) => names.map((name) => name.toLowerCase() as keyof typeof STATUSES))
  .refine(
    (names) =>
      !(names.includes('active') && names.includes('inactive')) &&
      !(names.includes('assigned') && names.includes('unassigned')),
    STATUS_RULE,
  )
  .meta({ description: STATUS, examples: ['active,locked'], given: 'option' });

const listTokens = operation({
  name: 'token list',
  does: 'a page of tokens by serial; no secrets',
  right: 'admin:show',
  changes: false,
  input: {
    serial: filter('the beginning of the serial, in any case', 'QR1'),
    // A blank one would be read as anybody.
    user: text('the login of the owner', 'anna').min(1, 'it must be a login').optional(),
    user_realm: filter('the realm of the owner', 'office'),
    user_resolver: filter('the resolver of the owner', 'staff'),
    realm: filter(`a realm of the tokens, \`${NO_REALM}\` for tokens in none`, 'office'),
    status: status.optional(),
    limit: wholeNumber('at most so many; default: 50', 1, 200).optional(),
    cursor: filter('`next` of the page before', 'QR1'),
    order: choice('by serial', ['asc', 'desc']).optional(),
    names: flag('with the names of the owners'),
  },
  output: TOKEN_SHEET,
  run: async ({ tokenPages }, caller, { status: names = [], ...input }) => {
    if (input.user === undefined && (input.user_realm ?? input.user_resolver) !== undefined) {
      const message = "The parameter 'user' must be a login, where the owner is given";
      throw new ServiceError('parameter.invalid', message, { parameter: 'user' });
    }
    return tokenPages.page(caller, {
      serialPrefix: input.serial,
      user: input.user,
      userRealm: input.user_realm,
      userResolver: input.user_resolver,
      realm: input.realm === NO_REALM ? null : input.realm,
      ...(Object.assign({}, ...names.map((name) => STATUSES[name])) as object),
      limit: input.limit,
      cursor: input.cursor,
      isDescending: input.order === 'desc',
      hasNames: input.names,
    });
  },
});

const showToken = operation({
  name: 'token show',
  does: 'a token with its latest transactions; no secrets',
  right: 'admin:show',
  changes: false,
  input: { serial },
  output: TOKEN.extend({ transactions: LATEST_TRANSACTIONS }),
  run: async ({ tokens, people }, caller, input) => ({
    ...(await tokens.show(caller, input.serial)),
    transactions: await people.latestOf(caller, input.serial),
  }),
});

interface EachInput {
  readonly serials: readonly string[];
  readonly revision?: string | undefined;
}

/**
 * Changes one token after the other.
 * @returns the number of those that were changed
 * @throws ServiceError 'parameter.missing' for none; that of the first which cannot be changed: those before it are
 */
async function each(
  { serials: named, revision }: EachInput,
  change: (selection: TokenSelection) => Promise<number>,
): Promise<number> {
  if (named.length === 0) {
    throw new ServiceError('parameter.missing', "Missing parameter 'serials'.", { parameters: ['serials'] });
  }
  if (named.length > 1 && revision !== undefined) {
    throw new ServiceError('parameter.invalid', "The parameter 'revision' is of one token", {
      parameter: 'revision',
    });
  }
  let total = 0;
  for (const one of named) {
    total += await change({ serial: one, revision });
  }
  return total;
}

const says = (what: string) => (_changed: number, input: { readonly serials: readonly string[] }) =>
  input.serials.map((one) => `${one} is ${what}`).join('\n');

const enableTokens = operation({
  name: 'token enable',
  does: 'switches tokens on',
  right: 'admin:enable',
  changes: true,
  input: {
    serials,
    found_again: flag('also those that were reported lost, and were found again'),
    revision: REVISION,
  },
  output: changed,
  run: ({ tokens }, caller, input) => each(input, (one) => tokens.enable(caller, one, input.found_again)),
  says: says('enabled'),
});

const resetTokens = operation({
  name: 'token reset',
  does: 'sets the fail counters of tokens to 0, which unlocks them',
  right: 'admin:reset',
  changes: true,
  input: { serials, revision: REVISION },
  output: changed,
  run: ({ tokens }, caller, input) => each(input, (one) => tokens.reset(caller, one)),
  says: says('reset'),
});

const disableTokens = operation({
  name: 'token disable',
  does: 'switches tokens off',
  right: 'admin:disable',
  changes: true,
  input: { serials, revision: REVISION },
  output: changed,
  run: ({ tokens }, caller, input) => each(input, (one) => tokens.disable(caller, one)),
  asks: ({ consequences }, _caller, input) => consequences.ofTokenWithdrawal(input.serials),
  says: says('disabled'),
});

const loseTokens = operation({
  name: 'token lose',
  does: 'switches tokens off whose device is lost, and closes their open challenges',
  right: 'admin:disable',
  changes: true,
  input: { serials },
  output: changed,
  run: ({ tokens }, caller, input) => each(input, (one) => tokens.lose(caller, one)),
  asks: ({ consequences }, _caller, input) => consequences.ofTokenWithdrawal(input.serials),
  says: says('reported lost'),
});

const unassignTokens = operation({
  name: 'token unassign',
  does: 'takes tokens from their owners; they stay in their realms',
  right: 'admin:unassign',
  changes: true,
  input: { serials, revision: REVISION },
  output: changed,
  run: ({ tokens }, caller, input) => each(input, (one) => tokens.unassign(caller, one)),
  asks: ({ consequences }, _caller, input) => consequences.ofTokenWithdrawal(input.serials),
  says: says('unassigned'),
});

const removeTokens = operation({
  name: 'token remove',
  does: 'removes tokens with their challenges',
  right: 'admin:remove',
  changes: true,
  input: { serials, revision: REVISION },
  output: changed,
  run: ({ tokens }, caller, input) => each(input, (one) => tokens.remove(caller, one)),
  asks: ({ consequences }, _caller, input) => consequences.ofTokenRemoval(input.serials),
  says: says('removed'),
});

const assignToken = operation({
  name: 'token assign',
  does: "gives a token to a user; it comes into the user's realm",
  right: 'admin:assign',
  changes: true,
  input: {
    serial,
    user: text('LOGIN or LOGIN@REALM', 'anna'),
    realm: text("the user's realm; else what follows the @, or the default realm", 'office').optional(),
    revision: REVISION,
  },
  run: async ({ tokens }, caller, input) => {
    await tokens.assign(caller, input);
  },
  says: (_none, input) => `${input.serial} belongs to ${input.user} now`,
});

const setTokenRealms = operation({
  name: 'token realms',
  does: 'puts a token into these realms and no others',
  right: 'admin:tokenrealm',
  changes: true,
  input: { serial, realms: list('the realms; left out: none', 'office').optional(), revision: REVISION },
  run: async ({ tokens }, caller, { serial: named, realms = [], revision }) => {
    await tokens.setRealms(caller, { serial: named, realms, revision });
  },
  asks: ({ consequences }, _caller, input) =>
    consequences.ofTokenRealms({ serial: input.serial, realms: input.realms ?? [] }),
  says: (_none, { serial: named, realms = [] }) =>
    `${named} is in ${realms.length === 0 ? 'no realm' : realms.join(', ')} now`,
});

const TIME = '2027-12-31T18:00:00Z, or 31/12/27 18:00 in the time zone of the server; empty: unbounded';

const setToken = operation({
  name: 'token set',
  does: 'changes what belongs to a token; what is not given stays',
  right: 'admin:set',
  changes: true,
  input: {
    serial,
    description: text('what people read', 'Spare phone').optional(),
    max_fail: wholeNumber('so many wrong responses lock it', 1, 1_000_000).optional(),
    counter_window: wholeNumber('how many counters ahead are tried', 1, 1_000).optional(),
    sync_window: wholeNumber('how many counters ahead are tried to synchronise', 1, 10_000).optional(),
    valid_from: text(`when it begins to take responses: ${TIME}`, '2027-01-01').optional(),
    valid_until: text(`when it takes none any more: ${TIME}`, '2027-12-31').optional(),
    max_uses: text('after so many responses, right or wrong, it takes none; 0: any number', '100').optional(),
    use_count: text('the responses so far', '0').optional(),
    max_successes: text('after so many accepted responses it takes none; 0: any number', '50').optional(),
    success_count: text('the accepted responses so far', '0').optional(),
    pin: password('the token PIN, which stands before each response').optional(),
    ocra_pin: password('the PIN of suites with P').optional(),
    revision: REVISION,
  },
  output: changed,
  run: ({ tokens }, caller, input) =>
    tokens.set(
      caller,
      { serial: input.serial, revision: input.revision },
      {
        description: input.description,
        maxFail: input.max_fail,
        counterWindow: input.counter_window,
        syncWindow: input.sync_window,
        pin: input.pin,
        ocraPin: input.ocra_pin,
        use: useOf(input),
      },
    ),
  says: (_changed, input) => `${input.serial} is changed`,
});

type UseInput = Readonly<
  Partial<
    Record<
      'valid_from' | 'valid_until' | 'use_count' | 'max_uses' | 'success_count' | 'max_successes',
      string | undefined
    >
  >
>;

/** @returns undefined: nothing of it is to be set */
function useOf(input: UseInput): Readonly<Record<string, string | undefined>> | undefined {
  const use = {
    validFrom: input.valid_from,
    validUntil: input.valid_until,
    useCount: input.use_count,
    maxUses: input.max_uses,
    successCount: input.success_count,
    maxSuccesses: input.max_successes,
  };
  return Object.values(use).some((value) => value !== undefined) ? use : undefined;
}

const removePin = operation({
  name: 'token remove-pin',
  does: 'removes the PIN of a token: responses are then accepted without it',
  right: 'admin:set',
  changes: true,
  input: {
    serial,
    ocra: flag('the PIN of suites with P, in place of the token PIN'),
    revision: REVISION,
  },
  output: changed,
  run: ({ tokens }, caller, input) =>
    tokens.removePin(
      caller,
      { serial: input.serial, revision: input.revision },
      input.ocra ? 'ocraPin' : 'pin',
    ),
  asks: ({ consequences }, _caller: Caller, input) =>
    consequences.ofPinRemoval(input.serial, input.ocra ? 'ocraPin' : 'pin'),
  says: (_changed, input) => `${input.serial} has no ${input.ocra ? 'OCRA PIN' : 'PIN'} now`,
});

const resyncToken = operation({
  name: 'token resync',
  does: 'brings a token back in step by two responses that it gave one after the other',
  right: 'admin:resync',
  changes: true,
  input: {
    serial,
    otp1: knownSecret('the first response'),
    otp2: knownSecret('the second response'),
    challenge1: text('what the first response answers; else the last challenge but one', '1234').optional(),
    challenge2: text('what the second response answers; else the last challenge', '5678').optional(),
  },
  output: z.boolean().describe('false: the responses were not found one after the other'),
  run: ({ resynchronisation }, caller, input) => resynchronisation.resync(caller, input),
  says: (_done, input) => `${input.serial} is in step again`,
  fails: (isDone, input) =>
    isDone
      ? undefined
      : `${input.serial} is not in step: the two responses were not found one after the other`,
});

/** `token init` is a command of its own: it leads through both phases. */
export const TOKENS: OperationGroup = {
  name: 'token',
  about: 'tokens; secrets are shown only where they are made',
  operations: [
    listTokens,
    showToken,
    setToken,
    removePin,
    resyncToken,
    enableTokens,
    disableTokens,
    resetTokens,
    loseTokens,
    assignToken,
    unassignTokens,
    setTokenRealms,
    removeTokens,
  ],
};
