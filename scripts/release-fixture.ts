/*
 * Makes tests/fixtures/releases/VERSION: an installation as a release leaves it, which each later version must open.
 *
 *   DATABASE_URL=… npm run release:fixture -- FOLDER/node_modules/tankeeper/bin/tankeeper.js
 *
 * The database is empty, and of a version that `pg_dump` reads. The program is that of the release.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { generateX25519Identity, identityToRecipient } from 'age-encryption';
import { deriveTokenKey } from '../src/ocra/key-derivation.ts';
import { parseQrTanUrl } from '../src/ocra/qrtan-url.ts';
import { type KnownInstallation, type KnownToken, responseOf } from './released-installation.ts';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '..');
const SEED = '3132333435363738393031323334353637383930';
const PASSWORD = 'the administrator of a release';
const CODE = 'GEZDGNBVGY3TQOJQ01';
const QR_SUITE = 'OCRA-1:HOTP-SHA256-8:C-QA64';

const USER = { user: 'anna', realm: 'bank' };
const PLANNED: readonly KnownToken[] = [
  {
    serial: 'OCRA1',
    type: 'ocra',
    pin: 'pin',
    key: '31'.repeat(32),
    algorithm: 'OCRA-1:HOTP-SHA256-8:C-QN08',
    counter: 0,
  },
  {
    serial: 'OCRAT1',
    type: 'ocra',
    pin: '',
    key: '32'.repeat(32),
    algorithm: 'OCRA-1:HOTP-SHA256-8:QN08-T1M',
  },
  { serial: 'HOTP1', type: 'hmac', pin: 'pin', key: SEED, algorithm: 'HOTP-SHA1-6', counter: 0 },
  { serial: 'TOTP1', type: 'totp', pin: 'pin', key: SEED, algorithm: 'TOTP-SHA256-8:T1M' },
  { serial: 'PW1', type: 'pw', pin: 'pin', key: 'a text', algorithm: '' },
  { serial: 'SPASS1', type: 'spass', pin: 'the PIN alone', key: '', algorithm: '' },
];
/** Asked of the release and of each later version, which may answer more. */
const ASKED = [
  '/system/getPolicy',
  '/system/getRealms',
  '/system/getResolvers',
  '/system/getConfig',
  '/admin/userlist?username=*&realm=bank',
  '/monitoring/tokens?status=total,active,assigned&realms=*',
  '/monitoring/userinfo',
  '/admin/token/show?serial=LOST1',
  '/admin/webhook/list',
  '/admin/admin/list',
  '/admin/api-token/list?administrator=admin',
];

interface Answer {
  readonly result: { readonly status: boolean; readonly value?: unknown; readonly error?: unknown };
  readonly detail?: Readonly<Record<string, string>>;
}

class Release {
  readonly #program: string;
  readonly #environment: Readonly<Record<string, string>>;
  #server: ChildProcess | undefined;
  #baseUrl = '';

  constructor(program: string, environment: Readonly<Record<string, string>>) {
    this.#program = program;
    this.#environment = environment;
  }

