import type { Command } from 'commander';
import { addCommand, type CommandContext } from '../command-context.ts';
import { type Column, withProgress } from '../output.ts';
import type { HousekeepingTally } from '../../housekeeping/housekeeping.ts';

const columns = (rows: string): readonly Column<HousekeepingTally>[] => [
  { key: 'what', title: 'WHAT', value: ({ chore }) => chore },
  { key: rows, title: rows.toUpperCase(), value: (tally) => tally.rows, align: 'right' },
];

/** Adds `tankeeper housekeeping`. */
export function addHousekeepingCommand(program: Command, context: CommandContext): void {
  const { io } = context.dependencies;
  const housekeeping = program
    .command('housekeeping')
    .description('remove what is old; servers do so by themselves, unless HOUSEKEEPING_INTERVAL is off');
  addCommand(
    housekeeping,
    'run',
    'remove challenges that expired long ago (CHALLENGE_RETENTION), sessions and rate limits that have ended, and old numbers of responses',
    ['housekeeping run --dry-run', 'housekeeping run'],
  )
    .option('--dry-run', 'count what would be removed (up to a million), and remove nothing')
    .option(
      '--confirm-time',
      "the database's time is right, although its clock has jumped by more than a day",
    )
    .action(async ({ dryRun, confirmTime }: { dryRun?: true; confirmTime?: true }) => {
      const output = context.output;
      if (dryRun === true) {
        const due = await context.withServices((services, caller) =>
          withProgress(io, 'counting what is due', () => services.housekeeping.due(caller)),
        );
        output.list(due, columns('due'), '');
        return;
      }
      const removed = await context.withServices((services, caller) =>
        withProgress(io, 'removing what is old', () =>
          services.housekeeping.run(caller, confirmTime === true),
        ),
      );
      if (removed === undefined) {
        output.done('a server is at it just now; nothing was done here', { busy: true });
      } else {
        output.list(removed, columns('removed'), '');
      }
    });
}
