import { execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { generateX25519Identity, identityToRecipient } from 'age-encryption';
import { runCli } from '../../cli/cli-process.ts';
import { REPOSITORY } from '../../repository/repository-file.ts';
import { databaseOfTests } from '../../support/database/test-database.ts';
import { type Caddy, startCaddy } from '../../support/servers/caddy.ts';
import { type ServerProcess, startServerProcess } from '../../support/servers/server-process.ts';
import { findSystemProgram } from '../../support/servers/program-paths.ts';
import { describeWithProgram } from '../../support/servers/system-programs.ts';
import { testProgram } from '../../support/servers/test-build.ts';
import { freePort } from '../../support/servers/wait-for-port.ts';
import { until } from '../../support/values/until.ts';
import { temporaryFolder } from '../../support/values/temporary-folder.ts';
import { createSocket } from 'node:dgram';
import { askProxy, type ProxyAnswer } from './ask-proxy.ts';

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
const BASIC = `Basic ${Buffer.from(`admin:${PASSWORD}`).toString('base64')}`;

let environment: Readonly<Record<string, string>>;
let server: ServerProcess;
afterAll(() => server.stop());
const folder = temporaryFolder();
const database = databaseOfTests();

beforeAll(async () => {
  await writeFile(join(folder, 'password'), PASSWORD);
  environment = {
    DATABASE_URL: database.url,
    DATA_DIR: join(folder, 'data'),
    ADMIN_PASSWORD_FILE: join(folder, 'password'),
  };
  server = await startServerProcess({ ...environment, TRUST_PROXY: 'loopback', LIMIT_EXEMPT: 'none' });
});

describeWithProgram('deploy/compose/Caddyfile', findSystemProgram('caddy'), 'caddy', (caddy) => {
  let proxy: Caddy;

  beforeAll(async () => {
    proxy = await startCaddy(caddy, server.baseUrl);
  });

  afterAll(() => proxy.stop());

  const ask = (path: string, headers: Record<string, string> = {}, to = proxy): Promise<ProxyAnswer> =>
    askProxy(to, path, { headers });

  it('ends TLS and passes requests on', async () => {
    const { status, headers, body } = await ask('/monitoring/storageEncryption', { Authorization: BASIC });
    expect(status).toBe(200);
    expect(JSON.parse(body)).toMatchObject({ result: { status: true, value: true } });
    expect(headers['strict-transport-security']).toMatch(/^max-age=31536000; includeSubDomains$/);
  });

  it('keeps /metrics from outside, also below a path', async () => {
    expect((await ask('/metrics')).status).toBe(404);
    const below = await startCaddy(caddy, server.baseUrl, { below: '/tan' });
    const statuses: (number | undefined)[] = [];
    for (const path of ['/tan/healthz', '/tan/metrics', '/metrics']) {
      statuses.push((await ask(path, {}, below)).status);
    }
    await below.stop();
    expect(statuses).toEqual([200, 404, 404]);
  });

  it('logs no request, and with it no PIN in a query string', async () => {
    const own = await startCaddy(caddy, server.baseUrl);
    await ask('/ocra/check_t?transactionid=123456789012&pass=geheim12345678', {}, own);
    // Its last lines leave with its end.
    await own.stop();
    expect(own.output()).toContain('serving initial configuration');
    expect(own.output()).not.toMatch(/geheim|check_t/);
  });

  it('replaces an address that a client claims by its own', async () => {
    await ask('/healthz?claimed=1', { 'X-Forwarded-For': '203.0.113.9', Forwarded: 'for=203.0.113.9' });
    await ask('/monitoring/config', { 'X-Forwarded-For': '203.0.113.9' });
    // Its last lines leave with its end.
    const { output } = await server.stop();
    expect(output).toMatch(/"path":"\/monitoring\/config".*"client":"127\.0\.0\.1"/);
    expect(output).not.toContain('203.0.113.9');
  });
});

describe('bin/backup-daily', () => {
  const DAY = 86_400_000;
  let backups: string;
  let identity: string;

  beforeAll(async () => {
    identity = await generateX25519Identity();
    await writeFile(join(folder, 'identity.txt'), `${identity}\n`);
    backups = join(folder, 'backups');
    await mkdir(backups);
    for (const [name, age] of [
      ['tankeeper-2020-01-01T000000Z.age', 40],
      ['tankeeper-2020-01-02T000000Z.age', 10],
      ['other.age', 40],
    ] as const) {
      await writeFile(join(backups, name), '');
      const time = new Date(Date.now() - age * DAY);
      await utimes(join(backups, name), time, time);
    }
  });

  async function backUp(
    changes: Readonly<Record<string, string>> = {},
  ): Promise<{ code: number; err: string }> {
    return new Promise((resolve) => {
      execFile(
        'sh',
        [join(REPOSITORY, 'bin/backup-daily')],
        {
          env: {
            PATH: process.env.PATH,
            ...environment,
            TANKEEPER: testProgram(),
            BACKUP_DIR: backups,
            BACKUP_ONCE: 'yes',
            ...changes,
          },
        },
        (error, _out, err) => {
          resolve({ code: error === null ? 0 : Number(error.code), err });
        },
      );
    });
  }

  it('removes nothing while no backup succeeds', async () => {
    const { code, err } = await backUp({ BACKUP_RECIPIENT: 'age1wrong', BACKUP_KEEP_DAYS: '30' });
    expect(code).toBe(1);
    expect(err).toMatch(/the backup failed/);
    expect(await readdir(backups)).toHaveLength(3);
    expect((await backUp({ BACKUP_KEEP_DAYS: 'few' })).code).toBe(2);
  });

  it('ends an export that hangs, and one that runs when it is stopped itself', async () => {
    const hanging = join(folder, 'hanging.mjs');
    await writeFile(
      hanging,
      `process.once('SIGTERM', () => { console.error('ended'); process.exit(130); });
       setInterval(() => undefined, 1000);
       console.error('begun');`,
    );
    const late = await backUp({ TANKEEPER: hanging, BACKUP_RECIPIENT: 'age1x', BACKUP_TIMEOUT: '8' });
    expect(late).toEqual({ code: 1, err: expect.stringMatching(/^begun\nended\nthe backup failed/) });
    const stopped = spawn('sh', [join(REPOSITORY, 'bin/backup-daily')], {
      env: { PATH: process.env.PATH, TANKEEPER: hanging, BACKUP_DIR: backups, BACKUP_RECIPIENT: 'age1x' },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const pieces: string[] = [];
    stopped.stderr.on('data', (piece: Buffer) => {
      pieces.push(piece.toString());
      if (pieces.join('') === 'begun\n') {
        stopped.kill('SIGTERM');
      }
    });
    expect(await once(stopped, 'close')).toEqual([1, null]);
    expect(pieces.join('')).toBe('begun\nended\n');
  });

  it('writes a backup that can be restored, and removes those that are too old', async () => {
    const recipient = await identityToRecipient(identity);
    expect((await backUp({ BACKUP_RECIPIENT: recipient, BACKUP_KEEP_DAYS: '30' })).code).toBe(0);
    const left = await readdir(backups);
    expect(left).toHaveLength(3);
    expect(left).toEqual(expect.arrayContaining(['other.age', 'tankeeper-2020-01-02T000000Z.age']));
    const [written = ''] = left.filter((name) => name.startsWith('tankeeper-') && !name.includes('2020'));
    const checked = await runCli(
      ['restore', join(backups, written), '--identity-file', join(folder, 'identity.txt'), '--check'],
      environment,
    );
    expect(checked).toMatchObject({ code: 0 });
  });
});

const HOSTS = ['127.0.0.1', '127.0.0.2'] as const;

describeWithProgram(
  'two servers behind deploy/compose/Caddyfile',
  findSystemProgram('caddy'),
  'caddy',
  (caddy) => {
    let servers: ServerProcess[];
    let resolver: NameResolver;
    let proxy: Caddy;
    let environment: Readonly<Record<string, string>>;
    let known: readonly string[] = [];

    afterAll(async () => {
      await proxy.stop();
      resolver.close();
      const ends = await Promise.all(servers.map((server) => server.stop()));
      expect(ends.map(({ code }) => code)).toEqual([0, 0]);
    });
    const folder = temporaryFolder();
    const database = databaseOfTests({ schema: 'empty' });

    beforeAll(async () => {
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

    /** @returns which server has answered a request */
    async function answering(): Promise<number> {
      const id = randomUUID();
      const headers = { Authorization: BASIC, 'X-Request-Id': id };
      const { status } = await askProxy(proxy, '/monitoring/config', { headers });
      expect(status).toBe(200);
      const place = (): number => servers.findIndex((server) => server.output().includes(id));
      await until(() => place() >= 0);
      return place();
    }

    it('let a request wait while the name has no address; one that is added gets requests, in turn', async () => {
      const answer = askProxy(proxy, '/healthz');
      await until(() => proxy.output().includes('failed getting dynamic upstreams'));
      known = [HOSTS[0]];
      expect(await answer).toMatchObject({ status: 200 });
      expect([await answering(), await answering()]).toEqual([0, 0]);
      known = HOSTS;
      await until(async () => (await answering()) === 1);
      expect([await answering(), await answering()].toSorted()).toEqual([0, 1]);
    });
  },
);
