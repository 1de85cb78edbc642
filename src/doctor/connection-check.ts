import { type Finding, findingOf } from './finding.ts';
import type { ConnectionFacts } from './ports.ts';

/** The part of the configuration that determines connections. */
export interface PoolSettings {
  /** Connections of all processes of a server together. */
  readonly databasePoolSize: number;
  readonly workers: number;
}

/** Connections of each process beside its pool: one listens, one watches. */
const BESIDE_POOL = 2;
/** Connections of a command. */
const COMMAND = 4;

/** @returns a finding where the database grants fewer connections than the running servers and a command may need */
export function checkConnections(
  { databasePoolSize, workers }: PoolSettings,
  { granted, processes }: ConnectionFacts,
): readonly Finding[] {
  // With several workers, the primary is one process more.
  const processesOfServer = workers === 1 ? 1 : workers + 1;
  const servers = Math.max(1, Math.ceil(processes / processesOfServer));
  const needed = servers * (databasePoolSize + processesOfServer * BESIDE_POOL) + COMMAND;
  if (needed <= granted) {
    return [];
  }
  const who = servers === 1 ? 'one server' : `${servers} servers`;
  return [
    findingOf(
      'warning',
      'connections.too-few',
      `the database grants ${granted} connections, and ${who} and a command may need ${needed}: requests are refused at full load`,
      `raise max_connections of PostgreSQL, or the limit of the role or the database, by ${needed - granted}; or lower DATABASE_POOL_SIZE`,
    ),
  ];
}
