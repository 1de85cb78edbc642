import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newApiToken } from '../../../src/administrators/administrator-service.ts';
import { AdministratorStore } from '../../../src/administrators/administrator-store.ts';
import { newSession, secretHash } from '../../../src/administrators/session.ts';
import { systemRandom } from '../../../src/kernel/system-random.ts';
import { Argon2PasswordHasher } from '../../../src/users/password-hash.ts';
import { databaseOfTests } from '../../support/database/test-database.ts';
import { type Answered, ServerClient } from '../../support/servers/server-client.ts';
import {
  runTankeeper,
  type ServerProcess,
  startServerProcess,
} from '../../support/servers/server-process.ts';
import { ACT } from '../../support/values/token-values.ts';
import { temporaryFolder } from '../../support/values/temporary-folder.ts';
import { until } from '../../support/values/until.ts';

let environment: Readonly<Record<string, string>>;
let servers: readonly [ServerProcess, ServerProcess];
let clients: readonly [ServerClient, ServerClient];

afterAll(async () => {
  const ends = await Promise.all(servers.map((server) => server.stop()));
  expect(ends.map(({ code }) => code)).toEqual([0, 0]);
});

const folder = temporaryFolder();
const database = databaseOfTests({ schema: 'empty' });

beforeAll(async () => {
  environment = { DATABASE_URL: database.url, DATA_DIR: folder, LIMIT_LOGIN_FAILURES: '10000' };
  // At once, on an empty database: one migrates and makes the key, the other waits for it.
  servers = await Promise.all([startServerProcess(environment), startServerProcess(environment)]);
  const client = await ServerClient.open(...servers);
  clients = [client.at(servers[0]), client.at(servers[1])];
  await runTankeeper(['setting', 'set', 'OcraMaxChallengeRequests', '1000'], environment);
});

/** Sends requests at once, by turns to both servers. @returns the values of the answers */
async function atOnce(
  requests: readonly (readonly [path: string, parameters: Record<string, string>])[],
): Promise<readonly unknown[]> {
  const answers = requests.map(([path, parameters], index) =>
    clients[index % 2 === 0 ? 0 : 1].post(path, parameters),
  );
  return (await Promise.all(answers)).map(({ body }) => body.result?.value);
}

describe('two servers on one database', () => {
  it('started at once on an empty database, with one administrator and one key', () => {
    const printed = servers.map((server) => server.output()).join('');
    expect(printed.match(/shown this once/g)).toHaveLength(1);
    expect(printed.match(/A new encryption key was made/g)).toHaveLength(1);
  });

  it('accept exactly one of 64 identical right responses', async () => {
    const { transactionid, tan } = await clients[0].openTransaction('RACE1');
    const values = await atOnce(Array(64).fill(['/ocra/check_t', { transactionid, pass: tan }]));
    const results = values.map((value) => JSON.stringify(value)).sort();
    expect(results).toEqual([
      ...Array<string>(63).fill('{"failcount":0,"result":false}'),
      '{"failcount":0,"result":true}',
    ]);
    expect(await clients[1].status({ transactionid })).toEqual([
      { serial: 'RACE1', transactionid, received_tan: true, valid_tan: true, failcount: 0 },
    ]);
  });
});

/** Milliseconds within which a revocation applies on every server. */
const PROMISED_MS = 1_000;
const PASSWORD = 'the password of zoe';

let store: AdministratorStore;
let passwordHash: string;

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
  const answer = await fetch(`${servers[0].baseUrl}/admin/login`, {
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

describe('on two servers on one database', () => {
  beforeAll(async () => {
    store = new AdministratorStore({ database: database.database });
    passwordHash = await new Argon2PasswordHasher().hash(PASSWORD);
    writeFileSync(join(folder, 'new-password'), 'another password');
  });

  beforeEach(async () => {
    await database.database.knex('administrators').where({ name: 'zoe' }).delete();
    await store.insert('zoe', passwordHash, ACT);
  });

  it.each(KINDS)('%s is refused within a second', async (...kind) => {
    await expectRevoked(kind);
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

    it('a session is refused within ten seconds', async () => {
      const credential = await openSession();
      expect(await statusOf(1, credential, '/monitoring/license')).toBe(200);
      await SESSION[2](credential);
      expect(await untilRefused(credential)).toBeLessThan(10_000);
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
});

describe('those that wait for the end of a transaction', () => {
  /** Begins waits, and returns when the server counts all of them. */
  async function begin(
    client: ServerClient,
    transactionid: string,
    count: number,
  ): Promise<Promise<Answered>[]> {
    const waits = Array.from({ length: count }, () =>
      client.post('/ocra/checkstatus', { transactionid, wait: '60S' }),
    );
    const waiting = `\ntankeeper_status_waiting_requests ${count}\n`;
    await until(async () => (await client.text('/metrics')).includes(waiting), { pollMs: 50 });
    return waits;
  }

  const endOf = ({ headers }: Answered): string | null => headers.get('Tankeeper-Wait');

  it('on one server are answered when another one accepts the response', async () => {
    const transaction = await clients[0].openTransaction('WAITS');
    const waits = await begin(clients[0], transaction.transactionid, 8);
    expect((await clients[1].check(transaction)).body.result?.value).toEqual({ failcount: 0, result: true });
    const answers = await Promise.all(waits);
    expect(answers.map((answer) => [endOf(answer), answer.body.result?.value])).toEqual(
      waits.map(() => ['changed', [expect.objectContaining({ received_tan: true, valid_tan: true })]]),
    );
  });

  it('on a server that stops are answered at once', async () => {
    const { transactionid } = await clients[1].openTransaction('DRAINED');
    const waits = await begin(clients[1], transactionid, 4);
    const begun = performance.now();
    const ended = servers[1].stop();
    expect((await Promise.all(waits)).map(endOf)).toEqual(waits.map(() => 'stopping'));
    // Requests in work may take seven seconds of a stop, which these would take whole.
    expect(performance.now() - begun).toBeLessThan(7_000);
    expect((await ended).output).not.toContain('some requests were cut off');
  });
});

it('a server uses a policy at once that was changed elsewhere', async () => {
  await runTankeeper(['policy', 'remove', 'ocra-administrators', '--yes'], environment);
  const { body } = await clients[0].post('/ocra/request', { serial: 'RACE1', data: '' });
  expect(JSON.stringify(body.result)).toContain('ERR410');
});
