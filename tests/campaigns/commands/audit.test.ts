import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ServerProcess, startServerProcess } from '../../support/servers/server-process.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/test-database.ts';
import { type Ended, runCli } from '../../cli/cli-process.ts';

describe('tankeeper audit, beside a server', () => {
  let folder: string;
  let database: TestDatabase;
  let server: ServerProcess;
  let environment: Record<string, string>;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tankeeper-audit-'));
    database = await createTestDatabase();
    environment = { DATABASE_URL: database.url, DATA_DIR: folder };
    server = await startServerProcess(environment);
  });

  afterAll(async () => {
    server.process.kill('SIGKILL');
    await rm(folder, { recursive: true });
    await database.drop();
  });

  const tankeeper = (...parameters: string[]): Promise<Ended> =>
    runCli(['audit', ...parameters], environment);

  it('verifies what servers and commands have written, also of a server that was killed', async () => {
    // Its first administrator is a row of the server's.
    server.process.kill('SIGKILL');
    expect((await runCli(['setting', 'set', 'OcraMaxChallengeRequests', '1000'], environment)).code).toBe(0);
    const { code, out } = await tankeeper('verify', '--json');
    const { rows, findings } = JSON.parse(out) as { rows: number; findings: unknown[] };
    expect({ code, rows, findings }).toEqual({ code: 0, rows: 2, findings: [] });
    const search = await tankeeper('search', '--serial', 'OcraMaxChallengeRequests', '--json');
    expect(JSON.parse(search.out)).toMatchObject([
      {
        actor: expect.stringMatching(/^operator:/),
        subject: 'OcraMaxChallengeRequests',
        outcome: 'stored',
      },
    ]);
  });

  it('exports what verifies without the database, for the key that verify shows, and for no other one', async () => {
    const file = join(folder, 'trail.jsonl');
    expect(await tankeeper('export', '--output', file)).toMatchObject({
      code: 0,
      // With the row of its own.
      out: 'rows exported: 3\n',
    });
    expect(await tankeeper('export', '--output', file)).toMatchObject({ code: 1 });
    const { out } = await tankeeper('verify', '--json');
    const [key = ''] = (JSON.parse(out) as { keys: string[] }).keys;
    const offline = (...more: string[]): Promise<Ended> =>
      runCli(['audit', 'verify', '--file', file, ...more], {
        DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
      });
    expect(await offline('--key', key)).toMatchObject({ code: 0, err: '' });
    expect(await offline('--key', Buffer.alloc(32, 1).toString('base64'))).toMatchObject({ code: 1 });
    const text = await readFile(file, 'utf8');
    const altered = await runCli(
      ['audit', 'verify', '--file', '-'],
      {},
      text.replace('"created"', '"removed"'),
    );
    expect(altered).toMatchObject({ code: 1 });
    expect(altered.out).toMatch(/^changed: row 1 of 20/m);
  });

  it('names the row that somebody has changed, and then prunes only when it is forced', async () => {
    await database.database.knex.raw(
      `SELECT set_config('tankeeper.audit', 'open', true); UPDATE audit SET outcome = 'other' WHERE subject = 'OcraMaxChallengeRequests'`,
    );
    const { code, out, err } = await tankeeper('verify');
    expect({ code, err }).toEqual({
      code: 1,
      err: 'tankeeper: the audit trail does not verify: 1 finding\n',
    });
    expect(out).toMatch(/^changed: row \d+ of 20\d\d-.*: checkpoint \d+ knows another one of this id\n/);
    const refused = await tankeeper('prune', '--before', '2026-01-01');
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('does not verify') });
    expect(await tankeeper('prune', '--before', '2026-01-01', '--force')).toMatchObject({
      code: 0,
      out: 'there was nothing to prune (0 rows)\n',
    });
  });
});

describe('tankeeper audit verify, of a trail without rows', () => {
  let folder: string;
  let database: TestDatabase;
  let environment: Record<string, string>;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tankeeper-audit-'));
    database = await createTestDatabase();
    environment = { DATABASE_URL: database.url, DATA_DIR: folder };
  });
  afterAll(async () => {
    await rm(folder, { recursive: true });
    await database.drop();
  });

  it('finds nothing while nothing was done', async () => {
    const embedded = { DATA_DIR: join(folder, 'embedded') };
    for (const command of [['migrate'], ['audit', 'verify'], ['audit', 'verify']]) {
      expect(await runCli(command, embedded)).toMatchObject({ code: 0, err: '' });
    }
  });

  it('says that it was emptied where there is an administrator', async () => {
    const server = await startServerProcess(environment);
    await server.stop();
    await database.database.knex.raw(
      "SELECT set_config('tankeeper.audit', 'open', true); TRUNCATE audit, audit_checkpoints",
    );
    const { code, out, err } = await runCli(['audit', 'verify'], environment);
    expect({ code, err }).toEqual({
      code: 1,
      err: 'tankeeper: the audit trail does not verify: 1 finding\n',
    });
    expect(out).toMatch(
      /^removed: row: none tells who made the administrator 'admin'\n0 rows, 0 checkpoints: 1 findings\n/,
    );
  });
});
