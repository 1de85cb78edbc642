import { queryOnce } from '../../tests/support/database/test-server.ts';
import { type Ask, checkReported } from '../../tests/campaigns/reported-answers/reported-checks.ts';
import type { ReportedClient } from '../../tests/campaigns/reported-answers/reported-client.ts';
import type { ReportedLedger } from '../../tests/campaigns/reported-answers/reported-ledger.ts';
import { verifyReported } from '../../tests/campaigns/reported-answers/reported-replay.ts';
import type { DatabaseCluster } from './database-cluster.ts';
import type { DatabaseNode } from './database-node.ts';
import type { TankeeperServers } from './tankeeper-servers.ts';

/** True if all is as clients were told. */
export interface FailoverVerdict {
  /** The facts that were checked, for people. */
  readonly reported: readonly string[];
  /** The facts that differ from the answers to clients, by kind. */
  readonly findings: ReadonlyMap<string, readonly string[]>;
}

/**
 * Compares what clients were told with all three databases, sends each right response again, and lets the service
 * verify its own audit and counts. To be called when load and trouble are over.
 */
export async function judge(
  cluster: DatabaseCluster,
  servers: TankeeperServers,
  ledger: ReportedLedger,
  client: ReportedClient,
): Promise<FailoverVerdict> {
  const findings = new Map<string, string[]>();
  const find = (kind: string, about: string): void => {
    findings.set(kind, [...(findings.get(kind) ?? []), about]);
  };
  const primary = await cluster.settled();
  const ask = askOf(cluster, primary);
  const accepted = ledger.accepted.length;
  const verdict = await verifyReported(ledger, { ask, client, servers: servers.urls });
  for (const { kind, about } of verdict.findings) {
    find(kind, about);
  }
  await cluster.caughtUp();
  for (const standby of cluster.nodes.filter((node) => node !== primary)) {
    for (const { kind, about } of (await checkReported(ledger, askOf(cluster, standby))).findings) {
      find(`${kind}, on a standby`, `${standby.name}: ${about}`);
    }
  }
  if (!servers.areAlive) {
    find('server ended', 'it has to go on without a restart');
  }
  const { report } = verdict;
  const reported = [
    `acceptances that clients were told: ${accepted}`,
    `accepted transactions in the database of the last primary: ${report.acceptedTransactions.size}`,
    `right responses sent again, twice each: ${verdict.replayed}; accepted then: ${verdict.acceptedByReplay}`,
    `least difference of a fail counter to what clients were told: ${report.lowestDifference} (${report.countedTokens} tokens with a count)`,
    ...(await verifyItself(servers, find)),
  ];
  return { reported, findings };
}

async function verifyItself(
  servers: TankeeperServers,
  find: (kind: string, about: string) => void,
): Promise<readonly string[]> {
  const reported: string[] = [];
  for (const command of [
    ['audit', 'verify'],
    ['count', '--verify'],
  ]) {
    const { code, output } = await servers.run(...command);
    reported.push(`tankeeper ${command.join(' ')}: ${output.trim()}`);
    if (code !== 0) {
      find(`tankeeper ${command.join(' ')}`, `ended with ${code ?? 'a signal'}`);
    }
  }
  return reported;
}

/** Past HAProxy and past the servers: what is in the database of that node. */
function askOf(cluster: DatabaseCluster, node: DatabaseNode): Ask {
  const url = cluster.urlOf(node, 'tankeeper');
  return (sql, values) => queryOnce(url, sql, values);
}
