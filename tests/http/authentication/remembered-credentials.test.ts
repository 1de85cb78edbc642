import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Knex } from 'knex';
import type { Response } from 'supertest';
import type { Config } from '../../../src/config/config.ts';
import { ServiceError } from '../../../src/kernel/errors.ts';
import { Argon2PasswordHasher, type PasswordHasher, shaCrypt } from '../../../src/users/password-hash.ts';
import {
  openSession,
  OPERATOR,
  QUICK_HASHER,
  TestApplication,
} from '../../support/application/test-application.ts';
import { basic } from '../../support/values/callers.ts';

/** So long that it is not over before a test is. */
const LONG = 600_000;
const RIGHT = 'correct horse';
const CLIENT = '198.51.100.7';
const ATTACKER = '203.0.113.66';
const PATH = '/ocra/checkstatus';

let application: TestApplication;
/** The passwords that were hashed slowly. */
let hashed: string[];
let isBusy: boolean;

const counting: PasswordHasher = {
  ...QUICK_HASHER,
  verify: (hash, password) => slowly(password, () => QUICK_HASHER.verify(hash, password)),
  verifyNothing: (password, account) => slowly(password, () => QUICK_HASHER.verifyNothing(password, account)),
};

function slowly<T>(password: string, verify: () => Promise<T>): Promise<T> {
  hashed.push(password);
  return isBusy ? Promise.reject(new ServiceError('server.busy', 'busy')) : verify();
}

type Headers = Readonly<Record<string, string>>;

async function get(headers: Headers, client = CLIENT, more: Headers = {}): Promise<Response> {
  return application
    .send(PATH, { serial: 'NONE', ...more }, 'get')
    .set({ ...headers, 'X-Forwarded-For': client });
}

async function statusOf(password: string, { name = 'admin', client = CLIENT } = {}): Promise<number> {
  return (await get({ Authorization: basic(name, password) }, client)).status;
}

/** @returns the statuses of wrong passwords, one after the other */
async function guesses(count: number, of: Parameters<typeof statusOf>[1] = { client: ATTACKER }) {
  const statuses: number[] = [];
  for (let guess = 0; guess < count; guess += 1) {
    statuses.push(await statusOf(`wrong ${guess}`, of));
  }
  return statuses;
}

/** @returns the statements that one such request takes */
async function statementsOf(headers: Headers, parameters: Headers = {}): Promise<readonly string[]> {
  return application.statementsOf(async () => {
    expect((await get(headers, CLIENT, parameters)).status).toBe(200);
  });
}

/** The notice of another server's change, as the follower hears it. */
function heard(): void {
  application.services.credentials.forget();
}