  /** @returns what the command prints */
  async command(...words: string[]): Promise<string> {
    const { stdout } = await run(process.execPath, [this.#program, ...words], { env: this.#environment });
    return stdout;
  }

  async start(): Promise<void> {
    const server = spawn(process.execPath, [this.#program, 'serve'], {
      env: { ...this.#environment, PORT: '0', LOG_FORMAT: 'json' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#server = server;
    for await (const line of createInterface({ input: server.stdout })) {
      const port = /"message":"Listening".*"port":(\d+)/.exec(line)?.[1];
      if (port !== undefined) {
        this.#baseUrl = `http://127.0.0.1:${port}`;
        server.stdout.resume();
        return;
      }
    }
    throw new Error('The server did not start');
  }

  /** Seals the audit. */
  async stop(): Promise<void> {
    const server = this.#server;
    if (server?.exitCode === null) {
      const ended = once(server, 'close');
      server.kill('SIGTERM');
      await ended;
    }
  }

  async ask(path: string, parameters?: Readonly<Record<string, string>>): Promise<Answer> {
    const response = await fetch(`${this.#baseUrl}${path}`, {
      headers: { Authorization: `Basic ${Buffer.from(`admin:${PASSWORD}`).toString('base64')}` },
      ...(parameters !== undefined && { method: 'POST', body: new URLSearchParams(parameters) }),
    });
    const answer = (await response.json()) as Answer;
    if (!answer.result.status) {
      throw new Error(`${path}: ${JSON.stringify(answer)}`);
    }
    return answer;
  }

  /** @returns a transaction of the token, and what answers it */
  async transaction(token: KnownToken): Promise<{ readonly transactionid: string; readonly pass: string }> {
    const { detail = {} } = await this.ask('/ocra/request', { serial: token.serial, data: '12345678' });
    const url = parseQrTanUrl(detail.data ?? '');
    const question = url.kind === 'req' ? url.question : '';
    const pass = `${token.pin}${responseOf(token, question, new Date())}`;
    return { transactionid: detail.transactionid ?? '', pass };
  }

  /** @throws Error unless it is accepted */
  async answer(transaction: Readonly<Record<string, string>>): Promise<void> {
    const { result } = await this.ask('/ocra/check_t', transaction);
    if ((result.value as { result?: unknown }).result !== true) {
      throw new Error(`Not accepted: ${JSON.stringify(result)}`);
    }
  }
}

async function configure(release: Release): Promise<string> {
  const command = (...words: string[]): Promise<string> => release.command(...words);
  await command('resolver', 'add', 'customers');
  await command('realm', 'add', 'bank', '--resolvers', 'customers');
  await command('user', 'add', 'anna', 'customers', '--surname', 'Berg', '--email', 'anna@example.org');
  await command('setting', 'set', 'OcraChallengeTimeout', '36500D');
  const policies = [
    {
      name: 'address',
      scope: 'authentication',
      action: 'qrtanurl=https://bank.example/ocra/check_t',
      realm: 'bank',
    },
    { name: 'operators', scope: 'system', action: 'read, write', realm: '*', user: 'admin' },
    { name: 'helpdesk', scope: 'admin', action: '*', realm: '*', user: 'admin' },
    { name: 'portal', scope: 'ocra', action: '*', realm: '*', user: 'admin' },
    { name: 'counts', scope: 'monitoring', action: '*', realm: '*', user: 'admin' },
    { name: 'auditors', scope: 'audit', action: '*', realm: '*', user: 'admin' },
  ];
  for (const policy of policies) {
    await release.ask('/system/setPolicy', policy);
  }
  await release.ask('/admin/webhook/add', {
    name: 'siem',
    url: 'https://siem.example.com/tankeeper',
    events: 'token.locked',
    realms: 'bank',
  });
  const { result } = await release.ask('/admin/api-token/add', {
    administrator: 'admin',
    name: 'probe',
    rights: 'monitoring:*',
  });
  return (result.value as { token: string }).token;
}

async function enrol(release: Release): Promise<readonly KnownToken[]> {
  for (const { serial, type, pin, key, algorithm } of PLANNED) {
    await release.ask('/admin/init', {
      ...USER,
      serial,
      type,
      pin,
      ...(type === 'spass' ? {} : { otpkey: key }),
      ...(type === 'ocra' && { ocrasuite: algorithm }),
      ...(type === 'totp' && { hashlib: 'sha256', otplen: '8', timestep: '60' }),
    });
  }
  await release.ask('/admin/init', { ...USER, serial: 'LOST1', type: 'hmac', otpkey: SEED });
  await release.ask('/admin/token/lose', { serials: 'LOST1' });
  return [...PLANNED, await rollOut(release)];
}

/** @returns the token of a QR-TAN app, which has given its first response */
async function rollOut(release: Release): Promise<KnownToken> {
  const qr = { ...USER, type: 'ocra', genkey: '1', serial: 'QRTAN1' };
  const first = await release.ask('/admin/init', { ...qr, sharedsecret: '1' });
  const one = parseQrTanUrl(first.detail?.app_import ?? '');
  const second = await release.ask('/admin/init', { ...qr, activationcode: CODE, message: 'Welcome' });
  const two = parseQrTanUrl(second.detail?.app_import ?? '');
  if (one.kind !== 'init' || two.kind !== 'nonce') {
    throw new Error('These are not the two codes of a roll-out');
  }
  const keys = { sharedSecret: one.sharedSecret, activationCode: CODE, nonce: two.nonce };
  const key = Buffer.from(await deriveTokenKey(keys)).toString('hex');
  const token = { serial: qr.serial, type: 'ocra', pin: '', key, algorithm: QR_SUITE, counter: 0 };
  await release.answer({
    transactionid: two.transactionId,
    pass: responseOf(token, two.question, new Date()),
  });
  return { ...token, counter: 1 };
}

/** Each token answers once; one of them wrongly, too. @returns what was accepted */
async function use(release: Release, tokens: readonly KnownToken[]): Promise<KnownInstallation['accepted']> {
  const accepted: { readonly path: string; readonly parameters: Readonly<Record<string, string>> }[] = [];
  for (const token of tokens) {
    if (token.type === 'ocra') {
      const transaction = await release.transaction(token);
      await release.answer(transaction);
      accepted.push({ path: '/ocra/check_t', parameters: transaction });
    } else {
      const pass = `${token.pin}${responseOf(token, '', new Date())}`;
      const parameters = { serial: token.serial, pass };
      const { result } = await release.ask('/validate/check_s', parameters);
      if (result.value !== true) {
        throw new Error(`${token.serial} is not accepted`);
      }
      if (token.type === 'hmac' || token.type === 'totp') {
        accepted.push({ path: '/validate/check_s', parameters });
      }
    }
  }
  await release.ask('/validate/check_s', { serial: 'HOTP1', pass: 'pin000000' });
  return accepted;
}

async function makeFixture(program: string, databaseUrl: string): Promise<string> {
  const work = await mkdtemp(join(tmpdir(), 'tankeeper-release-'));
  await writeFile(join(work, 'password'), PASSWORD, { mode: 0o600 });
  const release = new Release(program, {
    PATH: process.env.PATH ?? '',
    DATABASE_URL: databaseUrl,
    DATA_DIR: join(work, 'data'),
    ADMIN_PASSWORD_FILE: join(work, 'password'),
  });
  const version = (await release.command('--version')).trim();
  const folder = join(work, version);
  await mkdir(folder);
  try {
    await release.start();
    const apiToken = await configure(release);
    const enrolled = await enrol(release);
    const accepted = await use(release, enrolled);
    const tokens = enrolled.map((token) =>
      token.counter === undefined ? token : { ...token, counter: token.counter + 1 },
    );
    const open = await Promise.all(
      tokens
        .filter(({ serial }) => ['OCRA1', 'QRTAN1'].includes(serial))
        .map(async (token) => ({ serial: token.serial, ...(await release.transaction(token)) })),
    );
    const answers: Record<string, unknown> = {};
    for (const path of ASKED) {
      answers[path] = (await release.ask(path)).result.value;
    }
    const identity = await generateX25519Identity();
    await release.command(
      'export',
      join(folder, 'backup.age'),
      '--recipient',
      await identityToRecipient(identity),
    );
    const known: KnownInstallation = {
      password: PASSWORD,
      identity,
      apiToken,
      tokens,
      accepted,
      open,
      answers,
    };
    await writeFile(join(folder, 'known.json'), `${JSON.stringify(known, null, 2)}\n`);
  } finally {
    await release.stop();
  }
  await copyFile(join(work, 'data/encryption.key'), join(folder, 'encryption.key'));
  const dumped = await run('pg_dump', ['--inserts', '--no-owner', '--no-acl', databaseUrl], {
    maxBuffer: 2 ** 27,
  });
  // Commands of psql.
  await writeFile(join(folder, 'dump.sql'), dumped.stdout.replaceAll(/^\\.*\n/gm, ''));
  const place = join(ROOT, 'tests/fixtures/releases', version);
  await rm(place, { recursive: true, force: true });
  await cp(folder, place, { recursive: true });
  await rm(work, { recursive: true });
  return place;
}

const [program = join(ROOT, 'bin/tankeeper.js')] = process.argv.slice(2);
const { DATABASE_URL: databaseUrl } = process.env;
if (databaseUrl === undefined) {
  throw new Error('DATABASE_URL names an empty database');
}
process.stdout.write(`${await makeFixture(resolve(program), databaseUrl)}\n`);
