import { setTimeout as sleep } from 'node:timers/promises';
import type { DurablePostgres } from './durable-postgres.ts';
import { PATIENCE_MS } from '../../support/values/until.ts';
import type { ServerFleet } from './server-fleet.ts';
import { isAcceptance } from './checker.ts';
import { type HistoryClient, now } from './client.ts';

/** The parts to kill, in turn. */
const KILLS = ['server', 'backend', 'postmaster'] as const;
type KillKind = (typeof KILLS)[number];

/** A kill with SIGKILL, and its effects. */
interface Kill {
  readonly kind: KillKind;
  /** Servers that were not killed, and accepted no response that was sent later. */
  readonly lost: readonly string[];
}

/** The duration of a storm: in milliseconds, and in kills. */
export interface StormPlan {
  readonly least: number;
  readonly kills: number;
  readonly most: number;
}

interface Stormed {
  readonly postgres: DurablePostgres;
  readonly fleet: ServerFleet;
  readonly client: HistoryClient;
}

/** Milliseconds between the recovery and the next kill. */
const MIN_CALM_MS = 50;
const MAX_CALM_MS = 450;
const POLL_MS = 20;
const ORPHANED_MS = 150;

/**
 * Kills servers, backends and postmasters in turn, each after all servers that were not killed have accepted a response
 * since the last one. The server in place 0 is never killed.
 */
export async function storm(plan: StormPlan, stormed: Stormed): Promise<readonly Kill[]> {
  const { fleet, client } = stormed;
  const begun = performance.now();
  const kills: Kill[] = [];
  const isOver = (): boolean => {
    const lasted = performance.now() - begun;
    return lasted > plan.most || (lasted > plan.least && kills.length >= plan.kills);
  };
  while (!isOver()) {
    const kind = KILLS[kills.length % KILLS.length] ?? 'server';
    if ((await kill(kind, stormed)) === undefined) {
      await sleep(POLL_MS);
      continue;
    }
    const untouched = fleet.running.map(({ baseUrl }) => baseUrl);
    // For a moment, orphans of PostgreSQL may still serve, which is no recovery.
    await sleep(kind === 'server' ? 0 : ORPHANED_MS);
    const since = now();
    const recovered = await Promise.all(untouched.map((server) => accepted(client, server, since)));
    kills.push({ kind, lost: untouched.filter((_, index) => recovered[index] === undefined) });
    await sleep(MIN_CALM_MS + Math.random() * (MAX_CALM_MS - MIN_CALM_MS));
  }
  return kills;
}

async function kill(kind: KillKind, { postgres, fleet }: Stormed): Promise<number | undefined> {
  if (kind !== 'server') {
    return postgres.kill(kind);
  }
  const places = fleet.servers
    .map((_, place) => place)
    .filter((place) => place > 0 && fleet.isRunning(place));
  const place = places[Math.floor(Math.random() * places.length)];
  return place === undefined ? undefined : fleet.kill(place);
}

/** @returns the moment of the first acceptance by that server of a response that was sent since then */
export async function accepted(
  client: HistoryClient,
  server: string,
  since: number,
): Promise<number | undefined> {
  const deadline = performance.now() + PATIENCE_MS;
  const isIt = (record: (typeof client.records)[number]): boolean =>
    record.invoked > since && record.server === server && isAcceptance(record);
  while (performance.now() < deadline) {
    const first = client.records.find(isIt);
    if (first !== undefined) {
      return first.completed;
    }
    await sleep(POLL_MS);
  }
  return undefined;
}
