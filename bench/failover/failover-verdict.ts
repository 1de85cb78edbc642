import { queryOnce } from '../../tests/support/database/test-server.ts';
import { checkHistory, describeFinding, type Finding } from '../../tests/campaigns/once-only/checker.ts';
import type { HistoryClient } from '../../tests/campaigns/once-only/client.ts';
import { type Ask, replay, withStoredFacts } from '../../tests/campaigns/once-only/stored-facts.ts';
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
  client: HistoryClient,
): Promise<FailoverVerdict> {
  const findings = new Map<string, string[]>();
  const find = (kind: string, about: string): void => {
    findings.set(kind, [...(findings.get(kind) ?? []), about]);
  };
  const primary = await cluster.settled();
  const checked = async (node: DatabaseNode, where: string): Promise<ReturnType<typeof checkHistory>> => {
    const { records, findings } = await withStoredFacts(client.records, askOf(cluster, node));
    const verdict = checkHistory(records);
    [...findings, ...verdict.findings].forEach((finding: Finding) => {
      find(`${finding.kind}${where}`, describeFinding(finding));
    });
    return verdict;
  };
  const before = await checked(primary, '');
  const replayed = await replay(client, servers.urls);
  const after = await checked(primary, ', after a replay');
  await cluster.caughtUp();
  for (const standby of cluster.nodes.filter((node) => node !== primary)) {
    await checked(standby, `, on the standby ${standby.name}`);
  }
  if (!servers.areAlive) {
    find('server ended', 'it has to go on without a restart');
  }
  const reported = [
    `operations checked: ${after.operations}, ${after.unknown} of them of unknown outcome`,
    `acceptances that clients were told: ${before.acceptances}`,
    `right responses sent again, twice each: ${replayed}; accepted then: ${after.acceptances - before.acceptances}`,
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
