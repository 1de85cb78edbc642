import type { Config } from '../config/config.ts';
import type { Log } from '../kernel/log.ts';
import type { CountReplica } from '../monitoring/ports.ts';
import { SqlCountReplica } from '../storage/counts/count-replica.ts';
import { ConnectionGate } from '../storage/database/connection-gate.ts';
import { openDatabase } from '../storage/database/database.ts';

/** Few: its statements take milliseconds. */
const POOL_SIZE = 4;
/** Times in milliseconds after which the primary is asked instead: for a connection, and for an answer. */
const ACQUIRE_MS = 1_000;
const ANSWER_MS = 2_000;

/** An open read replica. */
export interface ReadReplica {
  readonly counts: CountReplica;
  readonly close: () => Promise<void>;
}

/** @returns the replica of DATABASE_READ_URL, which connects at its first use; undefined if none is set */
export function openReadReplica({ databaseReadUrl: connection }: Config, log: Log): ReadReplica | undefined {
  if (connection === undefined) {
    return undefined;
  }
  const gate = new ConnectionGate();
  gate.limitStatements(ANSWER_MS);
  const database = openDatabase({
    connection,
    log,
    gate,
    poolSize: POOL_SIZE,
    acquireTimeoutMs: ACQUIRE_MS,
    statementTimeoutMs: ANSWER_MS,
    applicationName: 'tankeeper monitoring',
  });
  return {
    counts: new SqlCountReplica({ database, log, elapsed: () => performance.now() }),
    close: () => database.close(),
  };
}
