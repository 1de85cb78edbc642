import { type Finding, findingOf } from './finding.ts';

/** Connections that the database grants, and those that servers may take. */
export interface ConnectionFacts {
  /** The most that the role may open to this database: the smallest of the limits that apply. */
  readonly granted: number;
  /** Running servers. */
  readonly servers: number;
}

/** Connections of a server beside its pool: one listens, one watches. */
const BESIDE_POOL = 2;
/** Connections of a command. */
const COMMAND = 4;

/** @returns a finding where the database grants fewer connections than the running servers and a command may need */
export function checkConnections(
  poolSize: number,
  { granted, servers: running }: ConnectionFacts,
): readonly Finding[] {
  const servers = Math.max(1, running);
  const needed = servers * (poolSize + BESIDE_POOL) + COMMAND;
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
