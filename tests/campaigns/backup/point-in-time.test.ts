import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync } from 'node:fs';
import { appendFile, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeEach, expect, it } from '@jest/globals';
import { publishResults } from '../../../bench/result-page.ts';
import { campaignSeed, shortOrLong } from '../../support/campaign.ts';
import { queryOnce } from '../../support/database/test-server.ts';
import { killProcessesOf, untilNobodyIsLeft } from '../../support/servers/processes-of.ts';
import {
  runTankeeper,
  type ServerProcess,
  startServerProcess,
} from '../../support/servers/server-process.ts';
import { initialise, type PostgresNode, postgresNode } from '../../support/servers/system-postgres.ts';
import { describeWithProgram, findPostgres } from '../../support/servers/system-programs.ts';
import { until } from '../../support/values/until.ts';
import { isAcceptance } from '../once-only/checker.ts';
import { HistoryClient } from '../once-only/client.ts';
import { runLoad } from '../once-only/load.ts';
import { replay } from '../once-only/stored-facts.ts';

const run = promisify(execFile);
const SEED = campaignSeed(33);
const LIMIT_MS = 900_000;
const PASSWORD = 'correct horse battery staple';
const TOKENS = shortOrLong(1_000, 50_000);
/** Seconds after which PostgreSQL archives a part of a file, and of the load after the base backup. */
const ARCHIVE_TIMEOUT = shortOrLong(2, 30);
const LOAD = shortOrLong(5, 75);

/** How the write-ahead log gets to the archive. */
const WAYS = ['archive_command', 'pg_receivewal'] as const;

