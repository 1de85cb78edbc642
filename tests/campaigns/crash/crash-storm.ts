import { setTimeout as sleep } from 'node:timers/promises';

import type { CrashFleet } from './crash-fleet.ts';
import type { CrashPostgres } from './crash-postgres.ts';
import type { ReportedLedger } from '../reported-answers/reported-ledger.ts';
import { PATIENCE_MS } from '../../support/patience.ts';

/** The parts to kill, in turn. */
export const KILLS = ['server', 'backend', 'postmaster'] as const;
type KillKind = (typeof KILLS)[number];

/** A kill with SIGKILL, and its effects. */
export interface Kill {
  readonly kind: KillKind;
  /** Milliseconds of performance.now(). */
  readonly at: number;
  /**
   * Milliseconds until each running server that was not killed accepted a response that was sent later.
   * A server that did not recover within the limit is missing.
   */
  readonly recoveries: readonly number[];
  /** The number of such servers. */
  readonly untouched: number;
}

/** The duration of a storm. */
export interface StormPlan {
  /** The least duration in milliseconds. */
  readonly duration: number;
  /** The least number of kills. */
  readonly kills: number;
  /** The greatest duration in milliseconds. */
  readonly limit: number;
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
export async function storm(
  plan: StormPlan,
  { postgres, fleet, ledger }: { postgres: CrashPostgres; fleet: CrashFleet; ledger: ReportedLedger },
): Promise<readonly Kill[]> {
  const begun = performance.now();
  const kills: Kill[] = [];
  const isOver = (): boolean => {
    const lasted = performance.now() - begun;
    return lasted > plan.limit || (lasted > plan.duration && kills.length >= plan.kills);
  };
  while (!isOver()) {
    const kind = KILLS[kills.length % KILLS.length] ?? 'server';
    const at = performance.now();
    if ((await kill(kind, postgres, fleet)) === undefined) {
      await sleep(POLL_MS);
      continue;
    }
    const untouched = fleet.running.map(({ baseUrl }) => baseUrl);
    // For a moment, orphans of PostgreSQL may still serve, which is no recovery.
    await sleep(kind === 'server' ? 0 : ORPHANED_MS);
    const since = performance.now();
    const recoveries = await Promise.all(untouched.map((url) => recovery(ledger, at, since, url)));
    kills.push({
      kind,
      at,
      untouched: untouched.length,
      recoveries: recoveries.filter((milliseconds) => milliseconds !== undefined),
    });
    await sleep(MIN_CALM_MS + Math.random() * (MAX_CALM_MS - MIN_CALM_MS));
  }
  return kills;
}

async function kill(kind: KillKind, postgres: CrashPostgres, fleet: CrashFleet): Promise<number | undefined> {
  if (kind !== 'server') {
    return postgres.kill(kind);
  }
  const places = fleet.servers
    .map((_, place) => place)
    .filter((place) => place > 0 && fleet.isRunning(place));
  const place = places[Math.floor(Math.random() * places.length)];
  return place === undefined ? undefined : fleet.kill(place);
}

async function recovery(
  ledger: ReportedLedger,
  at: number,
  since: number,
  url: string,
): Promise<number | undefined> {
  const deadline = at + PATIENCE_MS;
  for (;;) {
    const silence = ledger.silenceAfter(since, url);
    if (silence !== undefined || performance.now() > deadline) {
      return silence && silence + since - at;
    }
    await sleep(POLL_MS);
  }
}
