import type { HistoryRecord } from './operations.ts';

/**
 * Operations on different tokens are independent.
 * @returns the records of each token, or of several tokens that were named together; those of the configuration are in
 *   each
 */
export function byToken(records: readonly HistoryRecord[]): readonly (readonly HistoryRecord[])[] {
  const leaders = new Map<string, string>();
  const leaderOf = (name: string): string => {
    const above = leaders.get(name) ?? name;
    if (above === name) {
      return name;
    }
    const leader = leaderOf(above);
    leaders.set(name, leader);
    return leader;
  };
  const named = records.map(namesIn);
  for (const [first, ...others] of named) {
    others.forEach((other) => leaders.set(leaderOf(other), leaderOf(first ?? other)));
  }
  const groups = new Map<string, HistoryRecord[]>();
  for (const [index, record] of records.entries()) {
    const [name] = named[index] ?? [];
    const key = name === undefined ? '' : leaderOf(name);
    const group = groups.get(key) ?? [];
    group.push(record);
    groups.set(key, group);
  }
  const ofAll = groups.get('') ?? [];
  groups.delete('');
  return [...groups.values()].map((group) => [...ofAll, ...group]);
}

/** @returns the tokens, users and transactions that an operation and its answer name */
function namesIn({ args, answer }: HistoryRecord): string[] {
  const { serial, user, transaction } = args as { serial?: string; user?: string; transaction?: string };
  const drawn = (answer as { transaction?: string } | null | undefined)?.transaction;
  return [
    ...(serial === undefined ? [] : [`token ${serial}`]),
    ...(user === undefined ? [] : [`user ${user}`]),
    ...(transaction === undefined ? [] : [`transaction ${transaction}`]),
    ...(drawn === undefined ? [] : [`transaction ${drawn}`]),
  ];
}
