import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { chmod, copyFile, mkdtemp, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generateX25519Identity, identityToRecipient } from 'age-encryption';
import { computeResponse } from '../../../src/ocra/compute.ts';
import { questionOf } from '../../support/values/asked-question.ts';
import { parseOcraSuite } from '../../../src/ocra/suite.ts';
import { type Ended, runCli } from '../../cli/cli-process.ts';
import { createTestDatabase } from '../../support/database/test-database.ts';
import { type ServerProcess, startServerProcess } from '../../support/servers/server-process.ts';
import { temporaryFolder } from '../../support/values/temporary-folder.ts';
import { shortOrLong } from '../../support/campaign.ts';

const PASSWORD = 'the administrator of this test';

const SUITE = parseOcraSuite('OCRA-1:HOTP-SHA256-8:C-QN08');

const KEY = '31'.repeat(32);

const MONITORING = [
  'tokens?status=active,unassigned%26inactive&realms=*',
  'userinfo',
  'activeUsers',
  'license',
];

const folder = temporaryFolder();

let old: Readonly<Record<string, string>>;

let recipient: string;

let backup: string;

const before = new Map<string, unknown>();

const open: OpenTransaction[] = [];

const accepted: OpenTransaction[] = [];

interface OpenTransaction {
  readonly transactionid: string;
  readonly pass: string;
}

/** Sends a request as the administrator. */
async function ask(
  { baseUrl }: ServerProcess,
  path: string,
  parameters?: Record<string, string>,
): Promise<{ result: { status: boolean; value: unknown }; detail: Record<string, string> }> {
  const answer = await fetch(`${baseUrl}${path}`, {
    headers: { Authorization: `Basic ${Buffer.from(`admin:${PASSWORD}`).toString('base64')}` },
    ...(parameters !== undefined && { method: 'POST', body: new URLSearchParams(parameters) }),
  });
  return (await answer.json()) as Awaited<ReturnType<typeof ask>>;
}

async function challenge(server: ServerProcess, serial: string, counter: bigint): Promise<OpenTransaction> {
  const { detail } = await ask(server, '/ocra/request', { serial, data: '12345678' });
  const question = questionOf(detail.data ?? '');
  const tan = computeResponse(SUITE, Buffer.from(KEY, 'hex'), { question, counter });
  return { transactionid: detail.transactionid ?? '', pass: `geheim${tan}` };
}

async function check(server: ServerProcess, transaction: OpenTransaction): Promise<unknown> {
  return (await ask(server, '/ocra/check_t', { ...transaction })).result.value;
}

