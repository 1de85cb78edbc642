import { type Command, Option } from 'commander';
import { CliFailure, EXIT_CODES } from '../cli-failure.ts';
import { addCommand, addConfirmedCommand, type CommandContext } from '../command-context.ts';
import { addPinOptions, addTokenInitCommand, type PinOptions, readPins } from './token-init.ts';
import { wholeNumberOption } from '../option-values.ts';
import type { Column, TextStyle } from '../output.ts';
import type { TokenListing } from '../../tokens/token-selection.ts';
import { boundOf, type DescribedToken, isLocked, type UseBound } from '../../tokens/token.ts';
import { splitList } from '../../kernel/text.ts';

const HARMLESS_CHANGES = [
  { verb: 'enable', done: 'enabled', description: 'switch tokens on' },
  { verb: 'reset', done: 'reset', description: 'set the fail counters of tokens to 0, which unlocks them' },
] as const;

const WITHDRAWALS = [
  { verb: 'disable', done: 'disabled', description: 'switch tokens off', foresee: 'ofTokenWithdrawal' },
  {
    verb: 'lose',
    done: 'reported lost',
    description: 'switch off tokens whose device is lost, and close their open challenges',
    foresee: 'ofTokenWithdrawal',
  },
  {
    verb: 'unassign',
    done: 'unassigned',
    description: 'take tokens from their owners',
    foresee: 'ofTokenWithdrawal',
  },
  {
    verb: 'remove',
    done: 'removed',
    description: 'remove tokens with their challenges',
    foresee: 'ofTokenRemoval',
  },
] as const;

/** Adds `tankeeper token …`. */
export function addTokenCommands(program: Command, context: CommandContext): void {
  const token = program.command('token').description('tokens; secrets are shown only where they are made');
  addTokenListCommands(token, context);
  addTokenInitCommand(token, context);
  addTokenSetCommand(token, context);
  addRemovePinCommand(token, context);
  addTokenResyncCommand(token, context);
  for (const { verb, done, description } of HARMLESS_CHANGES) {
    addCommand(token, verb, description, [`token ${verb} LSGO1`, `token ${verb} LSGO1 LSGO2`])
      .argument('<serial...>')
      .action(async (serials: readonly string[]) => {
        await context.withServices(async ({ tokens }, caller) => {
          for (const serial of serials) {
            await tokens[verb](caller, { serial });
          }
        });
        context.output.done(serials.map((serial) => `${serial} is ${done}`).join('\n'), { serials });
      });
  }
  addWithdrawals(token, context);
  addAssign(token, context);
  addRealms(token, context);
}

function addWithdrawals(token: Command, context: CommandContext): void {
  for (const { verb, done, description, foresee } of WITHDRAWALS) {
    addConfirmedCommand(token, verb, description, [`token ${verb} LSGO1`, `token ${verb} LSGO1 LSGO2 --yes`])
      .argument('<serial...>')
      .action(async (serials: readonly string[]) => {
        await context.confirmed({
          foresee: ({ consequences }) => consequences[foresee](serials),
          act: async ({ tokens }, caller) => {
            for (const serial of serials) {
              await tokens[verb](caller, { serial });
            }
          },
          done: () => [serials.map((serial) => `${serial} is ${done}`).join('\n'), { serials }],
        });
      });
  }
}

function addAssign(token: Command, context: CommandContext): void {
  addCommand(token, 'assign', "give a token to a user; it comes into the user's realm", [
    'token assign LSGO1 anna',
    'token assign LSGO1 anna --realm office',
  ])
    .argument('<serial>')
    .argument('<user>', 'LOGIN or LOGIN@REALM')
    .option('--realm <name>', "the user's realm; else what follows the @, or the default realm")
    .action(async (serial: string, user: string, { realm }: { realm?: string }) => {
      await context.withServices(({ tokens }, caller) => tokens.assign(caller, { serial, user, realm }));
      context.output.done(`${serial} belongs to ${user} now`, { serial, user });
    });
}

