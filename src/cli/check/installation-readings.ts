import type { Caller } from '../../policy/caller.ts';
import type { Services } from '../../services.ts';
import type { Readings } from './readings.ts';

const DAY_MS = 86_400_000;

/** Reads the installation itself, past any server. */
export async function readInstallation(
  services: Pick<Services, 'installation' | 'monitoring' | 'housekeeping'>,
  caller: Caller,
  now: Date,
): Promise<Readings> {
  const state = await services.installation.read();
  if (state === undefined) {
    const text = 'the database does not answer within a second';
    return { values: {}, problems: [{ state: 'CRITICAL', text }] };
  }
  const [isEncrypted, due] = await Promise.all([
    services.monitoring.storageEncryption(caller),
    services.housekeeping.due(caller),
  ]);
  const { counts, licence, lastBackup } = state;
  const sum = (rows: readonly { readonly tokens: number }[]): number =>
    rows.reduce((total, { tokens }) => total + tokens, 0);
  return {
    values: {
      database: state.duration,
      ...(licence && { licence_days: (licence.endsAt.getTime() - now.getTime()) / DAY_MS }),
      tokens: sum(counts.tokens),
      active_tokens: sum(counts.tokens.filter(({ active }) => active)),
      locked_tokens: sum(state.lockedTokens),
      active_users: counts.activeUsers.reduce((total, { users }) => total + users, 0),
      open_challenges: state.openChallenges,
      housekeeping_backlog: due.reduce((total, { rows }) => total + rows, 0),
      ...(lastBackup && { backup_age: Math.max(0, (now.getTime() - lastBackup.getTime()) / 1000) }),
    },
    problems: [
      ...(isEncrypted ? [] : [{ state: 'CRITICAL', text: 'secrets are stored without encryption' } as const]),
      ...(licence?.isValid === false
        ? [{ state: 'CRITICAL', text: 'the licence is not valid' } as const]
        : []),
    ],
  };
}
