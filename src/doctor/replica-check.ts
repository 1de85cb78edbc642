import { type Finding, findingOf } from './finding.ts';
import type { ReplicaFacts } from './ports.ts';

/** Seconds above which servers read from the primary instead. */
const MAX_LAG = 60;

/** @returns findings about the read replica */
export function checkReplica({ isStandby, lag, hasTables }: ReplicaFacts): readonly Finding[] {
  if (!hasTables) {
    return [
      findingOf(
        'error',
        'replica.other-database',
        'the read replica has no tables of this installation: its counts cannot be read',
        'DATABASE_READ_URL names a standby of the database of DATABASE_URL',
      ),
    ];
  }
  if (!isStandby) {
    return [
      findingOf(
        'warning',
        'replica.no-standby',
        'the read replica is no standby: its counts do not follow those of the primary, or it is the primary itself',
        'DATABASE_READ_URL names a streaming hot standby; without one, leave it unset',
      ),
    ];
  }
  if (lag === null || lag > MAX_LAG) {
    const text = lag === null ? 'its lag is unknown' : `it lags ${Math.ceil(lag)} s, more than ${MAX_LAG} s`;
    return [
      findingOf(
        'warning',
        'replica.lag',
        `the read replica is not used for counts: ${text}`,
        'pg_stat_wal_receiver on the standby and pg_stat_replication on the primary tell whether it streams',
      ),
    ];
  }
  return [];
}