function addRealms(token: Command, context: CommandContext): void {
  addConfirmedCommand(token, 'realms', 'set the realms that a token is in', [
    'token realms LSGO1 office,partners',
    'token realms LSGO1 --none',
  ])
    .argument('<serial>')
    .argument('[realms]', 'comma separated')
    .option('--none', 'no realm')
    .action(async (serial: string, list: string | undefined, { none }: { none?: true }) => {
      const realms = splitList(list ?? '');
      if ((realms.length === 0) !== (none === true)) {
        throw new CliFailure('give either REALMS or --none', EXIT_CODES.usage);
      }
      const where = none === true ? 'no realm' : realms.join(', ');
      await context.confirmed({
        foresee: ({ consequences }) => consequences.ofTokenRealms({ serial, realms }),
        act: ({ tokens }, caller) => tokens.setRealms(caller, { serial, realms }),
        done: () => [`${serial} is in ${where} now`, { serial, realms }],
      });
    });
}

interface ListOptions {
  readonly user?: string;
  readonly realm?: string;
  readonly inNoRealm?: true;
  readonly active?: true;
  readonly inactive?: true;
  readonly assigned?: true;
  readonly unassigned?: true;
  readonly limit?: number;
  readonly offset?: number;
}

const listColumns = (now: Date): readonly Column<DescribedToken>[] => [
  { key: 'serial', title: 'SERIAL', value: ({ serial }) => serial },
  { key: 'type', title: 'TYPE', value: ({ type }) => type },
  { key: 'user', title: 'USER', value: ({ owner }) => owner?.login ?? null },
  { key: 'resolver', value: ({ owner }) => owner?.resolver ?? null },
  { key: 'realms', title: 'REALMS', value: ({ realms }) => realms },
  {
    key: 'state',
    title: 'STATE',
    value: (token) => stateOf(token, now),
    style: (token) => STYLES[stateOf(token, now)],
  },
  { key: 'failcount', title: 'FAILS', value: ({ failCount }) => failCount, align: 'right' },
];

const showColumns = (now: Date): readonly Column<DescribedToken>[] => [
  { key: 'serial', title: 'Serial', value: ({ serial }) => serial },
  { key: 'type', title: 'Type', value: ({ type }) => type },
  { key: 'description', title: 'Description', value: ({ description }) => description },
  { key: 'user', title: 'User', value: ({ owner }) => owner?.login ?? null },
  { key: 'resolver', title: 'Resolver', value: ({ owner }) => owner?.resolver ?? null },
  { key: 'realms', title: 'Realms', value: ({ realms }) => realms },
  {
    key: 'state',
    title: 'State',
    value: (token) => stateOf(token, now),
    style: (token) => STYLES[stateOf(token, now)],
  },
  { key: 'active', value: ({ active }) => active },
  { key: 'rollout', title: 'Roll-out', value: ({ rollout }) => rollout },
  { key: 'pin', title: 'PIN', value: ({ hasPin }) => (hasPin ? 'set' : 'none') },
  { key: 'suite', title: 'OCRA suite', value: ({ ocraSuite }) => ocraSuite },
  { key: 'failcount', title: 'Fail counter', value: ({ failCount }) => failCount },
  { key: 'maxfail', title: 'Locks at', value: ({ maxFail }) => maxFail },
  { key: 'validfrom', title: 'Valid from', value: ({ use }) => use.validFrom?.toISOString() ?? null },
  { key: 'validuntil', title: 'Valid until', value: ({ use }) => use.validUntil?.toISOString() ?? null },
  { key: 'usecount', title: 'Responses counted', value: ({ use }) => use.useCount },
  { key: 'maxuses', title: 'Responses at most', value: ({ use }) => use.maxUses },
  { key: 'successcount', title: 'Accepted counted', value: ({ use }) => use.successCount },
  { key: 'maxsuccesses', title: 'Accepted at most', value: ({ use }) => use.maxSuccesses },
  // In decimal: a counter may exceed JSON's safe integers.
  { key: 'counter', title: 'Counter', value: ({ counter }) => counter.toString() },
  { key: 'counterwindow', title: 'Counter window', value: ({ counterWindow }) => counterWindow },
  { key: 'syncwindow', title: 'Sync window', value: ({ syncWindow }) => syncWindow },
  { key: 'timeshift', title: 'Time shift', value: ({ timeShift }) => timeShift },
  { key: 'created', title: 'Created', value: ({ createdAt }) => createdAt.toISOString() },
  {
    key: 'lastsuccess',
    title: 'Last success',
    value: ({ lastSuccessAt }) => lastSuccessAt?.toISOString() ?? null,
  },
];

