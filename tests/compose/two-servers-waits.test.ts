import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { computeResponse } from '../../src/ocra/compute.ts';
import { parseQrTanUrl } from '../../src/ocra/qrtan-url.ts';
import { parseOcraSuite } from '../../src/ocra/suite.ts';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.ts';
import { printedPassword } from '../support/servers/server-client.ts';
import {
  type ProcessEnd,
  type ServerProcess,
  startServerProcess,
} from '../support/servers/server-process.ts';
import { PATIENCE_MS } from '../support/patience.ts';

const KEY = '31'.repeat(32);
const SUITE = parseOcraSuite('OCRA-1:HOTP-SHA256-8:C-QN08');

let folder: string;
let database: TestDatabase;
let one: ServerProcess;
let other: ServerProcess;
let authorization: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tankeeper-waits-'));
  database = await createTestDatabase({ schema: 'empty' });
  const environment = { DATABASE_URL: database.url, DATA_DIR: folder };
  one = await startServerProcess(environment);
  const password = await printedPassword(one);
  authorization = `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`;
  other = await startServerProcess(environment);
});

afterAll(async () => {
  const ends: ProcessEnd[] = await Promise.all([one, other].map((server) => server.stop()));
  rmSync(folder, { recursive: true });
  await database.drop();
  expect(ends.map(({ code }) => code)).toEqual([0, 0]);
});

interface Answer {
  readonly end: string | null;
  readonly value: unknown;
  readonly detail?: Readonly<Record<string, string>>;
}

async function post(server: ServerProcess, path: string, given: Record<string, string>): Promise<Answer> {
  const response = await fetch(`${server.baseUrl}${path}`, {
    method: 'POST',
    headers: { Authorization: authorization },
    body: new URLSearchParams(given),
  });
  const { result, detail } = (await response.json()) as {
    readonly result: { readonly value: unknown };
    readonly detail?: Readonly<Record<string, string>>;
  };
  return { end: response.headers.get('Tankeeper-Wait'), value: result.value, ...(detail && { detail }) };
}

async function transaction(serial: string): Promise<{ transactionid: string; pass: string }> {
  await post(one, '/admin/init', { type: 'ocra', serial, otpkey: KEY, ocrasuite: SUITE.text });
  const { detail } = await post(one, '/ocra/request', { serial, data: 'Pay 50 EUR' });
  const url = parseQrTanUrl(detail?.data ?? '');
  const question = url.kind === 'req' ? url.question : '';
  return {
    transactionid: detail?.transactionid ?? '',
    pass: computeResponse(SUITE, Buffer.from(KEY, 'hex'), { question, counter: 0n }),
  };
}

/** Begins waits, and returns when the server counts all of them. */
async function begin(
  server: ServerProcess,
  transactionid: string,
  count: number,
): Promise<Promise<Answer>[]> {
  const waits = Array.from({ length: count }, () =>
    post(server, '/ocra/checkstatus', { transactionid, wait: '60S' }),
  );
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const metrics = await fetch(`${server.baseUrl}/metrics`, { headers: { Authorization: authorization } });
    if ((await metrics.text()).includes(`\ntankeeper_status_waiting_requests ${count}\n`)) {
      return waits;
    }
    if (performance.now() > deadline) {
      throw new Error(`There are not ${count} requests that wait`);
    }
    await sleep(50);
  }
}

const ANSWERED = [expect.objectContaining({ received_tan: true, valid_tan: true })];

it('a response by one server ends the waits on another', async () => {
  const { transactionid, pass } = await transaction('WAITS');
  const waits = await begin(one, transactionid, 8);
  const { value } = await post(other, '/ocra/check_t', { transactionid, pass });
  expect(value).toEqual({ failcount: 0, result: true });
  const answers = await Promise.all(waits);
  expect(answers).toEqual(waits.map(() => ({ end: 'changed', value: ANSWERED })));
});

it('a server that stops answers at once those that wait', async () => {
  const { transactionid } = await transaction('DRAINED');
  const waits = await begin(other, transactionid, 4);
  const begun = performance.now();
  const ended = other.stop();
  expect((await Promise.all(waits)).map(({ end }) => end)).toEqual(waits.map(() => 'stopping'));
  // Requests in work may take seven seconds of a stop, which these would take whole.
  expect(performance.now() - begun).toBeLessThan(7_000);
  const { output } = await ended;
  expect(output).not.toContain('some requests were cut off');
  other = await startServerProcess({ DATABASE_URL: database.url, DATA_DIR: folder });
});