async function monitoring(server: ServerProcess): Promise<Map<string, unknown>> {
  const answers = new Map<string, unknown>();
  for (const path of [...MONITORING, 'config', 'storageEncryption']) {
    const answer = JSON.stringify(await ask(server, `/monitoring/${path}`));
    // The time of the answer itself, and of the start of the server.
    answers.set(path, answer.replaceAll(/"(?:now|synctime)":"[^"]*"/g, ''));
  }
  return answers;
}

async function fill(server: ServerProcess): Promise<void> {
  const run = async (...words: string[]): Promise<void> => {
    const ended = await runCli(words, old);
    expect({ words, ...ended }).toMatchObject({ code: 0, err: '' });
  };
  await run('resolver', 'add', 'staff');
  await run('realm', 'add', 'office', '--resolvers', 'staff');
  await run('realm', 'add', 'home', '--resolvers', 'staff');
  await run('user', 'add', 'anna', 'staff', '--password-file', old.ADMIN_PASSWORD_FILE ?? '');
  const token = { type: 'ocra', otpkey: KEY, ocrasuite: SUITE.text, pin: 'geheim' };
  await ask(server, '/admin/init', { ...token, serial: 'QR1', user: 'anna', realm: 'office' });
  for (const serial of ['QR2', 'QR3']) {
    await ask(server, '/admin/init', { ...token, serial });
  }
  await ask(server, '/admin/disable', { serial: 'QR3' });
  accepted.push(await challenge(server, 'QR1', 0n), await challenge(server, 'QR2', 0n));
  for (const transaction of accepted) {
    expect(await check(server, transaction)).toMatchObject({ result: true });
  }
  open.push(await challenge(server, 'QR1', 1n), await challenge(server, 'QR2', 1n));
  expect(await check(server, { transactionid: open[1]?.transactionid ?? '', pass: 'geheim0' })).toEqual({
    failcount: 1,
    result: false,
  });
}

/** Answers challenges until `work` is done. @returns the number of accepted responses */
async function answerWhile(server: ServerProcess, work: Promise<unknown>): Promise<number> {
  const progress = { isDone: false };
  void work.finally(() => (progress.isDone = true));
  let answered = 0;
  for (let counter = 0n; !progress.isDone; counter += 1n) {
    const transaction = await challenge(server, 'BUSY', counter);
    expect(await check(server, transaction)).toMatchObject({ result: true });
    answered += 1;
  }
  return answered;
}

beforeAll(async () => {
  // Under root PostgreSQL runs as another user, who has to get through.
  await chmod(folder, 0o711);
  backup = join(folder, 'backup.age');
  await writeFile(join(folder, 'password'), PASSWORD, { mode: 0o600 });
  const identity = await generateX25519Identity();
  recipient = await identityToRecipient(identity);
  await writeFile(join(folder, 'identity'), `# of this test\n${identity}\n`, { mode: 0o600 });
  old = { DATA_DIR: join(folder, 'old'), ADMIN_PASSWORD_FILE: join(folder, 'password') };
  const server = await startServerProcess(old);
  await fill(server);
  await ask(server, '/admin/init', {
    type: 'ocra',
    otpkey: KEY,
    ocrasuite: SUITE.text,
    serial: 'BUSY',
    pin: 'geheim',
  });
  (await monitoring(server)).forEach((answer, path) => before.set(path, answer));
  const exported = runCli(['export', backup, '--recipient', recipient, '--json'], old);
  expect(await answerWhile(server, exported)).toBeGreaterThan(0);
  expect(await exported).toMatchObject({ code: 0, err: '' });
  await server.stop();
  await copyFile(join(folder, 'old', 'encryption.key'), join(folder, 'key'));
});

function restore(environment: Readonly<Record<string, string>>, ...more: string[]): Promise<Ended> {
  return runCli(['restore', backup, '--identity-file', join(folder, 'identity'), ...more], environment);
}

describe('a backup', () => {
  it('is readable for its owner only, leaves nothing else in its folder, and replaces no file', async () => {
    expect((await stat(backup)).mode & 0o777).toBe(0o600);
    expect((await readdir(folder)).filter((name) => name.includes('partial'))).toEqual([]);
    const bytes = await readFile(backup);
    expect(await runCli(['export', backup, '--recipient', recipient], old)).toEqual({
      code: 1,
      out: '',
      err: `tankeeper: ${backup} is there already (--overwrite replaces it)\n`,
    });
    expect(await readFile(backup)).toEqual(bytes);
  });

  it('restored into a new data folder gives the same answers, and accepts nothing twice', async () => {
    const environment = {
      DATA_DIR: join(folder, 'new'),
      ENCRYPTION_KEY_FILE: join(folder, 'key'),
      ADMIN_PASSWORD_FILE: join(folder, 'password'),
    };
    expect(await restore(environment)).toMatchObject({ code: 0, err: '' });
    const server = await startServerProcess(environment);
    try {
      expect(await monitoring(server)).toEqual(before);
      for (const transaction of accepted) {
        expect(await check(server, transaction)).toMatchObject({ result: false });
      }
      // They may have been answered after the backup.
      for (const transaction of open) {
        expect(await check(server, transaction)).toMatchObject({ result: false });
      }
      const fresh = await challenge(server, 'QR1', 1n);
      expect(await check(server, fresh)).toEqual({ failcount: 0, result: true });
      expect(await ask(server, '/admin/init', { type: 'ocra', genkey: '1', serial: 'QR4' })).toMatchObject({
        result: { status: true },
      });
    } finally {
      await server.stop();
    }
    const found = await runCli(['audit', 'search', '--action', 'backup/restore', '--json'], environment);
    expect(JSON.parse(found.out)).toMatchObject({
      rows: [
        {
          outcome: expect.stringMatching(/^restored from 20.*, \d+ rows, open challenges closed$/) as unknown,
        },
      ],
    });
    for (const words of [
      ['audit', 'verify'],
      ['count', '--verify'],
    ]) {
      expect({ words, ...(await runCli(words, environment)) }).toMatchObject({ code: 0, err: '' });
    }
  });

  it('is checked without a database, and leaves nothing where its key is missing', async () => {
    const ended = await restore(
      { ENCRYPTION_KEY_FILE: join(folder, 'key'), DATA_DIR: join(folder, 'none') },
      '--check',
    );
    expect(ended).toMatchObject({ code: 0, err: '' });
    expect(ended.out).toContain('is intact, and its keys are here');
    const missing = join(folder, 'no-key');
    const refused = await restore({ ENCRYPTION_KEY_FILE: missing, DATA_DIR: join(folder, 'none') });
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(refused.err).toContain(`there is no key file ${missing}`);
    const left = await readdir(folder);
    expect(left.filter((name) => ['none', 'no-key'].includes(name))).toEqual([]);
  });
});

jest.setTimeout(1_200_000);

const TOKENS = shortOrLong(50_000, 100_000);

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

describe('a backup much larger than the memory of the process', () => {
  it('is written in little memory, and restored', async () => {
    const place = await mkdtemp(join(folder, 'large-'));
    const [source, target] = await Promise.all([
      createTestDatabase(),
      createTestDatabase({ schema: 'empty' }),
    ]);
    const environment = {
      ENCRYPTION_KEY_FILE: join(place, 'key'),
      NODE_OPTIONS: `--max-old-space-size=${HEAP_MEBIBYTES}`,
    };
    const server = await startServerProcess({ ...environment, DATABASE_URL: source.url });
    await server.stop();
    await source.database.transact(
      async ({ sql }) => {
        await sql.raw(
          `INSERT INTO tokens (serial, type, active, realm_set_id, algorithm, replay_markers, description)
           SELECT 'T' || n, 'ocra', true, intern_realm_set('{}'), 'OCRA-1:HOTP-SHA256-8:C-QN08', ARRAY[md5(n::text)],
             repeat(md5(n::text), ?::int)
           FROM generate_series(1, ?::int) AS n`,
          [TEXTS, TOKENS],
        );
      },
      { isLong: true },
    );
    const identity = await generateX25519Identity();
    await writeFile(join(place, 'identity'), identity);
    const backup = join(place, 'backup.age');
    const lock = ['--recipient', await identityToRecipient(identity)];
    const [program, peak] = [join(place, 'peak.mjs'), join(place, 'peak')];
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
    const unlock = ['--identity-file', join(place, 'identity')];
    const restored = await runCli(['restore', backup, ...unlock, '--json'], {
      ...environment,
      DATABASE_URL: target.url,
    });
    expect(restored).toMatchObject({ code: 0, err: '' });
    expect(JSON.parse(restored.out)).toMatchObject({ restored: true, tables: { tokens: TOKENS } });
    await Promise.all([source.drop(), target.drop()]);
  });
});