/** The state of a token, or the first reason for which it does not work. */
type TokenCondition = 'active' | 'disabled' | 'locked' | 'phase1' | 'phase2' | UseBound;

/** @returns the state of the token; an unfinished roll-out comes first, then the lock, then being switched off */
export function stateOf(
  token: Pick<DescribedToken, 'rollout' | 'active' | 'failCount' | 'maxFail' | 'use'>,
  now: Date,
): TokenCondition {
  if (token.rollout !== 'complete') {
    return token.rollout;
  }
  if (isLocked(token)) {
    return 'locked';
  }
  return token.active ? (boundOf(token.use, now) ?? 'active') : 'disabled';
}

/** A token that is refused because of wrong responses stands out; one that is switched off recedes. */
const STYLES: Readonly<Record<TokenCondition, TextStyle>> = {
  active: 'green',
  disabled: 'dim',
  locked: 'red',
  phase1: 'yellow',
  phase2: 'yellow',
  early: 'yellow',
  expired: 'dim',
  'used-up': 'dim',
};

/** Adds `token list` and `token show`. */
function addTokenListCommands(token: Command, context: CommandContext): void {
  addList(token, context);
  addCommand(token, 'show', 'show a token; no secrets', ['token show LSGO1', '--json token show LSGO1'])
    .argument('<serial>')
    .action(async (serial: string) => {
      const found = await context.withServices(({ tokens }, caller) => tokens.show(caller, serial));
      context.output.record(found, showColumns(context.dependencies.clock.now()));
    });
}

function addList(token: Command, context: CommandContext): void {
  addCommand(token, 'list', 'list tokens; no secrets', [
    'token list --user anna',
    'token list --realm office --inactive --limit 100',
  ])
    .option('--user <login>', 'those of a user: LOGIN or LOGIN@REALM')
    .addOption(new Option('--realm <name>', 'those in a realm').conflicts('inNoRealm'))
    .option('--in-no-realm', 'those in no realm')
    .addOption(new Option('--active', 'those that are switched on').conflicts('inactive'))
    .option('--inactive', 'those that are switched off')
    .addOption(new Option('--assigned', 'those that belong to somebody').conflicts('unassigned'))
    .option('--unassigned', 'those that belong to nobody')
    .option('--limit <number>', 'at most so many', wholeNumberOption(1, 1_000_000))
    .option('--offset <number>', 'leave so many out first', wholeNumberOption(0, 1_000_000_000))
    .action(async (options: ListOptions) => {
      const found = await context.withServices(({ tokens }, caller) =>
        tokens.list(caller, toListing(options)),
      );
      context.output.list(found, listColumns(context.dependencies.clock.now()), 'no tokens');
    });
}

function toListing(options: ListOptions): TokenListing {
  return {
    user: options.user,
    realm: options.inNoRealm === true ? null : options.realm,
    active: eitherOf(options.active, options.inactive),
    assigned: eitherOf(options.assigned, options.unassigned),
    limit: options.limit,
    offset: options.offset,
  };
}

function eitherOf(yes: true | undefined, no: true | undefined): boolean | undefined {
  return yes ?? (no === true ? false : undefined);
}

/** The forms of a time. */
const TIME = '2027-12-31T18:00:00Z, or 31/12/27 18:00 in the time zone of this machine; empty: unbounded';

interface SetOptions extends PinOptions {
  readonly description?: string;
  readonly maxFail?: number;
  readonly counterWindow?: number;
  readonly syncWindow?: number;
  readonly validFrom?: string;
  readonly validUntil?: string;
  readonly useCount?: string;
  readonly maxUses?: string;
  readonly successCount?: string;
  readonly maxSuccesses?: string;
}

