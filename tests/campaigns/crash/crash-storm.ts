import { setTimeout as sleep } from 'node:timers/promises';

import type { CrashFleet } from './crash-fleet.ts';
import type { CrashPostgres } from './crash-postgres.ts';
import type { ToldLedger } from '../reported-answers/reported-ledger.ts';

/** In turn. */
export const KILLS = ['server', 'backend', 'postmaster'] as const;
type KillKind = (typeof KILLS)[number];

/** One kill -9, and what came after it. */
export interface Kill {
  readonly kind: KillKind;
  /** Milliseconds of performance.now(). */
  readonly at: number;
  /**
   * Milliseconds until a response that was sent later was told accepted by each server that was running and not killed.
   * A server that did not recover within the limit is missing.
   */
  readonly recoveries: readonly number[];
  /** How many such servers there were. */
  readonly untouched: number;
}

/** How long a storm lasts. */
export interface StormPlan {
  /** For at least so long, in milliseconds… */
  readonly duration: number;
  /** …and at least so many kills… */
  readonly kills: number;
  /** …but for no longer than this, in milliseconds. */
  readonly limit: number;
}

/** How long servers that were not killed may take to accept responses again, in milliseconds. */
const RECOVERY_LIMIT_MS = 30_000;
/** Between the recovery and the next kill, in milliseconds. */
const LEAST_CALM_MS = 50;
const MAX_CALM_MS = 450;
const POLL_MS = 20;
const ORPHANED_MS = 150;

/**
 * Kills servers, backends and postmasters in turn, each once all servers that were not killed have accepted a response
 * after the last one. The server in place 0 is never killed.
 */
export async function storm(
  plan: StormPlan,
  { postgres, fleet, ledger }: { postgres: CrashPostgres; fleet: CrashFleet; ledger: ToldLedger },
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
    // For a moment, orphans of PostgreSQL may still serve; that is no recovery.
    await sleep(kind === 'server' ? 0 : ORPHANED_MS);
    const since = performance.now();
    const recoveries = await Promise.all(untouched.map((url) => recovery(ledger, at, since, url)));
    kills.push({
      ...{ kind, at, untouched: untouched.length },
      recoveries: recoveries.filter((milliseconds) => milliseconds !== undefined),
    });
    await sleep(LEAST_CALM_MS + Math.random() * (MAX_CALM_MS - LEAST_CALM_MS));
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
  ledger: ToldLedger,
  at: number,
  since: number,
  url: string,
): Promise<number | undefined> {
  const deadline = at + RECOVERY_LIMIT_MS;
  for (;;) {
    const silence = ledger.silenceAfter(since, url);
    if (silence !== undefined || performance.now() > deadline) {
      return silence && silence + since - at;
    }
    await sleep(POLL_MS);
  }
}
