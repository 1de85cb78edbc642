import type { HistoryRecord } from '../../tests/campaigns/once-only/operations.ts';
import type { ResultTable } from '../result-page.ts';
import { median, range } from '../sample-statistics.ts';
import type { FailoverRound, Trouble } from './failover-round.ts';

const TROUBLES: readonly Trouble[] = ['kill', 'freeze', 'switchover'];

/** @returns a row for each round, in seconds */
export function roundsTable(rounds: readonly FailoverRound[]): ResultTable {
  return {
    head: [
      'round',
      'trouble',
      'primary',
      'new primary, s',
      'first acceptance, s',
      'longest gap, s',
      'whole again, s',
      'by',
    ],
    rows: rounds.map((round, index) => [
      index + 1,
      round.trouble,
      `${round.from} → ${round.to}`,
      round.newPrimary.toFixed(1),
      round.firstAcceptance.toFixed(1),
      round.longestGap.toFixed(1),
      round.rejoined.toFixed(1),
      round.rejoinedBy,
    ]),
  };
}

/** @returns for each kind of trouble the seconds until the first acceptance: least, median, most */
export function summaryTable(rounds: readonly FailoverRound[]): ResultTable {
  return {
    head: ['seconds until the first acceptance', 'rounds', 'least', 'median', 'most'],
    rows: TROUBLES.flatMap((trouble) => {
      const seconds = rounds
        .filter((round) => round.trouble === trouble)
        .map((round) => round.firstAcceptance);
      const [least, most] = range(seconds);
      return seconds.length === 0
        ? []
        : [[trouble, seconds.length, ...[least, median(seconds), most].map((value) => value.toFixed(1))]];
    }),
  };
}

/** @returns the operations of clients, and their outcome */
export function operationsTable(records: readonly HistoryRecord[]): ResultTable {
  return {
    head: ['operations', 'ok', 'refused', 'unknown (503, no answer)'],
    rows: [...new Set(records.map(({ op }) => op))].map((name) => {
      const outcomes = records.filter(({ op }) => op === name).map(({ outcome }) => outcome);
      const times = (outcome: string): number => outcomes.filter((one) => one === outcome).length;
      return [name, times('ok'), times('refused'), times('unknown')];
    }),
  };
}
