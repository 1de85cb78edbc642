import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { computeResponse } from '../../src/ocra/compute.ts';
import { parseQrTanUrl } from '../../src/ocra/qrtan-url.ts';
import { parseOcraSuite } from '../../src/ocra/suite.ts';
import { printedPassword } from '../support/servers/server-client.ts';
import { runTankeeper, type ServerProcess, startServerProcess } from '../support/servers/server-process.ts';
import { wrongResponse } from '../support/application/test-application.ts';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.ts';

const KEY = '31'.repeat(32);
const SUITE = parseOcraSuite('OCRA-1:HOTP-SHA256-8:C-QN08');

interface Envelope {
  readonly result: { readonly value: unknown };
  readonly detail?: Readonly<Record<string, string>>;
}

let folder: string;
let database: TestDatabase;
let servers: readonly ServerProcess[] = [];
let authorization: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tankeeper-two-servers-'));
  database = await createTestDatabase({ schema: 'empty' });
  const environment = { DATABASE_URL: database.url, DATA_DIR: folder };
  // At once, on an empty database: one migrates and makes the key, the other waits for it.
  servers = await Promise.all([startServerProcess(environment), startServerProcess(environment)]);
  const password = await printedPassword(...servers);
  authorization = `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`;
  await runTankeeper(['setting', 'set', 'OcraMaxChallengeRequests', '1000'], environment);
});

afterAll(async () => {
  const ends = await Promise.all(servers.map((server) => server.stop()));
  rmSync(folder, { recursive: true });
  await database.drop();
  expect(ends.map(({ code }) => code)).toEqual([0, 0]);
});

async function post(server: number, path: string, parameters: Record<string, string>): Promise<Envelope> {
  const response = await fetch(`${servers[server % 2]?.baseUrl ?? ''}${path}`, {
    method: 'POST',
    headers: { Authorization: authorization },
    body: new URLSearchParams(parameters),
  });
  return (await response.json()) as Envelope;
}

async function openTransaction(serial: string): Promise<{ transactionid: string; tan: string }> {
  const made = await post(0, '/admin/init', { type: 'ocra', serial, otpkey: KEY, ocrasuite: SUITE.text });
  expect(made.result.value).toBe(true);
  return request(serial);
}

async function request(serial: string): Promise<{ transactionid: string; tan: string }> {
  const issued = await post(1, '/ocra/request', { serial, data: '' });
  const url = parseQrTanUrl(issued.detail?.data ?? '');
  const question = url.kind === 'req' ? url.question : '';
  const tan = computeResponse(SUITE, Buffer.from(KEY, 'hex'), { question, counter: 0n });
  return { transactionid: issued.detail?.transactionid ?? '', tan };
}

function isAccepted(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'result' in value && value.result === true;
}

async function failCount(transactionid: string): Promise<unknown> {
  const { result } = await post(1, '/ocra/checkstatus', { transactionid });
  return result.value;
}

describe('two servers on one database', () => {
  it('started at once on an empty database, with one administrator and one key', () => {
    const printed = servers.map((server) => server.output()).join('');
    expect(printed.match(/shown this once/g)).toHaveLength(1);
    expect(printed.match(/A new encryption key was made/g)).toHaveLength(1);
  });

  it('accept exactly one of 64 identical right responses', async () => {
    const { transactionid, tan } = await openTransaction('RACE1');
    const answers = await Promise.all(
      Array.from({ length: 64 }, (_, index) => post(index, '/ocra/check_t', { transactionid, pass: tan })),
    );
    const values = answers.map(({ result }) => JSON.stringify(result.value));
    expect(values.filter((value) => value === '{"failcount":0,"result":true}')).toHaveLength(1);
    expect(values.filter((value) => value === '{"failcount":0,"result":false}')).toHaveLength(63);
    expect(await failCount(transactionid)).toEqual([
      { serial: 'RACE1', transactionid, received_tan: true, valid_tan: true, failcount: 0 },
    ]);
  });

  it('count 50 wrong responses as 50, and tell each client a count of its own', async () => {
    const { transactionid, tan } = await openTransaction('RACE2');
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        post(index, '/ocra/check_t', { transactionid, pass: wrongResponse(tan) }),
      ),
    );
    const reported = answers.map(({ result }) => (result.value as { failcount: number }).failcount);
    expect(reported.sort((one, other) => one - other)).toEqual(
      Array.from({ length: 50 }, (_, index) => index + 1),
    );
    expect(await failCount(transactionid)).toEqual([
      { serial: 'RACE2', transactionid, received_tan: true, valid_tan: false, failcount: 50 },
    ]);
  });

  it('accept once of 64 a right response that only some name the transaction of, while another is open', async () => {
    const { transactionid: other } = await openTransaction('RACE3');
    const { transactionid, tan } = await request('RACE3');
    const answers = await Promise.all(
      Array.from({ length: 64 }, (_, index) =>
        index % 4 < 2
          ? post(index, '/ocra/check_t', { transactionid, pass: tan })
          : post(index, '/validate/check_s', { serial: 'RACE3', pass: tan }),
      ),
    );
    const right = answers.filter(({ result }) => result.value === true || isAccepted(result.value));
    expect(right).toHaveLength(1);
    expect(await failCount(transactionid)).toMatchObject([{ received_tan: true, valid_tan: true }]);
    expect(await failCount(other)).toMatchObject([{ valid_tan: false }]);
  });

  it('use a policy at once that was set through the other', async () => {
    const environment = { DATABASE_URL: database.url, DATA_DIR: folder };
    await runTankeeper(['policy', 'remove', 'ocra-administrators', '--yes'], environment);
    for (const server of [0, 1]) {
      const { result } = await post(server, '/ocra/request', { serial: 'RACE1', data: '' });
      expect(JSON.stringify(result)).toContain('ERR410');
    }
  });
});
