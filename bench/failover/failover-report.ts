import Table from 'cli-table3';

import { ToldLedger } from '../../tests/support/told-ledger.ts';
import { median, range } from '../sample-statistics.ts';
import type { FailoverRound, Trouble } from './failover-round.ts';

const STYLE = { style: { head: [], border: [] } };

/** @returns a table with a line for each round, and one for each kind with least, median and most */
export function roundsTable(rounds: readonly FailoverRound[]): string {
  const table = new Table({
    ...STYLE,
    head: [
      'round',
      'trouble',
      'primary',
      'new primary s',
      'first acceptance s',
      'longest gap s',
      'whole again s',
      'by',
    ],
    colAligns: ['right', 'left', 'left', 'right', 'right', 'right', 'right', 'left'],
  });
  rounds.forEach((round, index) => {
    table.push([
      index + 1,
      round.trouble,
      `${round.from} → ${round.to}`,
      round.newPrimary.toFixed(1),
      round.firstAcceptance.toFixed(1),
      round.longestGap.toFixed(1),
      round.rejoined.toFixed(1),
      round.rejoinedBy,
    ]);
  });
  return table.toString();
}

/** @returns for each kind of trouble the seconds until the first acceptance: least, median, most */
export function summaryTable(rounds: readonly FailoverRound[]): string {
  const table = new Table({
    ...STYLE,
    head: ['seconds until the first acceptance', 'rounds', 'least', 'median', 'most'],
    colAligns: ['left', 'right', 'right', 'right', 'right'],
  });
  const troubles: readonly Trouble[] = ['kill', 'freeze', 'switchover'];
  for (const trouble of troubles) {
    const seconds = rounds.filter((round) => round.trouble === trouble).map((round) => round.firstAcceptance);
    if (seconds.length > 0) {
      const [least, most] = range(seconds);
      table.push([
        trouble,
        seconds.length,
        ...[least, median(seconds), most].map((value) => value.toFixed(1)),
      ]);
    }
  }
  return table.toString();
}

/** @returns what clients asked for, and what became of it */
export function requestsTable({ enrolments, challenges, responses }: ToldLedger): string {
  const table = new Table({
    ...STYLE,
    head: ['requests', 'told', 'unknown (503, no answer)', 'unsent'],
    colAligns: ['left', 'right', 'right', 'right'],
  });
  const kinds = { enrolments, challenges, responses };
  for (const [name, steps] of Object.entries(kinds)) {
    const { told, unknown, unsent } = ToldLedger.tally(steps);
    table.push([name, told, unknown, unsent]);
  }
  return table.toString();
}
