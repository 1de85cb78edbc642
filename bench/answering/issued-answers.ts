import type pg from 'pg';

import { computeResponse } from '../../src/ocra/compute.ts';
import { parseQrTanUrl } from '../../src/ocra/qrtan-url.ts';
import { runLoad } from './forked-program.ts';
import type { LoadResult } from './load-job.ts';
import { MEASURED_KEY, MEASURED_SUITE, requestedSerials } from './measured-tokens.ts';
import {
  type Bench,
  checkingBy,
  cpuOf,
  type Figures,
  figuresOf,
  type Measure,
  requesting,
} from './measures.ts';

/** The challenges that are issued at once: fewer than there are tokens, and than a server keeps. */
const ISSUED_FOR_ONE_CONNECTION = 400;
const ISSUED_FOR_SEVERAL = 1_500;
const ISSUING_CONNECTIONS = 16;
/** Longer than any part takes: it ends when its forms are used up. */
const MAX_SECONDS = 60;

/**
 * @returns check_t of challenges that the server itself has just issued, as with a single server. Issue and responses
 *   take turns; only the responses are measured, and the first ones warm up
 */
export function issuedMeasure(connections: number): Measure {
  return {
    name: 'check_t, issued by the server',
    group: 'issued',
    connections,
    run: async (bench, { seconds }) => {
      const counters = await countersOf(bench.client);
      const most = connections === 1 ? ISSUED_FOR_ONE_CONNECTION : ISSUED_FOR_SEVERAL;
      await answerIssued(bench, counters, connections, most);
      const parts: Part[] = [];
      while (parts.reduce((sum, part) => sum + part.seconds, 0) < seconds) {
        parts.push(await answerIssued(bench, counters, connections, most));
      }
      return figuresOfParts(parts);
    },
  };
}

/** The responses to challenges that were issued at once. */
interface Part extends LoadResult {
  /** CPU seconds of the servers. */
  readonly serverCpu: number;
}

async function answerIssued(
  bench: Bench,
  counters: Map<string, bigint>,
  connections: number,
  most: number,
): Promise<Part> {
  const extent = { warmUp: 0, seconds: MAX_SECONDS };
  const { job, pids } = await requesting(bench);
  const bodies = requestedSerials().map((serial) => `serial=${serial}&data=${serial}`);
  const { texts } = await runLoad(bench.load, {
    ...job,
    ...extent,
    connections: ISSUING_CONNECTIONS,
    bodies: bodies.slice(0, most),
    isRepeated: false,
    areTextsKept: true,
  });
  const forms = texts.map((text) => rightResponse(text, counters));
  const before = await cpuOf(pids);
  const answers = checkingBy(bench.servers, forms);
  const result = await runLoad(bench.load, { ...answers.job, ...extent, connections });
  return { ...result, serverCpu: (await cpuOf(pids)) - before };
}

function figuresOfParts(parts: readonly Part[]): Figures {
  const sumOf = (figure: (part: Part) => number): number =>
    parts.reduce((sum, part) => sum + figure(part), 0);
  const seconds = sumOf((part) => part.seconds);
  const all = {
    milliseconds: Float64Array.from(parts.flatMap(({ milliseconds }) => [...milliseconds])),
    seconds,
    answered: sumOf(({ answered }) => answered),
    cpu: sumOf((part) => part.cpu * part.seconds) / seconds,
  };
  const serverCpu = sumOf((part) => part.serverCpu);
  return figuresOf(all, serverCpu);
}

/** @returns the counters of the tokens that challenges are requested for, by serial */
async function countersOf(client: pg.Client): Promise<Map<string, bigint>> {
  const { rows } = await client.query<{ serial: string; counter: string }>(
    "SELECT serial, counter FROM tokens WHERE serial LIKE 'ASK%'",
  );
  return new Map(rows.map(({ serial, counter }) => [serial, BigInt(counter)]));
}

/** @returns a form for check_t with the right response to an answer of request, whose display data is the serial */
function rightResponse(text: string, counters: Map<string, bigint>): string {
  const { detail } = JSON.parse(text) as { detail: { data: string; transactionid: string } };
  const url = parseQrTanUrl(detail.data);
  if (url.kind !== 'req') {
    throw new Error(`The answer has no challenge: ${text}`);
  }
  const counter = counters.get(url.message) ?? 0n;
  counters.set(url.message, counter + 1n);
  const pass = computeResponse(MEASURED_SUITE, MEASURED_KEY, { question: url.question, counter });
  return `transactionid=${detail.transactionid}&pass=${pass}`;
}
