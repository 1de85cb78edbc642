import { setTimeout as sleep } from 'node:timers/promises';

import { type Ask, checkReported, type Finding, type ReportedReport } from './reported-checks.ts';
import type { ReportedClient } from './reported-client.ts';
import { sendResponse } from './reported-exchange.ts';
import type { ReportedLedger } from './reported-ledger.ts';
import { PATIENCE_MS } from '../../support/patience.ts';

/** The number of repetitions of each right response, all at once. */
const TIMES = 2;
const AT_ONCE = 8;

/** All faults that were found, and the extent of the search. */
export interface ReportedVerdict {
  /** The comparison before the replay. */
  readonly report: ReportedReport;
  readonly findings: readonly Finding[];
  /** Responses that were repeated, each twice. */
  readonly replayed: number;
  /** Repeated responses that were accepted, although none was before. */
  readonly acceptedByReplay: number;
}

/**
 * Compares the ledger with the database, repeats every right response twice, and compares once more. To be called after
 * load and faults.
 */
export async function verifyReported(
  ledger: ReportedLedger,
  { ask, client, servers }: { ask: Ask; client: ReportedClient; servers: readonly string[] },
): Promise<ReportedVerdict> {
  const report = await checkReported(ledger, ask);
  const again = ledger.rightResponses;
  const before = ledger.responses.length;
  const waiting = Array.from({ length: TIMES }, () => again).flat();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async (_, worker) => {
      for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) {
        await untilAnswered(() => {
          const server = servers[(worker + waiting.length) % servers.length] ?? '';
          return sendResponse(ledger, client, server, step);
        });
      }
    }),
  );
  const accepted = ledger.responses.slice(before).filter(({ answer }) => answer?.accepted === true);
  const twice = accepted
    .filter(({ transactionId }) => report.acceptedTransactions.has(transactionId))
    .map(({ transactionId }): Finding => ({ kind: 'accepted twice', about: `${transactionId}, replayed` }));
  const { findings } = await checkReported(ledger, ask);
  const all = [...report.findings, ...twice, ...findings];
  return {
    report,
    findings: [...new Map(all.map((one) => [`${one.kind} ${one.about}`, one])).values()],
    replayed: again.length,
    acceptedByReplay: accepted.length,
  };
}

async function untilAnswered(send: () => Promise<{ readonly outcome: string }>): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while ((await send()).outcome !== 'reported') {
    if (performance.now() > deadline) {
      throw new Error('The servers do not answer when responses are replayed');
    }
    await sleep(100);
  }
}
