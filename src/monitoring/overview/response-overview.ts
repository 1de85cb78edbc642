import type { ResponseReason } from '../../challenges/challenge.ts';
import type { ResponseMinute } from '../observation-store.ts';
import { addDurations, countOf, NO_DURATIONS, quantile } from '../response-durations.ts';
import type { ResponseNumbers, ResponseOverview } from './overview.ts';

const MINUTE_MS = 60_000;
const MINUTES = 60;
/** Minutes by which a clock may be ahead: later rows are of a clock that was wrong, and would stay for as long. */
const AHEAD = 5;

/** @returns the first of the sixty minutes that end with the present one */
export function firstMinute(now: Date): Date {
  const present = Math.floor(now.getTime() / MINUTE_MS);
  return new Date((present - MINUTES + 1) * MINUTE_MS);
}

/**
 * @param rows from that minute on; those of a server whose clock is ahead may be later than the last minute
 * @param since the first minute
 */
export function responseOverview(rows: readonly ResponseMinute[], since: Date): ResponseOverview {
  const end = since.getTime() + (MINUTES + AHEAD) * MINUTE_MS;
  const recent = rows.filter(({ minute }) => minute.getTime() < end);
  const byMinute = new Map<number, ResponseMinute[]>();
  for (const row of recent) {
    const found = byMinute.get(row.minute.getTime()) ?? [];
    found.push(row);
    byMinute.set(row.minute.getTime(), found);
  }
  const minutes = Array.from({ length: MINUTES }, (_, place) => {
    const minute = new Date(since.getTime() + place * MINUTE_MS);
    return { minute, ...numbersOf(byMinute.get(minute.getTime()) ?? []) };
  });
  return { since, ...numbersOf(recent), minutes };
}

function numbersOf(rows: readonly ResponseMinute[]): ResponseNumbers {
  const outcomes: Partial<Record<ResponseReason, number>> = {};
  let durations = NO_DURATIONS;
  for (const row of rows) {
    outcomes[row.outcome] = (outcomes[row.outcome] ?? 0) + countOf(row.durations);
    durations = addDurations(durations, row.durations);
  }
  return { outcomes, p50: quantile(durations, 0.5) ?? null, p95: quantile(durations, 0.95) ?? null };
}
