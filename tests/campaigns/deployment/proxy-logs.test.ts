import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer, maxHeaderSize } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { declaredEndpoints } from '../../../scripts/described-interface.ts';
import { readRepositoryFile } from '../../repository/repository-file.ts';
import { type Caddy, startCaddy } from '../../support/servers/caddy.ts';
import { freePort, waitForPort } from '../../support/servers/wait-for-port.ts';
import { findSystemProgram } from '../../support/servers/program-paths.ts';
import { makeCertificates } from '../../support/servers/slapd.ts';
import { askProxy, type Proxy } from './ask-proxy.ts';
import { describeWithProgram } from '../../support/servers/system-programs.ts';

const PIN = 'geheim';
const PATH = `/ocra/check_t?transactionid=123456789012&pass=${PIN}12345678`;

/** A server that says the same to all, or nothing; by default nobody listens. */
async function upstream(words: string | undefined): Promise<{ port: number; close: () => void }> {
  const port = await freePort();
  if (words === undefined) {
    return { port, close: () => undefined };
  }
  const server: Server = createServer((socket) => {
    socket.on('error', () => undefined).once('data', () => socket.end(words));
  }).listen(port, '127.0.0.1');
  await once(server, 'listening');
  return { port, close: () => server.close() };
}

const UPSTREAMS = [
  ['is away', undefined],
  ['ends without an answer', ''],
  ['speaks no HTTP', 'nonsense\r\n\r\n'],
  ['ends in the middle of an answer', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx'],
] as const;

/** Sends a PIN wherever one can be, also in what is no HTTP. */
async function sendPins(proxy: Proxy): Promise<void> {
  const { origin, authority: ca } = proxy;
  const headers = {
    Referer: `${origin}${PATH}`,
    Authorization: `Basic ${PIN}`,
    Cookie: `a=${PIN}`,
    'X-Pin': PIN,
  };
  const ask = (method: string): Promise<unknown> =>
    askProxy(proxy, PATH, { method, headers, body: method === 'POST' ? `pass=${PIN}` : undefined }).catch(
      () => undefined,
    );
  const say = (bytes: string): Promise<unknown> =>
    new Promise((resolve) => {
      const socket = connect({ port: Number(new URL(origin).port), host: 'localhost', ca });
      socket.on('error', resolve).on('close', resolve).resume().end(bytes);
    });
  await Promise.all([
    ...['GET', 'POST', 'PUT', 'HEAD'].map(ask),
    say(`GET ${PATH} x HTTP/1.1\r\nHost: localhost\r\n\r\n`),
    say(`GET ${PATH} HTTP/1.1\r\nHost ${PIN}\r\n\r\n`),
    say(`GET ${PATH} HTTP/1.1\r\nHost: localhost\r\nX: ${PIN.repeat(20_000)}\r\n\r\n`),
  ]);
}

/** What the server takes at most: bytes of a body, and of the first line and the headers, but for those of a proxy. */
const LARGEST = {
  body: Math.max(...declaredEndpoints().map(({ large }) => large?.bytes ?? 0)),
  head: maxHeaderSize - 1_024,
};

/** Sends the largest requests through a proxy. @returns what a server behind it has received */
async function sendLargest(start: (port: number) => Promise<Proxy>): Promise<readonly unknown[]> {
  const server = createHttpServer((received, answer) => {
    let bytes = 0;
    received.on('data', (piece: Buffer) => (bytes += piece.length));
    received.on('end', () => answer.end(`${received.url?.length} ${bytes}`));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const proxy = await start((server.address() as AddressInfo).port);
  const ask = async (path: string, body?: Buffer): Promise<string> => {
    const answer = await askProxy(proxy, path, { method: body === undefined ? 'GET' : 'POST', body });
    return `${answer.status} ${answer.body}`;
  };
  const answers = [await ask('/', Buffer.alloc(LARGEST.body)), await ask('/'.padEnd(LARGEST.head, 'x'))];
  server.close();
  return answers;
}

const ADMITTED = [`200 1 ${LARGEST.body}`, `200 ${LARGEST.head} 0`];

/** @returns the status of a request with a PIN in its address */
async function statusOf(proxy: Proxy, method: string): Promise<unknown> {
  return (await askProxy(proxy, PATH, { method })).status;
}

/** Servers that hang up after a request. @returns the methods that they were asked by, and their end */
async function hangingUp(ports: readonly number[]): Promise<{ asked: string[]; close: () => void }> {
  const asked: string[] = [];
  const servers = ports.map((port) =>
    createServer((socket) => {
      socket.once('data', (bytes: Buffer) => {
        asked.push(bytes.toString('latin1').split(' ')[0] ?? '');
        socket.destroy();
      });
    }).listen(port, '127.0.0.1'),
  );
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const close = (): void => {
    servers.forEach((server) => server.close());
  };
  return { asked, close };
}

describeWithProgram('Caddy', findSystemProgram('caddy'), 'caddy', (program) => {
  it.each(UPSTREAMS)('logs no PIN while the server %s', async (_what, words) => {
    const server = await upstream(words);
    const proxy = await startCaddy(program, `http://127.0.0.1:${server.port}`, { tries: '2s' });
    await sendPins(proxy);
    await proxy.stop();
    server.close();
    expect(proxy.output()).toContain('"level":"error"');
    expect(proxy.output()).not.toContain(PIN);
  });

  it('admits the largest requests that the server does', async () => {
    const started: Caddy[] = [];
    const answers = await sendLargest(async (port) => {
      const proxy = await startCaddy(program, `http://127.0.0.1:${port}`);
      started.push(proxy);
      return proxy;
    });
    await Promise.all(started.map((proxy) => proxy.stop()));
    expect(answers).toEqual(ADMITTED);
  });

  it('lets a request wait while the server restarts', async () => {
    const port = await freePort();
    const proxy = await startCaddy(program, `http://127.0.0.1:${port}`);
    const answered = statusOf(proxy, 'GET');
    const server = createServer((socket) => {
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'));
    });
    // The proxy has the request by then, and would have refused it.
    await sleep(500);
    server.listen(port, '127.0.0.1');
    expect(await answered).toBe(200);
    server.close();
    await proxy.stop();
  });

  it.each(['GET', 'POST'])('never repeats a request that the server may have had: %s', async (method) => {
    const port = await freePort();
    const { asked, close } = await hangingUp([port]);
    const proxy = await startCaddy(program, `http://127.0.0.1:${port}`);
    const status = await statusOf(proxy, method);
    close();
    await proxy.stop();
    expect([status, asked]).toEqual([502, [method]]);
  });
});

describe('with the configuration of docs/examples', () => {
  let folder: string;
  let authority: string;
  let child: ChildProcess;
  let printed: string[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tankeeper-proxy-'));
    // nginx as root writes as another account.
    await chmod(folder, 0o777);
    const { authorityFile, certificateFile, keyFile } = await makeCertificates(folder);
    authority = await readFile(authorityFile, 'utf8');
    const both = (await readFile(certificateFile, 'utf8')) + (await readFile(keyFile, 'utf8'));
    await writeFile(join(folder, 'tankeeper.pem'), both);
    await writeFile(join(folder, 'tankeeper.key'), await readFile(keyFile));
  });
  afterAll(() => rm(folder, { recursive: true }));

  async function run(program: string, parameters: readonly string[], port: number): Promise<void> {
    printed = [];
    child = spawn(program, parameters, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (piece: Buffer) => printed.push(piece.toString('latin1')));
    }
    await waitForPort(port, child);
  }

  /** Ends the proxy. @returns all that it has printed and written */
  async function stop(): Promise<string> {
    const ended = once(child, 'close');
    child.kill('SIGTERM');
    await ended;
    const logs = (await readdir(folder)).filter((name) => name.endsWith('.log'));
    const texts = await Promise.all(logs.map((name) => readFile(join(folder, name), 'latin1')));
    await Promise.all(logs.map((name) => rm(join(folder, name))));
    return [...printed, ...texts].join('');
  }

  describeWithProgram('nginx', findSystemProgram('nginx'), 'nginx-light', (program) => {
    /** @param peers the address of the server, or a group of such */
    async function runNginx(peers: string, groups = ''): Promise<string> {
      const port = await freePort();
      const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
        (name) => `${name}_temp_path ${folder}/temporary;`,
      );
      const ours = readRepositoryFile('docs/examples/nginx.conf')
        .replace('listen 443', `listen 127.0.0.1:${port}`)
        .replace('127.0.0.1:5001', peers)
        .replaceAll('/etc/nginx/', `${folder}/`)
        .replaceAll('/var/log/nginx/', `${folder}/`);
      await writeFile(
        join(folder, 'nginx.conf'),
        `daemon off; pid ${folder}/pid; error_log ${folder}/main.log info;
         events {} http { ${places.join(' ')} ${groups} ${ours} }`,
      );
      await mkdir(join(folder, 'temporary'), { recursive: true });
      await run(program, ['-e', 'stderr', '-p', folder, '-c', join(folder, 'nginx.conf')], port);
      return `https://localhost:${port}`;
    }

    it('admits the largest requests that the server does', async () => {
      const answers = await sendLargest(async (port) => ({
        origin: await runNginx(`127.0.0.1:${port}`),
        authority,
      }));
      await stop();
      expect(answers).toEqual(ADMITTED);
    });

    it.each(['GET', 'POST'])('never repeats a request that a server may have had: %s', async (method) => {
      const ports = [await freePort(), await freePort()];
      const { asked, close } = await hangingUp(ports);
      const peers = ports.map((port) => `server 127.0.0.1:${port};`).join(' ');
      const origin = await runNginx('peers', `upstream peers { ${peers} keepalive 4; }`);
      const status = await statusOf({ origin, authority }, method);
      await stop();
      close();
      expect([status, asked]).toEqual([502, [method]]);
    });

    it.each(UPSTREAMS)('logs no PIN while the server %s', async (_what, words) => {
      const server = await upstream(words);
      const origin = await runNginx(`127.0.0.1:${server.port}`);
      await sendPins({ origin, authority });
      server.close();
      const text = await stop();
      expect(text).toMatch(/GET \/ocra\/check_t \d{3} /);
      expect(text).not.toContain(PIN);
    });
  });

  describeWithProgram('HAProxy', findSystemProgram('haproxy'), 'haproxy', (program) => {
    async function runHaproxy(upstreamPort: number): Promise<string> {
      const port = await freePort();
      const ours = readRepositoryFile('docs/examples/haproxy.cfg')
        .replace('bind :443', `bind 127.0.0.1:${port}`)
        .replace('127.0.0.1:5001', `127.0.0.1:${upstreamPort}`)
        .replaceAll('/etc/haproxy/', `${folder}/`)
        .replace('retries 30', 'retries 3');
      const file = join(folder, 'haproxy.cfg');
      await writeFile(file, `global\n  log stdout format raw daemon debug\n${ours}`);
      await run(program, ['-db', '-f', file], port);
      return `https://localhost:${port}`;
    }

    it('admits the largest requests that the server does', async () => {
      const answers = await sendLargest(async (port) => ({ origin: await runHaproxy(port), authority }));
      await stop();
      expect(answers).toEqual(ADMITTED);
    });

    it.each(UPSTREAMS)('logs no PIN while the server %s', async (_what, words) => {
      const server = await upstream(words);
      await sendPins({ origin: await runHaproxy(server.port), authority });
      server.close();
      const text = await stop();
      expect(text).toMatch(/GET \/ocra\/check_t/);
      expect(text).not.toContain(PIN);
    });
  });
});
