import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';

import { appendHistory, byToken } from './history.ts';
import type { Possible } from './model.ts';
import type { Answer, HistoryRecord } from './operations.ts';
import { BUDGET, type Budget, type Search, searchOrder, type Stuck, toldIn } from './order-search.ts';

/** What is wrong with a history. */
export type FindingKind =
  | 'accepted twice'
  | 'accepted without a right response'
  | 'acceptance lost'
  | 'counter went back'
  | 'right response refused'
  | 'question of another text'
  | 'fail count lost'
  | 'fail count too high'
  | 'audit differs'
  | 'token or challenge lost'
  | 'strange answer'
  | 'no order explains this'
  | 'given up';

export interface Finding {
  readonly kind: FindingKind;
  readonly about: string;
  /** The operations concerned. */
  readonly records: readonly HistoryRecord[];
}

export interface Verdict {
  readonly operations: number;
  readonly acceptances: number;
  readonly unknown: number;
  readonly findings: readonly Finding[];
}

/** Checks whether the model explains a history, token by token. */
export function checkHistory(records: readonly HistoryRecord[], budget: Budget = BUDGET): Verdict {
  return {
    operations: records.length,
    acceptances: records.filter(isAcceptance).length,
    unknown: records.filter(({ outcome }) => outcome === 'unknown').length,
    findings: [
      ...records
        .filter(({ strange }) => strange !== undefined)
        .map((record): Finding => ({
          kind: 'strange answer',
          about: record.strange ?? '',
          records: [record],
        })),
      ...byToken(records).flatMap((group) => unexplained(group, budget)),
      ...acceptedTwice(records),
    ],
  };
}

/** @returns a finding as lines of text */
export function describeFinding({ kind, about, records }: Finding): string {
  return [`${kind}: ${about}`, ...records.map((record) => `  ${JSON.stringify(record)}`)].join('\n');
}

/**
 * @param records are written to a file, if they are given
 * @returns the findings by kind, with the first of each, and the file; empty without findings
 */
export function reportFindings(findings: readonly Finding[], records?: readonly HistoryRecord[]): string {
  const kinds = [...new Set(findings.map(({ kind }) => kind))].map((kind) => {
    const all = findings.filter((finding) => finding.kind === kind);
    return `${all.length} times ${all.slice(0, 1).map(describeFinding).join('')}`;
  });
  if (findings.length === 0 || records === undefined) {
    return kinds.join('\n');
  }
  const file = join(mkdtempSync(join(tmpdir(), 'tankeeper-findings-')), 'history.jsonl');
  appendHistory(file, records);
  return `${kinds.join('\n')}\nThe history: ${file}`;
}

/** The client was told that a response was accepted. */
export function isAcceptance({ op, outcome, answer }: HistoryRecord): boolean {
  return op === 'answer' && outcome === 'ok' && resultOf(answer ?? null) === true;
}

/** Whatever the model says: each transaction once. */
function acceptedTwice(records: readonly HistoryRecord[]): Finding[] {
  const accepted = new Map<string, HistoryRecord[]>();
  for (const record of records.filter(isAcceptance)) {
    const { transaction } = record.args as { transaction?: string };
    if (transaction !== undefined) {
      accepted.set(transaction, [...(accepted.get(transaction) ?? []), record]);
    }
  }
  return [...accepted]
    .filter(([, all]) => all.length > 1)
    .map(([transaction, all]): Finding => ({ kind: 'accepted twice', about: transaction, records: all }));
}

function unexplained(group: readonly HistoryRecord[], budget: Budget): Finding[] {
  const search = searchOrder(group, budget);
  return search.result === 'explained' ? [] : [explainedUpTo(search, group)];
}

