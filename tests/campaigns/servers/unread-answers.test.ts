import { readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { databaseOfTests } from '../../support/database/test-database.ts';
import { type ServerProcess, startServerProcess } from '../../support/servers/server-process.ts';
import { expectSoon } from '../../support/values/expect-soon.ts';

const CONNECTIONS = 120;
/** Bytes of requests on each connection. */
const FLOOD = 400_000;
/** Mebibytes by which the server may grow. */
const MOST_GROWTH = 200;
const SAMPLES = 40;
/** So many without another mebibyte are the end: all has arrived. */
const CALM_SAMPLES = 12;

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
const CHUNKED =
  'POST /ocra/check_t HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n';
const LARGE = get('/docs/swagger-ui-bundle.js').repeat(4);

const database = databaseOfTests();
let server: ServerProcess;
let sockets: Socket[] = [];

afterEach(async () => {
  sockets.forEach((socket) => socket.destroy());
  sockets = [];
  await server.stop();
});

/** @returns the mebibytes that the server has in memory; NaN once it has ended */
async function memory(): Promise<number> {
  const status = await readFile(`/proc/${server.process.pid ?? 0}/status`, 'utf8').catch(() => '');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
}

describe('clients that send requests without end and read no answer', () => {
  it.each([
    ['a large content', '', get('/openapi.json')],
    ['short answers', LARGE, get('/x')],
    ['refusals of node itself', LARGE, 'GET / HTTP/1.1\r\n\r\n'],
    ['expectations', LARGE, 'GET /x HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n\r\n'],
    ['many headers', LARGE, `GET /x HTTP/1.1\r\nHost: x\r\n${'a:\r\n'.repeat(900)}\r\n`],
    ['a body in chunks of one byte', CHUNKED, '1;x\r\na\r\n'],
  ])('cannot fill the memory of the server: %s', async (_what, first, request) => {
    server = await startServerProcess({ DATABASE_URL: database.url });
    const { port } = new URL(server.baseUrl);
    const before = await memory();
    sockets = Array.from({ length: CONNECTIONS }, () => {
      const socket = connect(Number(port), '127.0.0.1').on('error', () => undefined);
      socket.write(first + request.repeat(Math.ceil(FLOOD / request.length)));
      return socket;
    });
    let most = before;
    for (let sample = 0, calm = 0; sample < SAMPLES && calm < CALM_SAMPLES; sample += 1) {
      await setTimeout(200);
      const now = await memory();
      calm = now > most + 1 ? 0 : calm + 1;
      most = Math.max(most, now);
    }
    const { exitCode, signalCode } = server.process;
    expect([exitCode, signalCode, (exitCode ?? signalCode) ? server.output().slice(-4_000) : '']).toEqual([
      null,
      null,
      '',
    ]);
    await expectSoon(async () => (await fetch(`${server.baseUrl}/healthz`)).status).toBe(200);
    expect(most - before).toBeLessThan(MOST_GROWTH);
  });
});
