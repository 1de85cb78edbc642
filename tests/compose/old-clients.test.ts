import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ServerProcess, runTankeeper, startServerProcess } from '../support/servers/server-process.ts';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.ts';

const run = promisify(execFile);
const SCRIPT = join(import.meta.dirname, '../../docs/examples/old_client.py');
const PASSWORD = 'correct horse';

let database: TestDatabase;
let folder: string;
let environment: Record<string, string>;
let server: ServerProcess;
let apiToken: string;

beforeAll(async () => {
  database = await createTestDatabase();
  folder = await mkdtemp(join(tmpdir(), 'tankeeper-old-clients-'));
  await writeFile(join(folder, 'password'), PASSWORD);
  environment = {
    DATABASE_URL: database.url,
    DATA_DIR: folder,
    ADMIN_PASSWORD_FILE: join(folder, 'password'),
    WIRE_DIALECT: 'linotp',
  };
  server = await startServerProcess(environment);
  const added = await runTankeeper(['api-token', 'add', 'admin', 'test', '*', '--json'], environment);
  apiToken = /tk_[\w-]{43}/.exec(added.output)?.[0] ?? added.output;
});

afterAll(async () => {
  await server.stop();
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

const curl = async (...parameters: string[]): Promise<unknown> => {
  const jar = join(folder, 'cookies');
  const { stdout } = await run('curl', ['--silent', '--cookie', jar, '--cookie-jar', jar, ...parameters]);
  return JSON.parse(stdout);
};

/** @returns the value of a cookie that curl keeps */
async function kept(name: string): Promise<string> {
  const { stdout } = await run('grep', [`\t${name}\t`, join(folder, 'cookies')]);
  return stdout.trim().split('\t').at(-1) ?? '';
}

async function runClient({ baseUrl }: ServerProcess, way: string, serial: string): Promise<unknown[]> {
  const secret = way === 'token' ? apiToken : PASSWORD;
  const { stdout } = await run('python3', [SCRIPT, baseUrl, way, 'admin', serial], {
    env: { PATH: process.env.PATH ?? '', TANKEEPER_SECRET: secret, PYTHONIOENCODING: 'utf-8' },
  });
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
}

const stepsWith = (serial: string): unknown[] => [
  { step: 'phase 1', value: serial },
  { step: 'phase 2', value: true },
  { step: 'payment', value: true },
  { step: 'again', value: false },
  { step: 'monitoring', value: expect.objectContaining({ active: expect.any(Number) }) },
];

describe('a Python client with nothing but the standard library', () => {
  it.each(['basic', 'session', 'login', 'token'])(
    'enrols a token, confirms a payment once and reads the monitoring by %s',
    async (way) => {
      expect(await runClient(server, way, `PY-${way}`)).toEqual(stepsWith(`PY-${way}`));
    },
  );

  it('does the same with the dialect documented', async () => {
    const other = await startServerProcess({ ...environment, WIRE_DIALECT: 'documented' });
    try {
      expect(await runClient(other, 'login', 'PY-documented')).toEqual(stepsWith('PY-documented'));
    } finally {
      await other.stop();
    }
  });
});

describe('curl', () => {
  const init = (serial: string): string[] => ['--data', `type=ocra&serial=${serial}&genkey=1&sharedsecret=1`];
  /** The way of telling who asks, and how each request then goes. */
  const ways: readonly [string, () => Promise<string[]>][] = [
    ['password', () => Promise.resolve(['--user', `admin:${PASSWORD}`])],
    ['token', () => Promise.resolve(['--header', `Authorization: Bearer ${apiToken}`])],
    [
      'session',
      async () => {
        await curl('--user', `admin:${PASSWORD}`, `${server.baseUrl}/admin/getsession`);
        return ['--data-urlencode', `session=${await kept('admin_session')}`];
      },
    ],
    [
      'login',
      async () => {
        await rm(join(folder, 'cookies'), { force: true });
        const form = ['--data', 'username=admin', '--data-urlencode', `password=${PASSWORD}`];
        await curl(...form, `${server.baseUrl}/admin/login`);
        return ['--header', `X-CSRF-TOKEN: ${await kept('csrf_access_token')}`];
      },
    ],
  ];

  it.each(ways)('runs both phases, a challenge and a monitoring query by %s', async (way, proveOnce) => {
    const proof = await proveOnce();
    const serial = `CURL-${way}`;
    const ask = (path: string, ...more: string[]): Promise<unknown> =>
      curl(...proof, ...more, server.baseUrl + path);
    expect(await ask('/admin/init', ...init(serial))).toHaveProperty('detail.sharedsecret');
    const activate = ['--data', `type=ocra&serial=${serial}&genkey=1&activationcode=JZXW4ZI%3D2A&message=hi`];
    expect(await ask('/admin/init', ...activate)).toHaveProperty('detail.transactionid');
    expect(await ask('/ocra/request', '--data', `serial=${serial}&data=abc`)).toHaveProperty(
      'detail.challenge',
    );
    expect(await ask('/monitoring/tokens', '--get')).toHaveProperty('result.value.Summary.total');
  });
});