describe('credentials that a server remembers', () => {
  beforeEach(async () => {
    isBusy = false;
    application = await TestApplication.open({
      configurationWindow: LONG,
      hasher: counting,
      trustProxy: ['loopback'],
      limits: { loginFailures: 3 },
    });
    application.services.credentials.follow(true);
    hashed = [];
  });
  afterEach(() => application.close());

  it('a credential that was valid a moment ago takes no statement of its own, of whatever kind it is', async () => {
    const { administrators, logins } = application.services;
    const { session } = await openSession(administrators, 'admin', RIGHT);
    const login = await logins.login('admin', RIGHT);
    const token = await application.apiToken('api', ['*']);
    const kinds: readonly (readonly [Headers, Headers])[] = [
      [{ Authorization: basic('admin', RIGHT) }, {}],
      [{ Authorization: `Bearer ${token}` }, {}],
      [{ Cookie: `admin_session=${session}` }, { session }],
      [{ Cookie: `access_token_cookie=${login?.token ?? ''}` }, {}],
    ];
    await application.services.configuration.current();
    const counts: (readonly number[])[] = [];
    for (const [headers, parameters] of kinds) {
      heard();
      const first = await statementsOf(headers, parameters);
      const second = await statementsOf(headers, parameters);
      // Tokens are read with their use as second factors.
      const read = second.join('\n').replaceAll(/EXISTS \(SELECT FROM administrators[^)]*\)/g, '');
      expect(read).not.toMatch(/administrators|sessions|api_tokens/);
      counts.push([first.length, second.length]);
    }
    expect(counts).toEqual(kinds.map(() => [2, 1]));
  });

  describe('a right password', () => {
    it('is hashed once', async () => {
      for (let request = 0; request < 5; request += 1) {
        expect(await statusOf(RIGHT)).toBe(200);
      }
      expect(hashed).toEqual([RIGHT]);
    });

    it('opens sessions, which the database refuses once it was changed', async () => {
      const open = async (): Promise<number> =>
        (await application.send('/admin/getsession', {}, 'get').auth('admin', RIGHT)).status;
      expect([await open(), await open()]).toEqual([200, 200]);
      expect(hashed).toEqual([RIGHT]);
      const other = application.beside();
      await other.services.administrators.setPassword(OPERATOR, 'admin', 'another horse');
      // Not heard of yet.
      expect(await open()).toBe(401);
    });

    it('is refused after its change on another server, and hashed again when it is the right one again', async () => {
      expect(await statusOf(RIGHT)).toBe(200);
      const other = application.beside();
      await other.services.administrators.setPassword(OPERATOR, 'admin', 'another horse');
      heard();
      expect(await statusOf(RIGHT)).toBe(401);
      expect(await statusOf('another horse')).toBe(200);
      await other.services.administrators.setPassword(OPERATOR, 'admin', RIGHT);
      heard();
      expect(await statusOf('another horse')).toBe(401);
      expect(await statusOf(RIGHT)).toBe(200);
      expect(hashed).toEqual([RIGHT, RIGHT, 'another horse', 'another horse', RIGHT]);
    });

    it('works already where its change was not heard of yet', async () => {
      expect(await statusOf(RIGHT)).toBe(200);
      const other = application.beside();
      await other.services.administrators.setPassword(OPERATOR, 'admin', 'another horse');
      expect(await statusOf('another horse')).toBe(200);
    });

    it('of a removed administrator does not work for a new one of the same name', async () => {
      const { administrators } = application.services;
      await administrators.add(OPERATOR, 'zoe', 'the first zoe');
      expect(await statusOf('the first zoe', { name: 'zoe' })).toBe(200);
      const other = application.beside();
      await other.services.administrators.remove(OPERATOR, 'zoe');
      await other.services.administrators.add(OPERATOR, 'zoe', 'the second zoe');
      heard();
      expect(await statusOf('the first zoe', { name: 'zoe' })).toBe(401);
      expect(await statusOf('the second zoe', { name: 'zoe' })).toBe(200);
    });

    it('is not remembered by a verification that began before its change', async () => {
      let change: (() => Promise<void>) | undefined = async () => {
        change = undefined;
        const other = application.beside();
        await other.services.administrators.setPassword(OPERATOR, 'admin', 'another horse');
        heard();
        await other.close();
      };
      const slow = application.restarted({
        hasher: {
          ...counting,
          verify: async (hash, password) => {
            await change?.();
            return counting.verify(hash, password);
          },
        },
      });
      const before = application;
      application = slow;
      application.services.credentials.follow(true);
      expect(await statusOf(RIGHT)).toBe(200);
      expect(await statusOf(RIGHT)).toBe(401);
      application = before;
    });
  });

  describe('wrong passwords for an administrator whose password is remembered', () => {
    beforeEach(async () => {
      expect(await statusOf(RIGHT)).toBe(200);
      hashed = [];
    });

    it('are hashed and counted as ever, and then the right one is refused with them', async () => {
      expect(await guesses(4)).toEqual([401, 401, 401, 429]);
      expect(hashed).toEqual(['wrong 0', 'wrong 1', 'wrong 2']);
      expect(await statusOf(RIGHT, { client: ATTACKER })).toBe(429);
      expect(await statusOf(RIGHT)).toBe(200);
    });

    it('are not forgiven for right ones in between', async () => {
      const statuses: number[] = [];
      for (let guess = 0; guess < 4; guess += 1) {
        statuses.push(await statusOf(`wrong ${guess}`, { client: ATTACKER }));
        statuses.push(await statusOf(RIGHT, { client: ATTACKER }));
      }
      expect(statuses).toEqual([401, 200, 401, 200, 401, 429, 429, 429]);
    });

    it('take as many statements and hashes as those for nobody', async () => {
      const normal = (statements: readonly string[]): readonly string[] => [...statements].sort();
      const known = await application.statementsOf(() => statusOf('wrong', { client: ATTACKER }));
      const unknown = await application.statementsOf(() =>
        statusOf('wrong', { client: ATTACKER, name: 'nobody' }),
      );
      expect(normal(known)).toEqual(normal(unknown));
      expect(known.join('\n')).toContain('"administrators"');
      expect(hashed).toEqual(['wrong', 'wrong']);
    });

    it('are counted while the server is too busy to hash them', async () => {
      isBusy = true;
      expect(await guesses(5)).toEqual([503, 503, 503, 429, 429]);
      expect(await statusOf(RIGHT, { client: ATTACKER })).toBe(429);
      // Others, and names of which nothing is remembered.
      expect(await statusOf(RIGHT)).toBe(200);
      expect(await guesses(5, { name: 'nobody' })).toEqual([503, 503, 503, 503, 503]);
    });
  });
});