function explainedUpTo(
  { result, stuck }: Exclude<Search, { result: 'explained' }>,
  group: readonly HistoryRecord[],
): Finding {
  const [possible] = stuck.possible;
  const kind = result === 'given up' ? 'given up' : kindOf(stuck, possible);
  const told = JSON.stringify(toldIn(stuck.record));
  const model = stuck.possible
    .map(({ answer, decision }) => JSON.stringify({ answer, decision }))
    .join(' or ');
  return {
    kind,
    about: `told ${told}, ${stuck.record.decision ?? ''}; the model says ${model}, after ${stuck.explained.length} of ${group.length} operations`,
    records: [...related(stuck, group), stuck.record],
  };
}

/** @returns the operations on the same transaction, or else the last ones on the token */
function related({ record, explained }: Stuck, group: readonly HistoryRecord[]): readonly HistoryRecord[] {
  const { transaction } = record.args as { transaction?: string };
  const isOfIt = ({ args, answer }: HistoryRecord): boolean =>
    (args as { transaction?: string }).transaction === transaction ||
    (answer as { transaction?: string } | null | undefined)?.transaction === transaction;
  const before = transaction === undefined ? explained.slice(-8) : group.filter(isOfIt);
  return before.filter((one) => one !== record).slice(-12);
}

/** @returns what the difference between the client's answer and the model's means */
function kindOf({ record, state, explained }: Stuck, possible: Possible | undefined): FindingKind {
  const told = toldIn(record);
  const due = possible?.answer ?? null;
  switch (record.op) {
    case 'answer': {
      const { transaction, response } = record.args;
      const wasUsed = explained.some(
        (one) => one.op === 'answer' && isAcceptance(one) && isDeepStrictEqual(one.args.response, response),
      );
      const wasAccepted = state.challenges.some((one) => one.valid && one.transaction === transaction);
      return kindOfAnswer(record, told, due, wasAccepted || wasUsed);
    }
    case 'status':
    case 'show':
    case 'rows':
      return kindOfLook(told, due);
    case 'request':
      return kindOfRequest(told, due);
    default:
      return 'no order explains this';
  }
}

function kindOfRequest(told: Answer, due: Answer): FindingKind {
  const areIssued = typeof told === 'object' && typeof due === 'object';
  return areIssued ? 'question of another text' : 'no order explains this';
}

function kindOfAnswer(record: HistoryRecord, told: Answer, due: Answer, wasAccepted: boolean): FindingKind {
  const isTold = record.outcome === 'unknown' ? record.decision === 'accepted' : resultOf(told) === true;
  const isDue = resultOf(due) === true;
  if (isTold !== isDue) {
    return isDue
      ? 'right response refused'
      : wasAccepted
        ? 'accepted twice'
        : 'accepted without a right response';
  }
  return record.outcome === 'unknown' ? 'audit differs' : (differingCount(told, due) ?? 'audit differs');
}

function kindOfLook(told: Answer, due: Answer): FindingKind {
  const accepted = (answer: Answer): number =>
    JSON.stringify(answer).match(/"valid_tan":true| accepted"/g)?.length ?? 0;
  const counter = (answer: Answer): number => Number((answer as { counter?: string } | null)?.counter ?? 0);
  const size = (answer: Answer): number =>
    JSON.stringify(answer).match(/"valid_tan"| \d+ \w+"/g)?.length ?? 0;
  if (told === null || size(told) < size(due)) {
    return 'token or challenge lost';
  }
  if (accepted(told) !== accepted(due)) {
    return accepted(told) < accepted(due) ? 'acceptance lost' : 'accepted without a right response';
  }
  if (counter(told) < counter(due)) {
    return 'counter went back';
  }
  return differingCount(told, due) ?? 'no order explains this';
}

function differingCount(told: Answer, due: Answer): FindingKind | undefined {
  const counts = (answer: Answer): number =>
    [...JSON.stringify(answer).matchAll(/"failcount":(\d+)/g)].reduce(
      (sum, [, count]) => sum + Number(count),
      0,
    );
  const difference = counts(told) - counts(due);
  return difference === 0 ? undefined : difference < 0 ? 'fail count lost' : 'fail count too high';
}

function resultOf(answer: Answer): unknown {
  const { result, value } = (answer ?? {}) as { result?: unknown; value?: unknown };
  return answer === true || (result ?? value);
}
