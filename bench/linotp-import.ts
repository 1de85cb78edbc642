import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { queryOnce, withDatabase } from '../tests/support/database/test-server.ts';
import { openBenchCluster } from './bench-cluster.ts';
import { startBenchServer } from './bench-server.ts';
import { ClosingStack } from './closing-stack.ts';
import { processFigures } from './process-figures.ts';
import { benchCommand, publishResults } from './result-page.ts';

/** `npm run bench:import`: see docs/benchmarks.md. */

const ROOT = join(import.meta.dirname, '..');
const FIXTURE = join(ROOT, 'tests/fixtures/linotp/2.12.6-postgresql');
const LIMITS = { tokensPerSecond: 5_000, megabytes: 250 };
const MEGABYTE = 1e6;
const SAMPLE_MS = 100;
const SOURCE_NAME = `tankeeper_bench_linotp_${process.pid}`;

/** Multiplies the OCRA tokens of the fixture, with their realms: other serials, the same encrypted secrets. */
const FILL = `
  WITH base AS (
    SELECT *, row_number() OVER (ORDER BY "LinOtpTokenId") AS place, count(*) OVER () AS size FROM "Token"
    WHERE "LinOtpTokenType" LIKE 'ocra%')
  INSERT INTO "Token"
  SELECT (jsonb_populate_record(NULL::"Token", to_jsonb(base) || jsonb_build_object(
    'LinOtpTokenId', 1000000 + n, 'LinOtpTokenSerialnumber', 'BENCH' || n))).*
  FROM generate_series(1, $1::bigint) AS n JOIN base ON base.place = 1 + n % base.size`;
const FILL_REALMS = `
  INSERT INTO "TokenRealm" (id, token_id, realm_id)
  SELECT 1000000 + n, 1000000 + n, 1 + n % 3 FROM generate_series(1, $1::bigint) AS n`;

interface Measured {
  readonly seconds: number;
  readonly peak: number;
}

const { values: flags } = parseArgs({ options: { tokens: { type: 'string', default: '1000000' } } });
process.exitCode = (await run(Number(flags.tokens))) ? 0 : 1;

async function run(tokens: number): Promise<boolean> {
  await using closing = new ClosingStack();
  const cluster = await openBenchCluster(process.env.BENCH_DATABASE_URL, true);
  closing.add(() => cluster.close());
  const target = await cluster.createDatabase('import');
  closing.add(async () => {
    await queryOnce(target, `DROP DATABASE IF EXISTS ${SOURCE_NAME} WITH (FORCE)`);
  });
  const source = await fillSource(target, tokens);
  const folder = join(cluster.folder, 'server');
  await (await startBenchServer(target, folder)).stop();
  const first = await importAll(target, source, folder);
  const again = await importAll(target, source, folder);
  const rate = Math.round(tokens / first.seconds);
  const peak = Math.round(first.peak / MEGABYTE);
  const isKept = rate >= LIMITS.tokensPerSecond && peak <= LIMITS.megabytes;
  await publishResults({
    name: 'import',
    title: 'Import from LinOTP',
    command: benchCommand('bench:import'),
    measures:
      'Tokens a second and memory of `tankeeper import linotp`: [Benchmarks](../benchmarks.md#import-from-linotp).',
    software: `PostgreSQL ${cluster.version}`,
    sections: [
      `${tokens} tokens in PostgreSQL, both databases and the command on one machine. Seconds of the whole command.`,
      {
        head: ['Import', 'Seconds', 'Tokens a second', 'Peak RSS, MB'],
        rows: [
          ['into an empty database', first.seconds.toFixed(1), rate, peak],
          [
            'again, without a change',
            again.seconds.toFixed(1),
            Math.round(tokens / again.seconds),
            Math.round(again.peak / MEGABYTE),
          ],
        ],
      },
      `- ${isKept ? 'PASS' : 'FAIL'}: at least ${LIMITS.tokensPerSecond} tokens a second in at most ${LIMITS.megabytes} MB`,
    ],
  });
  return isKept;
}

/** @returns the URL of a LinOTP database on the same server */
async function fillSource(server: string, tokens: number): Promise<string> {
  await queryOnce(server, `CREATE DATABASE ${SOURCE_NAME} TEMPLATE template0`);
  const source = withDatabase(server, SOURCE_NAME);
  await queryOnce(source, await readFile(join(FIXTURE, 'dump.sql'), 'utf8'));
  await queryOnce(source, FILL, [tokens]);
  await queryOnce(source, FILL_REALMS, [tokens]);
  return source;
}

async function importAll(target: string, source: string, folder: string): Promise<Measured> {
  const report = join(folder, 'report');
  const start = performance.now();
  const child = spawn(
    process.execPath,
    [
      join(ROOT, 'bin/tankeeper.js'),
      'import',
      'linotp',
      '--database',
      source,
      '--enckey',
      join(FIXTURE, 'encKey'),
      '--passwd-dir',
      FIXTURE,
      '--report',
      report,
    ],
    {
      env: {
        PATH: process.env.PATH ?? '',
        DATABASE_URL: target,
        DATA_DIR: join(folder, 'data'),
        RESOLVER_TIMEOUT: '1',
      },
      stdio: ['ignore', 'inherit', 'inherit'],
    },
  );
  let peak = 0;
  const timer = setInterval(() => {
    void processFigures(child.pid ?? 0).then(({ rss: [own = 0] }) => {
      peak = Math.max(peak, own);
    });
  }, SAMPLE_MS);
  const [code] = (await once(child, 'close')) as [number | null];
  clearInterval(timer);
  if (code !== 0) {
    throw new Error(`The import ended with ${code ?? 'a signal'}`);
  }
  const seconds = (performance.now() - start) / 1000;
  await Promise.all([unlink(report), unlink(`${report}.json`)]);
  return { seconds, peak };
}
