import type { ResultTable } from '../../../bench/result-page.ts';
import { type Kill, KILLS } from './crash-storm.ts';
import { ReportedLedger } from '../reported-answers/reported-ledger.ts';
import type { ReportedVerdict } from '../reported-answers/reported-replay.ts';

/** The facts of a run. */
export interface CrashResult {
  readonly kills: readonly Kill[];
  /** Milliseconds of performance.now(), of the load. */
  readonly begun: number;
  readonly ended: number;
  readonly ledger: ReportedLedger;
  /** The reported acceptances at the end of the load, before any replay. */
  readonly acceptancesReported: number;
  readonly responses: Readonly<Record<'reported' | 'unknown' | 'unsent', number>>;
  readonly verdict: ReportedVerdict;
  readonly auditRows: number;
  readonly refusedStarts: number;
}

/** @returns the tables of a run: kills by kind, and the results of the requests */
export function crashReport(result: CrashResult): readonly ResultTable[] {
  return [killTable(result), countTable(result)];
}

function killTable({ kills }: CrashResult): ResultTable {
  return {
    head: ['kill -9 of', 'kills', 'seconds until each other server accepted again: least', 'median', 'most'],
    rows: KILLS.map((kind) => {
      const ofKind = kills.filter((kill) => kill.kind === kind);
      const times = ofKind.flatMap(({ recoveries }) => recoveries).toSorted((one, other) => one - other);
      return [
        kind,
        ofKind.length,
        ...[0, times.length >> 1, times.length - 1].map((at) => seconds(times[at])),
      ];
    }),
  };
}

function countTable(result: CrashResult): ResultTable {
  const { ledger, verdict, responses } = result;
  const { report } = verdict;
  const tally = ([name, counts]: readonly [string, CrashResult['responses']]): [string, string] => [
    name,
    `${counts.reported} told, ${counts.unknown} unknown, ${counts.unsent} not sent`,
  ];
  const rows = [
    ['seconds of load', seconds(result.ended - result.begun)],
    tally(['steps of roll-outs', ReportedLedger.tally(ledger.enrolments)]),
    tally(['challenges', ReportedLedger.tally(ledger.challenges)]),
    tally(['responses', responses]),
    ['acceptances told', result.acceptancesReported],
    ['acceptances in the database', report.acceptedTransactions.size],
    ['of these not told, as the answer got lost', unreported(result)],
    ['right responses sent again, each twice', verdict.replayed],
    ['accepted again', verdict.findings.filter(({ kind }) => kind === 'accepted twice').length],
    ['accepted then for the first time', verdict.acceptedByReplay],
    ['tokens that must have a fail counter above 0', report.countedTokens],
    ['lowest difference of a fail counter to what was told', report.lowestDifference],
    ['audit rows verified', result.auditRows],
    ['longest time without an acceptance, seconds', seconds(longestSilence(result))],
    ['starts of servers that ended as the database was away', result.refusedStarts],
    ['findings', verdict.findings.length],
  ];
  return { head: ['measured', 'result'], rows };
}

function unreported({ ledger, ended, verdict }: CrashResult): number {
  const reported = new Set(
    ledger.accepted.filter(({ at }) => at < ended).map(({ transactionId }) => transactionId),
  );
  return [...verdict.report.acceptedTransactions].filter((id) => !reported.has(id)).length;
}

/** The longest time between two reported acceptances under load. */
function longestSilence({ ledger, begun, ended }: CrashResult): number {
  const times = ledger.accepted.map(({ at }) => at).filter((at) => at < ended);
  return [...times, ended].reduce(
    ({ longest, last }, at) => ({ longest: Math.max(longest, at - last), last: at }),
    { longest: 0, last: begun },
  ).longest;
}

function seconds(milliseconds: number | undefined): string {
  return milliseconds === undefined ? '–' : (milliseconds / 1_000).toFixed(2);
}
