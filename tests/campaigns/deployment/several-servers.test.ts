import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { computeResponse } from '../../../src/ocra/compute.ts';
import { parseQrTanUrl } from '../../../src/ocra/qrtan-url.ts';
import { parseOcraSuite } from '../../../src/ocra/suite.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/test-database.ts';
import { type Caddy, startCaddy } from '../../support/servers/caddy.ts';
import { freePort } from '../../support/servers/wait-for-port.ts';
import { type ServerProcess, startServerProcess } from '../../support/servers/server-process.ts';
import { findSystemProgram } from '../../support/servers/program-paths.ts';
import { describeWithProgram } from '../../support/servers/system-programs.ts';
import { until } from '../../support/values/until.ts';
import { createSocket } from 'node:dgram';

/** A resolver of names on 127.0.0.1. */
interface NameResolver {
  readonly port: number;
  close(): void;
}

/** As that of Docker's networks: each name has the present addresses. */
async function startNameResolver(addresses: () => readonly string[]): Promise<NameResolver> {
  const socket = createSocket('udp4');
  socket.on('message', (query, { port, address }) => {
    const end = query.indexOf(0, 12) + 5;
    // Type A; there are none of type AAAA.
    const found = query.readUInt16BE(end - 4) === 1 ? addresses() : [];
    const head = Buffer.from(query.subarray(0, 12));
    // A response, with one question and these answers.
    [0x8580, 1, found.length, 0, 0].forEach((word, index) => head.writeUInt16BE(word, 2 + 2 * index));
    const records = found.map((one) =>
      Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 1, 0, 4, ...one.split('.').map(Number)]),
    );
    socket.send(Buffer.concat([head, query.subarray(12, end), ...records]), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return { port: socket.address().port, close: () => socket.close() };
}

const PASSWORD = 'the administrator of this test';
const KEY = '31'.repeat(32);
const SUITE = parseOcraSuite('OCRA-1:HOTP-SHA256-8:QN08');
const HOSTS = ['127.0.0.1', '127.0.0.2'] as const;

/** An answer in JSON. */
interface Body {
  readonly result?: { readonly value?: unknown };
  readonly detail?: Readonly<Record<string, string>>;
}

describeWithProgram(
  'two servers behind deploy/compose/Caddyfile',
  findSystemProgram('caddy'),
  'caddy',
  (caddy) => {
    let folder: string;
    let database: TestDatabase;
    let servers: ServerProcess[];
    let resolver: NameResolver;
    let proxy: Caddy;
    let environment: Readonly<Record<string, string>>;
    let known: readonly string[] = [];

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'tankeeper-scaled-'));
      database = await createTestDatabase({ schema: 'empty' });
      await writeFile(join(folder, 'password'), PASSWORD);
      const port = await freePort();
      environment = {
        DATABASE_URL: database.url,
        DATA_DIR: folder,
        ADMIN_PASSWORD_FILE: join(folder, 'password'),
        TRUST_PROXY: 'loopback',
        PORT: String(port),
        DRAIN_TIME: '1S',
      };
      servers = await Promise.all(HOSTS.map((HOST) => startServerProcess({ ...environment, HOST })));
      resolver = await startNameResolver(() => known);
      proxy = await startCaddy(caddy, `http://tankeeper:${port}`, { resolver: resolver.port });
    });

    afterAll(async () => {
      await proxy.stop();
      resolver.close();
      const ends = await Promise.all(servers.map((server) => server.stop()));
      await database.drop();
      await rm(folder, { recursive: true });
      expect(ends.map(({ code }) => code)).toEqual([0, 0]);
    });

    /** @returns the status, and the body of an answer in JSON */
    async function ask(
      method: 'GET' | 'POST',
      path: string,
      parameters: Readonly<Record<string, string>> = {},
    ): Promise<{ status: number | undefined; body: Body }> {
      const form = new URLSearchParams(parameters).toString();
      const sent = request(`${proxy.origin}${path}${method === 'GET' ? `?${form}` : ''}`, {
        method,
        ca: proxy.authority,
        agent: false,
        auth: `admin:${PASSWORD}`,
        headers: method === 'POST' ? { 'Content-Type': 'application/x-www-form-urlencoded' } : {},
      });
      sent.end(method === 'POST' ? form : undefined);
      const [answer] = (await once(sent, 'response')) as [IncomingMessage];
      const text = Buffer.concat((await answer.toArray()) as Buffer[]).toString();
      return { status: answer.statusCode, body: text.startsWith('{') ? (JSON.parse(text) as Body) : {} };
    }

    /** Asks for a challenge. @returns its transaction and the right response */
    async function challenge(serial: string): Promise<{ transactionid: string; pass: string }> {
      const { detail } = (await ask('GET', '/ocra/request', { serial, data: 'Pay 50 EUR' })).body;
      const url = parseQrTanUrl(detail?.data ?? '');
      const question = url.kind === 'req' ? url.question : '';
      return {
        transactionid: detail?.transactionid ?? '',
        pass: computeResponse(SUITE, Buffer.from(KEY, 'hex'), { question }),
      };
    }

    /** @returns the number of requests to the path that each server has logged */
    function answered(path: string): readonly number[] {
      return servers.map((server) => server.output().split(`"path":"${path}"`).length - 1);
    }

    /** Lets a person answer a challenge. @returns which server has made it, and which has accepted the response */
    async function round(): Promise<{ issued: number; accepted: number }> {
      const [requests, checks] = [answered('/ocra/request'), answered('/ocra/check_t')];
      const { transactionid, pass } = await challenge('TOKEN');
      const checked = await ask('GET', '/ocra/check_t', { transactionid, pass });
      expect(checked).toMatchObject({ status: 200, body: { result: { value: { result: true } } } });
      const oneMore = (path: string, before: readonly number[]): number =>
        answered(path).findIndex((count, index) => count > (before[index] ?? 0));
      await until(() => oneMore('/ocra/request', requests) >= 0 && oneMore('/ocra/check_t', checks) >= 0);
      return { issued: oneMore('/ocra/request', requests), accepted: oneMore('/ocra/check_t', checks) };
    }

    it('let a request wait while the name has no address', async () => {
      const answer = ask('GET', '/healthz');
      await until(() => proxy.output().includes('failed getting dynamic upstreams'));
      known = [HOSTS[0]];
      expect(await answer).toMatchObject({ status: 200 });
    });

    it('are found by their name: one that is added gets requests without a new start of the proxy', async () => {
      await ask('POST', '/admin/init', { type: 'ocra', serial: 'TOKEN', otpkey: KEY, ocrasuite: SUITE.text });
      expect(await round()).toEqual({ issued: 0, accepted: 0 });
      known = HOSTS;
      await until(async () => {
        const { issued, accepted } = await round();
        return issued !== accepted;
      });
    });

    it('take turns, and one accepts the response to a challenge of the other', async () => {
      const { issued, accepted } = await round();
      expect([issued, accepted].toSorted()).toEqual([0, 1]);
    });

    it('go on with one of them while the other is stopped, and take turns when it is back', async () => {
      const [first, second] = servers;
      expect(await first?.stop()).toMatchObject({ code: 0 });
      for (let count = 0; count < 4; count += 1) {
        expect(await round()).toEqual({ issued: 1, accepted: 1 });
      }
      servers = [await startServerProcess({ ...environment, HOST: HOSTS[0] })];
      servers.push(...(second === undefined ? [] : [second]));
      const { issued, accepted } = await round();
      expect([issued, accepted].toSorted()).toEqual([0, 1]);
    });

    it('answer every request while each of them is restarted, and accept each response', async () => {
      const over = new AbortController();
      const portal = async (): Promise<void> => {
        while (!over.signal.aborted) {
          const { transactionid, pass } = await challenge('TOKEN');
          const checked = await ask('GET', '/ocra/check_t', { transactionid, pass });
          expect(checked).toMatchObject({ status: 200, body: { result: { value: { result: true } } } });
        }
      };
      const portals = Promise.all(Array.from({ length: 4 }, portal));
      const restarts = async (): Promise<void> => {
        for (const [place, HOST] of HOSTS.entries()) {
          expect(await servers[place]?.stop()).toMatchObject({ code: 0 });
          servers[place] = await startServerProcess({ ...environment, HOST });
        }
      };
      await Promise.race([restarts(), portals]).finally(() => {
        over.abort();
      });
      await portals;
    });
  },
);
