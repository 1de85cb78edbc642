import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type ServerProcess,
  runTankeeper,
  startServerProcess,
} from '../../support/servers/server-process.ts';
import { databaseOfTests } from '../../support/database/test-database.ts';
import { temporaryFolder } from '../../support/values/temporary-folder.ts';

const run = promisify(execFile);
const SCRIPT = join(import.meta.dirname, '../../../docs/examples/old_client.py');
const PASSWORD = 'correct horse';

let environment: Record<string, string>;
let server: ServerProcess;
let apiToken: string;

afterAll(() => server.stop());

const folder = temporaryFolder();
const database = databaseOfTests();

beforeAll(async () => {
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
