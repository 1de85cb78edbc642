import type { AuditEntry } from '../../audit/audit-row.ts';
import type { Decision } from '../../challenges/challenge.ts';
import type { NotedEntry } from '../../webhooks/webhook-event.ts';
import type { ChallengeRow } from './challenge-rows.ts';

type Seen = Pick<ChallengeRow, 'owner_login' | 'fail_count' | 'max_fail'>;

/** @returns the entry of a response with what it has brought about for the token, as it was seen before */
export function responseEntry(entry: AuditEntry, seen: Seen, { change, failCount }: Decision): NotedEntry {
  const isLockedNow = change !== null && seen.fail_count < seen.max_fail && failCount >= seen.max_fail;
  const isRolledOut = change?.token.rollout === 'complete';
  return {
    ...entry,
    user: seen.owner_login,
    consequences: [
      ...(isLockedNow ? (['token.locked'] as const) : []),
      ...(isRolledOut ? (['token.enrolled'] as const) : []),
    ],
  };
}