/** Adds `token set`. */
function addTokenSetCommand(token: Command, context: CommandContext): void {
  addPinOptions(
    addConfirmedCommand(token, 'set', 'change what belongs to a token; what is not given stays', [
      'token set LSGO1 --max-fail 5',
      'token set LSGO1 --valid-until 2027-12-31T18:00:00Z --max-successes 100',
      'token set LSGO1 --ask-pin --description "Spare phone"',
    ]),
  )
    .argument('<serial>')
    .option('--description <text>', 'what people read')
    .option('--max-fail <number>', 'so many wrong responses lock it', wholeNumberOption(1, 1_000_000))
    .option('--counter-window <number>', 'how many counters ahead are tried', wholeNumberOption(1, 1_000))
    .option(
      '--sync-window <number>',
      'how many counters ahead are tried to synchronise',
      wholeNumberOption(1, 10_000),
    )
    .option('--valid-from <time>', `when it begins to take responses: ${TIME}`)
    .option('--valid-until <time>', `when it takes none any more: ${TIME}`)
    .option('--max-uses <number>', 'after so many responses, right or wrong, it takes none; 0: any number')
    .option('--use-count <number>', 'the responses so far')
    .option('--max-successes <number>', 'after so many accepted responses it takes none; 0: any number')
    .option('--success-count <number>', 'the accepted responses so far')
    .action(async (serial: string, options: SetOptions) => {
      const { description, maxFail, counterWindow, syncWindow } = options;
      const { validFrom, validUntil, useCount, maxUses, successCount, maxSuccesses } = options;
      const given = { validFrom, validUntil, useCount, maxUses, successCount, maxSuccesses };
      const use = Object.values(given).some((value) => value !== undefined) ? given : undefined;
      const pins = await readPins(context, options);
      await context.confirmed({
        foresee: async ({ consequences }) => (use === undefined ? [] : consequences.ofTokenUse(serial, use)),
        act: ({ tokens }, caller) =>
          tokens.set(caller, { serial }, { description, maxFail, counterWindow, syncWindow, use, ...pins }),
        done: () => [`${serial} is changed`, { serial }],
      });
    });
}

/** Adds `token remove-pin`. */
function addRemovePinCommand(token: Command, context: CommandContext): void {
  addConfirmedCommand(
    token,
    'remove-pin',
    'remove the PIN of a token: responses are then accepted without it',
    ['token remove-pin LSGO1', 'token remove-pin LSGO1 --ocra --yes'],
  )
    .argument('<serial>')
    .option('--ocra', 'the OCRA PIN, in place of the token PIN')
    .action(async (serial: string, { ocra }: { ocra?: true }) => {
      const pin = ocra === true ? 'ocraPin' : 'pin';
      await context.confirmed({
        foresee: ({ consequences }) => consequences.ofPinRemoval(serial, pin),
        act: ({ tokens }, caller) => tokens.removePin(caller, { serial }, pin),
        done: () => [`${serial} has no ${ocra === true ? 'OCRA PIN' : 'PIN'} now`, { serial }],
      });
    });
}

interface ResyncOptions {
  readonly challenge1?: string;
  readonly challenge2?: string;
  readonly otp1File?: string;
  readonly otp2File?: string;
}

/** Adds `token resync`. */
function addTokenResyncCommand(token: Command, context: CommandContext): void {
  addCommand(
    token,
    'resync',
    'bring a token back in step by two responses that it gave one after the other',
    ['token resync LSGO1', 'token resync LSGO1 --challenge1 12345678 --challenge2 87654321'],
  )
    .argument('<serial>')
    .option('--challenge1 <question>', 'what the first response answers; else the last challenge but one')
    .option('--challenge2 <question>', 'what the second response answers; else the last challenge')
    .option('--otp1-file <file>', 'a file that holds the first response, - for stdin; else it is asked for')
    .option('--otp2-file <file>', 'a file that holds the second response, - for stdin; else it is asked for')
    .action(async (serial: string, options: ResyncOptions) => {
      const { challenge1, challenge2, otp1File, otp2File } = options;
      const otp1 = await context.knownSecret('First response', '--otp1-file', otp1File);
      const otp2 = await context.knownSecret('Second response', '--otp2-file', otp2File);
      const request = { serial, otp1: otp1.trim(), otp2: otp2.trim(), challenge1, challenge2 };
      const done = await context.withServices(({ resynchronisation }, caller) =>
        resynchronisation.resync(caller, request),
      );
      if (!done) {
        throw new CliFailure(
          `${serial} is not in step: the two responses were not found one after the other`,
        );
      }
      context.output.done(`${serial} is in step again`, { serial });
    });
}
