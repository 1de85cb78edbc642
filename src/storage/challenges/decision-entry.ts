import type { Decision } from '../../challenges/challenge.ts';
import type { Act } from '../../policy/caller.ts';
import type { NotedEntry } from '../../webhooks/webhook-event.ts';
import { auditEntry } from '../audit/audit-rows.ts';
import type { ChallengeRow } from './challenge-rows.ts';

type Seen = Pick<
  ChallengeRow,
  'serial' | 'realms' | 'transaction_id' | 'owner_login' | 'fail_count' | 'max_fail'
>;

/** @returns the audit entry of a response, with what it brings about for the token, as it was seen before */
export function decisionEntry(act: Act, seen: Seen, { change, failCount, reason }: Decision): NotedEntry {
  const isLockedNow = change !== null && seen.fail_count < seen.max_fail && failCount >= seen.max_fail;
  const isRolledOut = change?.token.rollout === 'complete';
  return {
    ...auditEntry({ ...act, transaction: seen.transaction_id }, seen.serial, reason, seen.realms),
    user: seen.owner_login,
    consequences: [
      ...(isLockedNow ? (['token.locked'] as const) : []),
      ...(isRolledOut ? (['token.enrolled'] as const) : []),
    ],
  };
}
