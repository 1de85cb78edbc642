import { type Command, Option } from 'commander';
import { isLocked } from '../../../tokens/token.ts';
import type { TokenListing } from '../../../tokens/token-selection.ts';
import type { DescribedToken } from '../../../tokens/token-view.ts';
import type { CommandContext } from '../../command-context.ts';
import { wholeNumberOption } from '../../option-values.ts';
import type { Column } from '../../output.ts';
import type { TextStyle } from '../../text-style.ts';
import { examples } from '../../examples.ts';

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

const LIST_COLUMNS: readonly Column<DescribedToken>[] = [
  { key: 'serial', title: 'SERIAL', value: ({ serial }) => serial, whole: true },
  { key: 'type', title: 'TYPE', value: ({ type }) => type, rank: 7 },
  { key: 'user', title: 'USER', value: ({ owner }) => owner?.login ?? null },
  { key: 'resolver', value: ({ owner }) => owner?.resolver ?? null },
  { key: 'realms', title: 'REALMS', value: ({ realms }) => realms },
  { key: 'state', title: 'STATE', value: stateOf, style: stateStyle, rank: 1, whole: true },
  { key: 'failcount', title: 'FAILS', value: ({ failCount }) => failCount, align: 'right' },
];

const SHOW_COLUMNS: readonly Column<DescribedToken>[] = [
  { key: 'serial', title: 'Serial', value: ({ serial }) => serial },
  { key: 'type', title: 'Type', value: ({ type }) => type },
  { key: 'description', title: 'Description', value: ({ description }) => description },
  { key: 'user', title: 'User', value: ({ owner }) => owner?.login ?? null },
  { key: 'resolver', title: 'Resolver', value: ({ owner }) => owner?.resolver ?? null },
  { key: 'realms', title: 'Realms', value: ({ realms }) => realms },
  { key: 'state', title: 'State', value: stateOf, style: stateStyle },
  { key: 'active', value: ({ active }) => active },
  { key: 'rollout', title: 'Roll-out', value: ({ rollout }) => rollout },
  { key: 'pin', title: 'PIN', value: ({ hasPin }) => (hasPin ? 'set' : 'none') },
  { key: 'suite', title: 'OCRA suite', value: ({ ocraSuite }) => ocraSuite },
  { key: 'failcount', title: 'Fail counter', value: ({ failCount }) => failCount },
  { key: 'maxfail', title: 'Locks at', value: ({ maxFail }) => maxFail },
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
type TokenCondition = 'active' | 'disabled' | 'locked' | 'phase1' | 'phase2';

/** @returns the state of the token; an unfinished roll-out comes first, then the lock */
export function stateOf(
  token: Pick<DescribedToken, 'rollout' | 'active' | 'failCount' | 'maxFail'>,
): TokenCondition {
  if (token.rollout !== 'complete') {
    return token.rollout;
  }
  if (isLocked(token)) {
    return 'locked';
  }
  return token.active ? 'active' : 'disabled';
}

/** A token that is refused because of wrong responses stands out; one that is switched off recedes. */
function stateStyle(token: DescribedToken): TextStyle {
  const styles = {
    active: 'green',
    disabled: 'dim',
    locked: 'red',
    phase1: 'yellow',
    phase2: 'yellow',
  } as const;
  return styles[stateOf(token)];
}

/** Adds `token list` and `token show`. */
export function addTokenListCommands(token: Command, context: CommandContext): void {
  addList(token, context);
  token
    .command('show')
    .addHelpText('after', examples('token show LSGO1', '--json token show LSGO1'))
    .description('show a token; no secrets')
    .argument('<serial>')
    .action(async (serial: string, _options: object, command: Command) => {
      const found = await context.withServices(({ tokens }, caller) => tokens.show(caller, serial));
      context.output(command).record(found, SHOW_COLUMNS);
    });
}

function addList(token: Command, context: CommandContext): void {
  token
    .command('list')
    .addHelpText(
      'after',
      examples('token list --user anna', 'token list --realm office --inactive --limit 100'),
    )
    .description('list tokens; no secrets')
    .option('--user <login>', 'those of a user: LOGIN or LOGIN@REALM')
    .addOption(new Option('--realm <name>', 'those in a realm').conflicts('inNoRealm'))
    .option('--in-no-realm', 'those in no realm')
    .addOption(new Option('--active', 'those that are switched on').conflicts('inactive'))
    .option('--inactive', 'those that are switched off')
    .addOption(new Option('--assigned', 'those that belong to somebody').conflicts('unassigned'))
    .option('--unassigned', 'those that belong to nobody')
    .option('--limit <number>', 'at most so many', wholeNumberOption(1, 1_000_000))
    .option('--offset <number>', 'leave so many out first', wholeNumberOption(0, 1_000_000_000))
    .action(async (options: ListOptions, command: Command) => {
      const found = await context.withServices(({ tokens }, caller) =>
        tokens.list(caller, toListing(options)),
      );
      context.output(command).list(found, LIST_COLUMNS, 'no tokens');
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