describeWithProgram('a database whose disk is lost', findPostgres(), 'postgresql', (programs) => {
  let folder: string;
  let archive: string;
  let base: string;
  let postgres: PostgresNode;
  let environment: Readonly<Record<string, string>>;
  let server: ServerProcess;
  const rows: (readonly (string | number)[])[] = [];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tankeeper-recovery-'));
    postgres = await postgresNode(programs, folder, 'postgres');
    [archive, base] = ['archive', 'base'].map((name) => join(dirname(postgres.data), name)) as [
      string,
      string,
    ];
    await initialise(programs, postgres);
    await mkdir(archive, { mode: 0o700 });
    if (postgres.account !== undefined) {
      chownSync(archive, postgres.account.uid, postgres.account.gid);
    }
    await writeFile(join(folder, 'password'), PASSWORD, { mode: 0o600 });
    environment = {
      DATABASE_URL: postgres.url,
      DATA_DIR: join(folder, 'server'),
      ADMIN_PASSWORD_FILE: join(folder, 'password'),
    };
    server = await startServerProcess(environment);
    await queryOnce(
      postgres.url,
      `INSERT INTO tokens (serial, type, active, realm_set_id, algorithm)
       SELECT 'T' || n, 'ocra', true, intern_realm_set('{}'), 'OCRA-1:HOTP-SHA256-8:C-QN08'
       FROM generate_series(1, ${TOKENS}) AS n`,
    );
  }, LIMIT_MS);

  afterEach(async () => {
    await server.stop();
    await postgres.stop();
    await rm(folder, { recursive: true });
  });

  afterAll(() =>
    publishResults({
      name: 'point-in-time',
      title: 'Point-in-time recovery',
      command: 'CAMPAIGN=long npm run test:campaigns -- tests/campaigns/backup/point-in-time.test.ts',
      measures: `The disk of PostgreSQL is lost under load, ${LOAD} s after a base backup: [Backup and restore](../guides/backup.md#point-in-time-recovery).`,
      sections: [
        `${TOKENS} tokens; \`archive_timeout\` ${ARCHIVE_TIMEOUT} s. The RTO counts from the loss to the first acceptance, with the five steps in front of it.`,
        {
          head: [
            'log by',
            'answers',
            'of them lost',
            'RPO, s',
            'base copied, s',
            'recovered, s',
            'challenges closed, s',
            'trail verified, s',
            'started, and accepted, s',
            'RTO, s',
          ],
          rows,
        },
      ],
    }),
  );

  /** Begins to archive. @returns the function that ends it, and makes what has come so far whole */
  async function archiving(way: (typeof WAYS)[number]): Promise<() => Promise<void>> {
    if (way === 'archive_command') {
      for (const setting of [
        "archive_mode = 'on'",
        `archive_command = 'test ! -f "${archive}/%f" && cp "%p" "${archive}/%f.part" && mv "${archive}/%f.part" "${archive}/%f"'`,
        `archive_timeout = ${ARCHIVE_TIMEOUT}`,
      ]) {
        await queryOnce(postgres.superUrl, `ALTER SYSTEM SET ${setting}`);
      }
      await postgres.stop('SIGINT');
      await postgres.start();
      return () => Promise.resolve();
    }
    const program = join(programs, 'pg_receivewal');
    // Without a slot PostgreSQL removes what was not received yet.
    const from = ['-d', postgres.superUrl, '-D', archive, '--slot=archive'];
    await run(program, [...from, '--create-slot'], { ...postgres.account });
    const receiver = spawn(program, [...from, '--synchronous'], { stdio: 'ignore', ...postgres.account });
    await until(async () => (await readdir(archive)).length > 0);
    return async () => {
      const ended = receiver.exitCode === null ? once(receiver, 'exit') : undefined;
      receiver.kill('SIGTERM');
      await ended;
      for (const name of await readdir(archive)) {
        await rename(join(archive, name), join(archive, name.replace(/\.partial$/, '')));
      }
    };
  }

  /** What a disaster of the machine leaves: the archive and the base backup. */
  async function loseDisk(): Promise<void> {
    killProcessesOf(postgres.data);
    await postgres.stop();
    await untilNobodyIsLeft(postgres.data);
    await rm(postgres.data, { recursive: true });
  }

  async function recover(): Promise<void> {
    await appendFile(
      join(postgres.data, 'postgresql.auto.conf'),
      `archive_mode = 'off'\nrestore_command = 'cp "${archive}/%f" "%p"'\n`,
    );
    await writeFile(join(postgres.data, 'recovery.signal'), '');
    await postgres.start();
    await until(async () => {
      const [row] = await queryOnce<{ is: boolean }>(postgres.superUrl, 'SELECT pg_is_in_recovery() AS is');
      return row?.is === false;
    });
  }

  /** @returns the client after seconds of load on the server */
  async function loaded(
    prefix: string,
    isEnough: (client: HistoryClient) => boolean,
  ): Promise<HistoryClient> {
    const client = await HistoryClient.open(server.baseUrl, PASSWORD);
    const ending = new AbortController();
    const load = {
      client,
      servers: () => [server.baseUrl],
      prefix,
      portals: 4,
      seed: SEED,
      pause: 20,
    };
    const loading = runLoad(load, ending.signal);
    await until(() => isEnough(client), { timeoutMs: LIMIT_MS }).finally(() => {
      ending.abort();
    });
    await loading;
    return client;
  }

  it.each(WAYS)(
    `comes back from a base backup and the log by %s, and no response is accepted twice (seed ${SEED})`,
    async (way) => {
      const complete = await archiving(way);
      const copy = ['-d', postgres.superUrl, '-D', base, '--checkpoint=fast'];
      await run(join(programs, 'pg_basebackup'), copy, { ...postgres.account });
      const enough = performance.now() + LOAD * 1_000;
      const client = await loaded('OLD', () => performance.now() > enough);
      await loseDisk();
      await Promise.all([server.stop(), complete()]);

      const times = [performance.now()];
      const steps = [
        () => run('cp', ['-a', base, postgres.data]),
        recover,
        async () => {
          const closed = await runTankeeper(['challenge', 'close-all'], environment);
          expect(closed).toMatchObject({ code: 0 });
        },
        async () => {
          const verified = await runTankeeper(['audit', 'verify'], environment);
          expect(verified).toMatchObject({ code: 0 });
        },
        async () => {
          server = await startServerProcess(environment);
          await loaded('NEW', ({ records }) => records.some(isAcceptance));
        },
      ];
      for (const step of steps) {
        await step();
        times.push(performance.now());
      }
      const told = client.records.filter(({ op, outcome }) => op === 'answer' && outcome === 'ok');
      const kept = await queryOnce<{ request_id: string }>(
        postgres.url,
        `SELECT request_id FROM audit WHERE action = 'ocra/check_t'`,
      );
      const keptIds = new Set(kept.map(({ request_id }) => request_id));
      const lost = told.filter(({ request }) => !keptIds.has(request ?? ''));
      const ends = told.map(({ completed = 0 }) => completed);
      const firstLost = Math.min(...lost.map(({ completed = 0 }) => completed));
      const rpo = lost.length === 0 ? 0 : Math.max(...ends) - firstLost;
      const seconds = (milliseconds: number): string => (milliseconds / 1_000).toFixed(1);
      rows.push([
        way,
        told.length,
        lost.length,
        seconds(rpo),
        ...times.slice(1).map((time, index) => seconds(time - (times[index] ?? 0))),
        seconds((times.at(-1) ?? 0) - (times[0] ?? 0)),
      ]);
      const before = client.records.length;
      await replay(client, [server.baseUrl]);
      const again = client.records.slice(before);
      expect(told.some(isAcceptance)).toBe(true);
      expect(again.filter((record) => isAcceptance(record) || record.strange !== undefined)).toEqual([]);
      expect(rpo).toBeLessThan(way === 'pg_receivewal' ? 1_000 : (ARCHIVE_TIMEOUT + 30) * 1_000);
    },
    LIMIT_MS,
  );
});