describe('an imported password hash', () => {
  const PASSWORD = 'of the old server';
  /** As LinOTP 3 hashes passwords, with fewer rounds. */
  const SETTINGS = '$6$rounds=1000$saltsaltsaltsalt$';

  let app: TestApplication;
  let sql: Knex;
  let imported: string;
  let beforeHash: () => Promise<void>;

  /** Runs `beforeHash` before it hashes a new password. */
  class HookedHasher extends Argon2PasswordHasher {
    override async hash(password: string): Promise<string> {
      await beforeHash();
      return super.hash(password);
    }
  }

  beforeEach(async () => {
    beforeHash = () => Promise.resolve();
    app = await TestApplication.open({ hasher: new HookedHasher() });
    sql = app.sql;
    imported = SETTINGS + ((await shaCrypt(`${SETTINGS}x`, PASSWORD))?.made ?? '');
    await sql('administrators').insert({ name: 'helpdesk', password_hash: imported });
  });

  afterEach(() => app.close());

  async function login(password = PASSWORD, server = app): Promise<number> {
    return (await server.send('/admin/login', { username: 'helpdesk', password })).status;
  }

  async function storedHash(): Promise<string> {
    const row = await sql('administrators').where({ name: 'helpdesk' }).first<{ password_hash: string }>();
    return row.password_hash;
  }

  function renewals(): Promise<readonly string[]> {
    return sql('audit').where({ action: 'administrator/rehash' }).pluck('outcome');
  }

  it('is replaced by one of this server at the first right login, and no other', async () => {
    expect([await login('another'), await storedHash()]).toEqual([401, imported]);
    expect(await login()).toBe(200);
    const renewed = await storedHash();
    expect(renewed).toMatch(/^\$argon2id\$/);
    expect(await renewals()).toEqual(['password hash renewed']);
    expect([await login(), await login('another'), await storedHash()]).toEqual([200, 401, renewed]);
    expect(await renewals()).toHaveLength(1);
  });

  it('lets in each of two first logins at once, and is replaced once', async () => {
    const other = app.beside();
    const statuses = await Promise.all([login(), login(PASSWORD, other)]);
    expect(statuses).toEqual([200, 200]);
    expect(await renewals()).toHaveLength(1);
  });

  it('is not put over a password that has been changed meanwhile', async () => {
    const changed = await new Argon2PasswordHasher().hash('of today');
    beforeHash = async () => {
      await sql('administrators').where({ name: 'helpdesk' }).update({ password_hash: changed });
    };
    expect([await login(), await storedHash(), await renewals()]).toEqual([401, changed, []]);
    expect(await login('of today')).toBe(200);
  });
});

