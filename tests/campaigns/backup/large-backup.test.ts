import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { generateX25519Identity, identityToRecipient } from 'age-encryption';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCli } from '../../cli/cli-process.ts';
import { shortOrLong } from '../../support/campaign.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/test-database.ts';
import { startServerProcess } from '../../support/servers/server-process.ts';

jest.setTimeout(1_200_000);

const TOKENS = shortOrLong(50_000, 200_000);
/** In a description: the short form has fewer rows, and as many bytes. */
const TEXTS = shortOrLong(16, 4);
/** The rows of this test as JSON are larger. */
const HEAP_MEBIBYTES = 48;
/** An export holds 144 to 147 MB without the 256 MB of a passphrase, whatever the size of the database. */
const PEAK_MEGABYTES = 160;
/** Writes the peak of a process's memory when it ends. */
const PEAK_PROGRAM = `
import { readFileSync, writeFileSync } from 'node:fs';
process.on('exit', () => writeFileSync(process.env.PEAK_FILE, /VmHWM:\\s+(\\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'))[1]));
`;

let folder: string;
let source: TestDatabase;
let target: TestDatabase;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tankeeper-large-backup-'));
  [source, target] = await Promise.all([createTestDatabase(), createTestDatabase({ schema: 'empty' })]);
});
afterAll(async () => {
  await Promise.all([source.drop(), target.drop()]);
  await rm(folder, { recursive: true, force: true });
});

describe('a backup much larger than the memory of the process', () => {
  it('is written in little memory, and restored', async () => {
    const environment = {
      ENCRYPTION_KEY_FILE: join(folder, 'key'),
      NODE_OPTIONS: `--max-old-space-size=${HEAP_MEBIBYTES}`,
    };
    const server = await startServerProcess({ ...environment, DATABASE_URL: source.url });
    await server.stop();
    await source.database.transact(
      async ({ sql }) => {
        await sql.raw(
          `INSERT INTO tokens (serial, type, active, realm_set_id, ocra_suite, replay_markers, description)
           SELECT 'T' || n, 'ocra', true, intern_realm_set('{}'), 'OCRA-1:HOTP-SHA256-8:C-QN08', ARRAY[md5(n::text)],
             repeat(md5(n::text), ?::int)
           FROM generate_series(1, ?::int) AS n`,
          [TEXTS, TOKENS],
        );
      },
      { isLong: true },
    );
    const identity = await generateX25519Identity();
    await writeFile(join(folder, 'identity'), identity);
    const backup = join(folder, 'backup.age');
    const lock = ['--recipient', await identityToRecipient(identity)];
    const [program, peak] = [join(folder, 'peak.mjs'), join(folder, 'peak')];
    await writeFile(program, PEAK_PROGRAM);
    const exported = await runCli(['export', backup, ...lock, '--json'], {
      ...environment,
      NODE_OPTIONS: `--import=${program}`,
      PEAK_FILE: peak,
      DATABASE_URL: source.url,
    });
    expect(exported).toMatchObject({ code: 0, err: '' });
    expect((Number(await readFile(peak, 'utf8')) * 1024) / 1e6).toBeLessThanOrEqual(PEAK_MEGABYTES);
    expect(JSON.parse(exported.out)).toMatchObject({ tables: { tokens: TOKENS } });
    const unlock = ['--identity-file', join(folder, 'identity')];
    const restored = await runCli(['restore', backup, ...unlock, '--json'], {
      ...environment,
      DATABASE_URL: target.url,
    });
    expect(restored).toMatchObject({ code: 0, err: '' });
    expect(JSON.parse(restored.out)).toMatchObject({ restored: true, tables: { tokens: TOKENS } });
  });
});
