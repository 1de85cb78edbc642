import type { AuditEntry } from '../../audit/audit-row.ts';
import { isOcraToken, type NewToken, type Token, type TokenChange } from '../../tokens/token.ts';
import type { NotedEntry } from '../../webhooks/webhook-event.ts';

/** @returns the entry of a new token: enrolled, unless its roll-out has only begun */
export function enrolmentEntry(
  entry: AuditEntry,
  token: Pick<NewToken, 'type' | 'rollout' | 'owner'>,
): NotedEntry {
  const isReady = isOcraToken(token) && token.rollout === 'complete';
  return { ...entry, user: token.owner?.login ?? null, consequences: isReady ? ['token.enrolled'] : [] };
}

/**
 * @param token after the change
 * @returns the entry of a changed token. An enrolment with another key, or a new roll-out, begins with another counter;
 *   one with the same key keeps it
 */
export function changeEntry(
  entry: AuditEntry,
  token: Token,
  { secrets = {}, counter }: TokenChange,
): NotedEntry {
  const isKeyChanged = (secrets.seed ?? secrets.sharedSecret ?? null) !== null && counter !== undefined;
  return {
    ...entry,
    user: token.owner?.login ?? null,
    consequences: isKeyChanged ? ['token.key_changed'] : [],
  };
}
