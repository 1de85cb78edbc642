import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  runTankeeper,
  type ServerProcess,
  startServerProcess,
} from '../../support/servers/server-process.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/test-database.ts';

let folder: string;
let database: TestDatabase;
let keyFile: string;
let environment: Record<string, string>;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tankeeper-start-'));
  // Under root the embedded PostgreSQL runs as another user, who has to get through.
  chmodSync(folder, 0o711);
  database = await createTestDatabase({ schema: 'empty' });
  keyFile = join(folder, 'encryption.key');
  environment = { DATABASE_URL: database.url, DATA_DIR: folder, PORT: '0' };
  // A first start: makes schema, key and administrator.
  await (await startServerProcess(environment)).stop();
});

afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await database.drop();
});

async function refusedStart(change: Record<string, string>): Promise<string> {
  const { code, output } = await runTankeeper(['serve'], { ...environment, ...change });
  expect(code).toBe(1);
  expect(output).not.toMatch(/\n\s+at /);
  return output;
}

/** Another program that listens. */
async function takePort(): Promise<{ port: string; release: () => void }> {
  const taken = createServer();
  await new Promise<void>((resolve) => {
    taken.listen(0, '127.0.0.1', resolve);
  });
  return {
    port: String((taken.address() as AddressInfo).port),
    release: () => {
      taken.close();
    },
  };
}

describe('a start is refused with a clear message', () => {
  it('for a value of the environment that is not allowed', async () => {
    expect(await refusedStart({ WIRE_DIALECT: 'klingon' })).toContain(
      "\"WIRE_DIALECT='klingon' is not allowed. Allowed: documented, linotp.",
    );
  });

  it('for a port that is taken', async () => {
    const { port, release } = await takePort();
    expect(await refusedStart({ PORT: port })).toContain(
      `Cannot listen on 127.0.0.1 port ${port}: another program listens there`,
    );
    release();
  });

  it('for a port that is taken at the very first start, and the next one still shows the first password', async () => {
    const fresh = await createTestDatabase({ schema: 'empty' });
    const { port, release } = await takePort();
    const change = { DATABASE_URL: fresh.url, ENCRYPTION_KEY_FILE: join(folder, 'first.key') };
    await refusedStart({ ...change, PORT: port });
    release();
    const { output } = await (await startServerProcess({ ...environment, ...change })).stop();
    expect(output).toMatch(/The first administrator is 'admin'. The password, shown this once:\s+\S{16,}/);
    await fresh.drop();
  });

  it('for an encryption key that is lost: names its id, writes nothing', async () => {
    const content = readFileSync(keyFile);
    rmSync(keyFile);
    const output = await refusedStart({});
    expect(output).toMatch(/needs the encryption key [0-9a-f]{16}, and there is no key file/);
    expect(existsSync(keyFile)).toBe(false);
    writeFileSync(keyFile, content, { mode: 0o600 });
    await (await startServerProcess(environment)).stop();
  });

  it('for a wrong encryption key: names both ids, overwrites nothing', async () => {
    const wrongFile = join(folder, 'wrong.key');
    writeFileSync(wrongFile, `${Buffer.alloc(32, 1).toString('base64')}\n`, { mode: 0o600 });
    const before = readFileSync(wrongFile);
    expect(await refusedStart({ ENCRYPTION_KEY_FILE: wrongFile })).toMatch(/[0-9a-f]{16}.*[0-9a-f]{16}/s);
    expect(readFileSync(wrongFile)).toEqual(before);
  });

  it('for a first password that is too short', async () => {
    const fresh = await createTestDatabase({ schema: 'empty' });
    const file = join(folder, 'short');
    writeFileSync(file, 'short\n');
    const output = await refusedStart({
      DATABASE_URL: fresh.url,
      ENCRYPTION_KEY_FILE: join(folder, 'another.key'),
      ADMIN_PASSWORD_FILE: file,
    });
    expect(output).toContain('The password in ADMIN_PASSWORD_FILE does not do: ');
    await fresh.drop();
  });

  it('for a secret file that is not there', async () => {
    const fresh = await createTestDatabase({ schema: 'empty' });
    const output = await refusedStart({
      DATABASE_URL: fresh.url,
      ENCRYPTION_KEY_FILE: join(folder, 'fresh.key'),
      ADMIN_PASSWORD_FILE: join(folder, 'nowhere'),
    });
    expect(output).toMatch(/ADMIN_PASSWORD_FILE='.*nowhere' cannot be read \(ENOENT\)/);
    await fresh.drop();
  });
});

describe('the embedded database', () => {
  let server: ServerProcess;
  let dataDir: string;

  beforeAll(async () => {
    dataDir = join(folder, 'embedded');
    mkdirSync(dataDir);
    server = await startServerProcess({ DATA_DIR: dataDir });
  });

  it('lets no second server into its folder, and the first goes on', async () => {
    const { code, output } = await runTankeeper(['serve'], { DATA_DIR: dataDir, PORT: '0' });
    expect(code).toBe(1);
    expect(output).toMatch(
      /the data folder .*embedded is in use by another tankeeper server \(process \d+\)/,
    );
    expect((await fetch(`${server.baseUrl}/readyz`)).status).toBe(200);
  });

  it('lets commands in while the server runs', async () => {
    const { code, output } = await runTankeeper(['admin', 'list', '--json'], { DATA_DIR: dataDir });
    expect({ code, names: (JSON.parse(output) as { name: string }[]).map(({ name }) => name) }).toEqual({
      code: 0,
      names: ['admin'],
    });
  });

  it('keeps its key readable for its owner alone', () => {
    expect(statSync(join(dataDir, 'encryption.key')).mode & 0o777).toBe(0o600);
  });

  it('stops with the server: SIGTERM ends both within ten seconds', async () => {
    const { code, output } = await server.stop();
    expect(code).toBe(0);
    expect(output).toContain('"message":"Stopped"');
    expect(existsSync(join(dataDir, 'postgres', 'postmaster.pid'))).toBe(false);
  });
});
