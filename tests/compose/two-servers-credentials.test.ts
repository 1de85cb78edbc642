import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newApiToken } from '../../src/administrators/administrator-service.ts';
import { newSession, secretHash } from '../../src/administrators/session.ts';
import { systemRandom } from '../../src/kernel/system-random.ts';
import { Argon2PasswordHasher } from '../../src/users/password-hash.ts';
import { AdministratorStore } from '../../src/administrators/administrator-store.ts';
import { runTankeeper, type ServerProcess, startServerProcess } from '../support/servers/server-process.ts';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.ts';
import { ACT } from '../support/values/token-values.ts';

/** Milliseconds within which a revocation applies on every server. */
const PROMISED_MS = 1_000;
const PASSWORD = 'the password of zoe';

let folder: string;
let database: TestDatabase;
let environment: Readonly<Record<string, string>>;
let servers: readonly ServerProcess[] = [];
let store: AdministratorStore;
let passwordHash: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tankeeper-two-credentials-'));
  database = await createTestDatabase();
  environment = { DATABASE_URL: database.url, DATA_DIR: folder, LIMIT_LOGIN_FAILURES: '10000' };
  const first = await startServerProcess(environment);
  servers = [first, await startServerProcess(environment)];
  store = new AdministratorStore({ database: database.database });
  passwordHash = await new Argon2PasswordHasher().hash(PASSWORD);
  writeFileSync(join(folder, 'new-password'), 'another password');
});

afterAll(async () => {
  const ends = await Promise.all(servers.map((server) => server.stop()));
  rmSync(folder, { recursive: true });
  await database.drop();
  expect(ends.map(({ code }) => code)).toEqual([0, 0]);
});

beforeEach(async () => {
  await database.database.knex('administrators').where({ name: 'zoe' }).delete();
  await store.insert('zoe', passwordHash, ACT);
});

/** The credentials of a request. */
interface Credential {
  readonly headers: Readonly<Record<string, string>>;
  readonly session?: string;
}

const BASIC: Credential = {
  headers: { Authorization: `Basic ${Buffer.from(`zoe:${PASSWORD}`).toString('base64')}` },
};

async function statusOf(
  server: number,
  { headers, session = '' }: Credential,
  path: string,
): Promise<number> {
  const query = session === '' ? '' : `?${new URLSearchParams({ session }).toString()}`;
  const answer = await fetch(`${servers[server]?.baseUrl ?? ''}${path}${query}`, { headers });
  await answer.arrayBuffer();
  return answer.status;
}

async function openSession(): Promise<Credential> {
  const session = newSession(systemRandom);
  const proven = { administrator: 'zoe', version: secretHash(passwordHash) };
  await store.insertSession(proven, secretHash(session), new Date(Date.now() + 600_000), ACT);
  return { headers: { Cookie: `admin_session=${session}` }, session };
}

async function logIn(): Promise<Credential> {
  const answer = await fetch(`${servers[0]?.baseUrl ?? ''}/admin/login`, {
    method: 'POST',
    body: new URLSearchParams({ username: 'zoe', password: PASSWORD }),
  });
  const cookies = answer.headers.getSetCookie().map((line) => line.split(';')[0]);
  return { headers: { Cookie: cookies.join('; ') } };
}

async function addApiToken(): Promise<Credential> {
  const token = newApiToken(systemRandom);
  const draft = { name: 'probe', administrator: 'zoe', rights: ['*'], expiresAt: null };
  await store.insertApiToken(draft, secretHash(token), ACT);
  return { headers: { Authorization: `Bearer ${token}` } };
}

async function changePassword(): Promise<void> {
  const file = join(folder, 'new-password');
  const { code } = await runTankeeper(['admin', 'password', 'zoe', '--password-file', file], environment);
  expect(code).toBe(0);
}

type Kind = readonly [
  name: string,
  make: () => Promise<Credential>,
  revoke: (credential: Credential) => Promise<unknown>,
];

/** A credential of each kind, and its revocation elsewhere than at the second server. */
const SESSION: Kind = [
  'a session that is closed at the other server',
  openSession,
  async (session) => {
    expect(await statusOf(0, session, '/admin/logout')).toBe(200);
    // The server that has closed it knows at once.
    expect(await statusOf(0, session, '/monitoring/license')).toBe(401);
  },
];
const KINDS: readonly Kind[] = [
  SESSION,
  ['a login that ends with a new password, by the command line', logIn, changePassword],
  ['an API token that is removed by hand', addApiToken, () => database.database.knex('api_tokens').delete()],
  [
    'a password that is changed',
    () => Promise.resolve(BASIC),
    () => store.setPassword('zoe', 'no hash', ACT),
  ],
  [
    'a password of an administrator who is removed',
    () => Promise.resolve(BASIC),
    () => store.remove('zoe', ACT),
  ],
];

/** Uses the credential at the second server until it is refused. @returns milliseconds from now to its last use */
async function untilRefused(credential: Credential): Promise<number> {
  const begun = performance.now();
  for (let last = 0; ;) {
    const at = performance.now() - begun;
    const status = await statusOf(1, credential, '/monitoring/license');
    if (status !== 200) {
      expect(status).toBe(401);
      return last;
    }
    last = at;
    if (at > 10 * PROMISED_MS) {
      return at;
    }
  }
}

async function expectRevoked([, make, revoke]: Kind): Promise<void> {
  const credential = await make();
  for (let use = 0; use < 5; use += 1) {
    expect(await statusOf(1, credential, '/monitoring/license')).toBe(200);
  }
  await revoke(credential);
  expect(await untilRefused(credential)).toBeLessThan(PROMISED_MS);
  // For good, and not only until the next comparison.
  expect(await untilRefused(credential)).toBe(0);
}

describe('on two servers on one database, within a second,', () => {
  it.each(KINDS)('%s is refused', async (...kind) => {
    await expectRevoked(kind);
  });
});

describe('where no notice comes', () => {
  beforeAll(async () => {
    const { knex } = database.database;
    const { rows } = await knex.raw<{ rows: { definition: string }[] }>(
      `SELECT pg_get_functiondef('note_credential_change'::regproc) AS definition`,
    );
    const silent = rows[0]?.definition.replace(/PERFORM pg_notify\(.*\);/, '') ?? '';
    expect(silent).not.toContain('pg_notify');
    await knex.raw(silent);
  });

  it.each(KINDS)('%s is refused within a second, too', async (...kind) => {
    await expectRevoked(kind);
  });

  it('a session is refused within a second also when the listening connection ends', async () => {
    const [, make, revoke] = SESSION;
    const endListeners = (): PromiseLike<unknown> =>
      database.database.knex.raw(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND application_name = 'tankeeper listener'`,
      );
    await endListeners();
    await expectRevoked(['', make, async (session) => Promise.all([revoke(session), endListeners()])]);
  });
});
