import type { Decision } from '../../challenges/challenge.ts';
import type { ChallengeOfToken } from '../../challenges/ports.ts';
import type { Act } from '../../policy/caller.ts';
import type { NotedEntry } from '../../webhooks/webhook-event.ts';
import { auditEntry } from '../../audit/rows-store.ts';
import { isLocked } from '../../tokens/token.ts';

/** @returns the audit entry of a response, with its effects on the token, in the state before it */
export function decisionEntry(
  act: Act,
  { challenge, token }: ChallengeOfToken,
  { change, failCount, reason }: Decision,
): NotedEntry {
  const { serial, realms, maxFail, owner } = token;
  const isLockedNow = change !== null && !isLocked(token) && isLocked({ failCount, maxFail });
  const isRolledOut = change?.token.rollout === 'complete';
  return {
    ...auditEntry({ ...act, transaction: challenge.transactionId }, serial, reason, realms),
    user: owner?.login ?? null,
    consequences: [
      ...(isLockedNow ? (['token.locked'] as const) : []),
      ...(isRolledOut ? (['token.enrolled'] as const) : []),
    ],
  };
}
