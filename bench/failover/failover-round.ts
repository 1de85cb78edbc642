import { setTimeout as sleep } from 'node:timers/promises';

import { isAcceptance } from '../../tests/campaigns/once-only/checker.ts';
import { type HistoryClient, now } from '../../tests/campaigns/once-only/client.ts';
import type { DatabaseCluster } from './database-cluster.ts';
import type { DatabaseNode } from './database-node.ts';

/**
 * The trouble of the primary: kill -9 of the whole node; the whole node stands still and comes back; an orderly change.
 */
export type Trouble = 'kill' | 'freeze' | 'switchover';

/** The observations of one change of the primary. Durations in seconds. */
export interface FailoverRound {
  readonly trouble: Trouble;
  readonly from: string;
  readonly to: string;
  /** From the trouble until Patroni said that another node is the primary. */
  readonly newPrimary: number;
  /** From the trouble until a client was told the first acceptance of a response that was sent afterwards. */
  readonly firstAcceptance: number;
  /** The longest time around the trouble in which no client was told an acceptance. */
  readonly longestGap: number;
  /** From when the old primary was started (or released) again, or had handed over, until the cluster was whole. */
  readonly rejoined: number;
  readonly rejoinedBy: 'pg_rewind' | 'following';
}

/** The duration of the load before the trouble and after the first acceptance, in milliseconds. */
const CALM_MS = 4_000;
/** For so long before it is killed, the primary commits what no standby gets to know of. */
const HELD_BACK_MS = 500;
const TIMEOUT_MS = 300_000;
const POLL_MS = 50;

/**
 * Lets trouble come over the primary, under load, and waits until the cluster is whole again.
 * @throws when that takes too long
 */
export async function runRound(
  cluster: DatabaseCluster,
  client: HistoryClient,
  trouble: Trouble,
): Promise<FailoverRound> {
  const old = await cluster.settled();
  const logged = (await old.log()).length;
  await sleep(CALM_MS);
  await cluster.candidate();
  if (trouble === 'kill') {
    await old.holdBack();
    await sleep(HELD_BACK_MS);
  }
  const begun = now();
  const changed = newPrimary(cluster, old);
  let moment = Number.POSITIVE_INFINITY;
  if (trouble === 'switchover') {
    await handOver(cluster, old);
  } else {
    await (trouble === 'kill' ? old.kill() : old.freeze());
    moment = now();
  }
  const { node, at } = await changed;
  // In a switchover the old primary works on for a while: what is sent from now on is the new one's.
  const first = await acceptanceAfter(client, Math.min(moment, now()));
  const whole = trouble === 'switchover' ? wholeAgain(cluster) : undefined;
  await sleep(CALM_MS);
  const longestGap = gapAround(client, begun, first);
  await comeBack(old, trouble);
  const rejoined = await (whole ?? wholeAgain(cluster));
  const seconds = (milliseconds: number): number => milliseconds / 1000;
  return {
    trouble,
    from: old.name,
    to: node.name,
    newPrimary: seconds(at - begun),
    firstAcceptance: seconds(first - begun),
    longestGap: seconds(longestGap),
    rejoined: seconds(rejoined),
    rejoinedBy: (await old.log()).includes('pg_rewind exit code=0', logged) ? 'pg_rewind' : 'following',
  };
}

/**
 * Patroni refuses where another standby is the synchronous one by then, as on a busy machine: then that one is asked
 * for.
 */
async function handOver(cluster: DatabaseCluster, old: DatabaseNode): Promise<void> {
  let refusal: string | undefined;
  await untilSomething('a switchover', async () => {
    refusal = await old.handOver((await cluster.candidate()).name);
    // Where Patroni gives it up or does not know, it may have come about.
    return refusal === undefined || !(await old.isPrimary()) ? old : undefined;
  }).catch((error: unknown) => {
    throw new Error(`Patroni did not switch over: ${refusal ?? 'nobody can take over'}`, { cause: error });
  });
}

/** @returns after how many milliseconds */
async function wholeAgain(cluster: DatabaseCluster): Promise<number> {
  const begun = performance.now();
  await cluster.settled();
  return performance.now() - begun;
}

async function comeBack(old: DatabaseNode, trouble: Trouble): Promise<void> {
  if (trouble === 'kill') {
    await old.start();
  } else if (trouble === 'freeze') {
    await old.thaw();
  }
}

async function newPrimary(
  { nodes }: DatabaseCluster,
  old: DatabaseNode,
): Promise<{ readonly node: DatabaseNode; readonly at: number }> {
  const others = nodes.filter((node) => node !== old);
  const node = await untilSomething('another primary', async () => {
    const are = await Promise.all(others.map((other) => other.isPrimary()));
    return others[are.indexOf(true)];
  });
  return { node, at: now() };
}

/** @returns the time of the first acceptance of a response that was sent after that moment */
function acceptanceAfter(client: HistoryClient, moment: number): Promise<number> {
  return untilSomething('an acceptance', () =>
    Promise.resolve(
      client.records.find((record) => record.invoked > moment && isAcceptance(record))?.completed,
    ),
  );
}

function gapAround(client: HistoryClient, begun: number, end: number): number {
  const times = client.records
    .filter(isAcceptance)
    .map(({ completed = 0 }) => completed)
    .filter((at) => at > begun - CALM_MS && at <= end);
  const sorted = [...times, end].toSorted((one, other) => one - other);
  return Math.max(...sorted.map((at, index) => at - (sorted[index - 1] ?? at)));
}

async function untilSomething<Value>(what: string, read: () => Promise<Value | undefined>): Promise<Value> {
  const deadline = performance.now() + TIMEOUT_MS;
  for (;;) {
    const found = await read();
    if (found !== undefined) {
      return found;
    }
    if (performance.now() > deadline) {
      throw new Error(`There was not ${what} within ${TIMEOUT_MS / 1000} s`);
    }
    await sleep(POLL_MS);
  }
}
