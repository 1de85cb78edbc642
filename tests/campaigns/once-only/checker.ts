import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { byToken } from './history.ts';
import type { Answer, HistoryRecord } from './operations.ts';
import { BUDGET, type Budget, type Search, searchOrder, type Stuck, toldIn } from './order-search.ts';

/** What is wrong with a history. */
type FindingKind =
  'accepted twice' | 'audit differs' | 'strange answer' | 'no order explains this' | 'given up';

export interface Finding {
  readonly kind: FindingKind;
  readonly about: string;
  /** The operations concerned. */
  readonly records: readonly HistoryRecord[];
}

/** Checks whether the model explains a history, token by token. */
export function checkHistory(records: readonly HistoryRecord[], budget: Budget = BUDGET): readonly Finding[] {
  return [
    ...records
      .filter(({ strange }) => strange !== undefined)
      .map((record): Finding => ({
        kind: 'strange answer',
        about: record.strange ?? '',
        records: [record],
      })),
    ...byToken(records).flatMap((group) => unexplained(group, budget)),
    ...acceptedTwice(records),
  ];
}

/** @returns a finding as lines of text */
function describeFinding({ kind, about, records }: Finding): string {
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
  writeFileSync(file, records.map((record) => `${JSON.stringify(record)}\n`).join(''));
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
  const kind = result === 'given up' ? 'given up' : 'no order explains this';
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

function resultOf(answer: Answer): unknown {
  const { result, value } = (answer ?? {}) as { result?: unknown; value?: unknown };
  return answer === true || (result ?? value);
}