describe('wrong passwords are limited', () => {
  let application: TestApplication;

  async function open(limits: Partial<Config['limits']> = {}): Promise<void> {
    application = await TestApplication.open({ limits, trustProxy: ['loopback'] });
  }

  afterEach(() => application.close());

  async function countedKeys(): Promise<unknown[]> {
    return application.rows('SELECT key FROM rate_limits');
  }

  /** Gives a password in one of the ways in which one can be given. */
  type Door = (client: string, name: string, password: string) => Promise<Response>;

  const login: Door = async (client, username, password) =>
    application.send('/admin/login', { username, password }).set('X-Forwarded-For', client);
  const basicAt =
    (path: string, method: 'get' | 'post'): Door =>
    async (client, name, password) =>
      application.send(path, {}, method).set('X-Forwarded-For', client).auth(name, password);

  const DOORS: readonly (readonly [name: string, door: Door])[] = [
    ['HTTP Basic', basicAt('/monitoring/license', 'get')],
    ['/admin/getsession', basicAt('/admin/getsession', 'get')],
    ['/admin/login', login],
    ['/admin/loadtokens', basicAt('/admin/loadtokens', 'post')],
  ];

  /** @returns the statuses of wrong passwords, one after the other */
  async function wrong(times: number, door: Door, client: string, name = 'admin'): Promise<number[]> {
    const statuses: number[] = [];
    for (let index = 0; index < times; index += 1) {
      statuses.push((await door(client, name, `wrong ${index}`)).status);
    }
    return statuses;
  }

  describe.each(DOORS)('wrong passwords by %s', (_name, door) => {
    it('are refused after a few, and the right one with them, but not from elsewhere, also for nobody', async () => {
      await open({ loginFailures: 3 });
      expect(await wrong(5, door, ATTACKER)).toEqual([401, 401, 401, 429, 429]);
      const refused = await door(ATTACKER, 'admin', RIGHT);
      expect(refused.status).toBe(429);
      expect(Number(refused.get('Retry-After'))).toBeGreaterThanOrEqual(1);
      expect(Number(refused.get('Retry-After'))).toBeLessThanOrEqual(60);
      expect(refused.body).toMatchObject({ result: { error: { message: 'Too many wrong passwords' } } });
      expect((await door(CLIENT, 'admin', RIGHT)).status).toBe(200);
      expect(await wrong(5, door, ATTACKER, 'nobody')).toEqual([401, 401, 401, 429, 429]);
    });
  });

  describe('wrong passwords', () => {
    it('count together, whatever door they are tried at', async () => {
      await open({ loginFailures: 4 });
      const statuses: number[] = [];
      for (const [, door] of [...DOORS, ...DOORS]) {
        statuses.push(...(await wrong(1, door, ATTACKER)));
      }
      expect(statuses).toEqual([401, 401, 401, 401, 429, 429, 429, 429]);
    });

    it('count together, however the name is spelled, and the right one is right in each spelling', async () => {
      await open({ loginFailures: 3 });
      await application.services.administrators.add(OPERATOR, 'Zo\u00eb', RIGHT);
      const statuses: number[] = [];
      for (const name of ['Zo\u00eb', 'Zoe\u0308', 'Zo\u00eb', 'Zoe\u0308']) {
        statuses.push(...(await wrong(1, login, ATTACKER, name)));
      }
      expect(statuses).toEqual([401, 401, 401, 429]);
      for (const [, door] of DOORS) {
        expect((await door(CLIENT, 'Zoe\u0308', RIGHT)).status).not.toBe(401);
      }
    });

    it('count over all servers', async () => {
      await open({ loginFailures: 4 });
      const first = application;
      const second = first.restarted();
      const statuses: number[] = [];
      for (const server of [first, second, first, second, first, second]) {
        application = server;
        statuses.push(...(await wrong(1, login, ATTACKER)));
      }
      application = first;
      expect(statuses).toEqual([401, 401, 401, 401, 429, 429]);
    });

    it('of one client count for all accounts together', async () => {
      await open({ loginFailures: 2 });
      const statuses: number[] = [];
      for (let index = 0; index < 22; index += 1) {
        statuses.push(...(await wrong(1, login, ATTACKER, `name${index}`)));
      }
      expect(statuses).toEqual([...Array<number>(20).fill(401), 429, 429]);
      expect((await login(ATTACKER, 'admin', RIGHT)).status).toBe(429);
      expect((await login(CLIENT, 'admin', RIGHT)).status).toBe(200);
    });

    it('for one account from many clients never lock out the owner of the password', async () => {
      await open({ loginFailures: 2 });
      for (let index = 0; index < 20; index += 1) {
        expect(await wrong(3, login, `203.0.113.${index}`)).toEqual([401, 401, 429]);
      }
      expect((await login(CLIENT, 'admin', RIGHT)).status).toBe(200);
    });

    it('count for clients that are exempt elsewhere, by account', async () => {
      await open({ loginFailures: 2, exempt: [ATTACKER] });
      expect(await wrong(3, login, ATTACKER)).toEqual([401, 401, 429]);
      for (let index = 0; index < 30; index += 1) {
        expect(await wrong(1, login, ATTACKER, `name${index}`)).toEqual([401]);
      }
    });

    it('leave neither name nor password in the database, the log or the metrics', async () => {
      await open({ loginFailures: 1 });
      await login(ATTACKER, 'secret-name', 'secret-password');
      await login(ATTACKER, 'secret-name', 'secret-password');
      const rows = await countedKeys();
      expect(rows).toHaveLength(2);
      const left = JSON.stringify(rows) + application.logged.join() + (await application.metrics.text());
      expect(left).toContain('tankeeper_limit_refusals_total{limit="login-failures"} 1');
      expect(left).not.toContain('secret-');
    });
  });

  it('a right password counts for nothing, however often it is given', async () => {
    await open({ loginFailures: 1 });
    const statuses = await Promise.all(
      Array.from({ length: 60 }, async () => (await login(CLIENT, 'admin', RIGHT)).status),
    );
    expect(statuses).toEqual(statuses.map(() => 200));
    expect(await countedKeys()).toEqual([]);
  });

  it('a flood of different passwords of one client has at most eight verified at the same time', async () => {
    await open({ loginFailures: 100 });
    const statuses = await Promise.all(
      Array.from(
        { length: 60 },
        async (_, index) => (await login(ATTACKER, 'admin', `wrong ${index}`)).status,
      ),
    );
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(0);
    expect(statuses.every((status) => status === 401 || status === 429)).toBe(true);
    expect((await login(CLIENT, 'admin', RIGHT)).status).toBe(200);
  });
});
