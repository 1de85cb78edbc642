import { join } from 'node:path';
import pg from 'pg';

import type { BenchCluster } from '../bench-cluster.ts';
import { type BenchServer, startBenchServer } from '../bench-server.ts';
import type { ClosingStack } from '../closing-stack.ts';
import type { ForkedProgram } from './forked-program.ts';
import { loadMeasuredTokens } from './measured-tokens.ts';
import type { BenchOptions } from './options.ts';

/** As in production, but so high that they never refuse. Loopback is not exempt, so each request is counted. */
const LIMITS = {
  LIMIT_EXEMPT: 'none',
  LIMIT_CLIENT_REQUESTS: '1000000',
  LIMIT_CLIENT_FAILURES: '1000000',
  LIMIT_TRANSACTION_FAILURES: '1000000',
  LIMIT_LOGIN_FAILURES: '10000',
};

/** A PostgreSQL, a load client, and what is closed at the end. */
export interface Workplace {
  readonly cluster: BenchCluster;
  readonly load: ForkedProgram;
  readonly options: BenchOptions;
  readonly closing: ClosingStack;
}

/** Servers on a database with measured tokens. */
export interface MeasuredInstallation {
  readonly databaseUrl: string;
  readonly servers: readonly [BenchServer, ...BenchServer[]];
  readonly client: pg.Client;
}

/** Makes a database, starts servers on it and loads the measured tokens. */
export async function openInstallation(
  { cluster, options, closing }: Workplace,
  name: string,
  servers: number,
): Promise<MeasuredInstallation> {
  const databaseUrl = await cluster.createDatabase(name);
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  closing.add(() => client.end());
  await client.query('SET statement_timeout = 0');
  const folder = join(cluster.folder, name);
  const start = async (index: number): Promise<BenchServer> => {
    const server = await startBenchServer(through(databaseUrl, options.pgbouncer), folder, {
      rights: '*',
      tokenName: `bench${index}`,
      environment: { ...LIMITS, ...options.environment },
    });
    closing.add(() => server.stop());
    return server;
  };
  const first = await start(0);
  await loadMeasuredTokens(first, client, cluster.folder);
  const others: BenchServer[] = [];
  for (let index = 1; index < servers; index += 1) {
    others.push(await start(index));
  }
  return { databaseUrl, servers: [first, ...others], client };
}

/** @returns the URL with the host and port of a PgBouncer in it */
function through(databaseUrl: string, pgbouncer: string | undefined): string {
  if (pgbouncer === undefined) {
    return databaseUrl;
  }
  const url = new URL(databaseUrl);
  url.host = pgbouncer;
  url.searchParams.delete('host');
  url.searchParams.delete('port');
  return url.href;
}
