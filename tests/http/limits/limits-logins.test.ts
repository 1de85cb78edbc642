import type { Config } from '../../../src/config/config.ts';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { Response } from 'supertest';
import { basic } from '../../support/values/basic.ts';
import { TestApplication } from '../../support/application/test-application.ts';
import { OPERATOR } from '../../support/values/callers.ts';
import { queryOnce } from '../../support/database/test-server.ts';

const ATTACKER = '203.0.113.66';
const ADMINISTRATOR = '198.51.100.7';
const RIGHT = 'correct horse';

let application: TestApplication;

async function open(limits: Partial<Config['limits']> = {}): Promise<void> {
  application = await TestApplication.open({ limits, trustProxy: ['loopback'] });
}

afterEach(async () => {
  await application.close();
});

async function countedKeys(): Promise<unknown[]> {
  return queryOnce(application.databaseUrl, 'SELECT key FROM rate_limits');
}

/** Gives a password in one of the ways in which one can be given. */
type Door = (client: string, name: string, password: string) => Promise<Response>;

async function byForm(client: string, username: string, password: string): Promise<Response> {
  return application.send('/admin/login', { username, password }).set('X-Forwarded-For', client);
}

const DOORS: readonly (readonly [name: string, door: Door])[] = [
  [
    'HTTP Basic',
    async (client, name, password) =>
      application
        .send('/monitoring/license', {}, 'get')
        .set({ Authorization: basic(name, password), 'X-Forwarded-For': client }),
  ],
  [
    '/admin/getsession',
    async (client, name, password) =>
      application
        .send('/admin/getsession', {}, 'get')
        .set({ Authorization: basic(name, password), 'X-Forwarded-For': client }),
  ],
  ['/admin/login', byForm],
  [
    '/admin/loadtokens',
    async (client, name, password) =>
      application
        .send('/admin/loadtokens', {})
        .set({ Authorization: basic(name, password), 'X-Forwarded-For': client }),
  ],
];
const login: Door = byForm;

/** @returns the statuses of wrong passwords, one after the other */
async function wrong(times: number, door: Door, client: string, name = 'admin'): Promise<number[]> {
  const statuses: number[] = [];
  for (let index = 0; index < times; index += 1) {
    statuses.push((await door(client, name, `wrong ${index}`)).status);
  }
  return statuses;
}

describe.each(DOORS)('wrong passwords by %s', (_name, door) => {
  it('are refused after a few, and the right one with them, but not from elsewhere', async () => {
    await open({ loginFailures: 3 });
    expect(await wrong(5, door, ATTACKER)).toEqual([401, 401, 401, 429, 429]);
    const refused = await door(ATTACKER, 'admin', RIGHT);
    expect(refused.status).toBe(429);
    expect(Number(refused.get('Retry-After'))).toBeGreaterThanOrEqual(1);
    expect(Number(refused.get('Retry-After'))).toBeLessThanOrEqual(60);
    expect(refused.body).toMatchObject({ result: { error: { message: 'Too many wrong passwords' } } });
    expect((await door(ADMINISTRATOR, 'admin', RIGHT)).status).toBe(200);
  });

  it('count for an account that there is not, too', async () => {
    await open({ loginFailures: 3 });
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
      expect((await door(ADMINISTRATOR, 'Zoe\u0308', RIGHT)).status).not.toBe(401);
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
    expect((await login(ADMINISTRATOR, 'admin', RIGHT)).status).toBe(200);
  });

  it('for one account from many clients never lock out the owner of the password', async () => {
    await open({ loginFailures: 2 });
    for (let index = 0; index < 20; index += 1) {
      expect(await wrong(3, login, `203.0.113.${index}`)).toEqual([401, 401, 429]);
    }
    expect((await login(ADMINISTRATOR, 'admin', RIGHT)).status).toBe(200);
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

describe('a right password', () => {
  it('counts for nothing, however often it is given', async () => {
    await open({ loginFailures: 1 });
    const statuses = await Promise.all(
      Array.from({ length: 60 }, async () => (await login(ADMINISTRATOR, 'admin', RIGHT)).status),
    );
    expect(statuses).toEqual(statuses.map(() => 200));
    expect(await countedKeys()).toEqual([]);
  });
});

describe('a flood of different passwords', () => {
  it('of one client has at most eight verified at the same time', async () => {
    await open({ loginFailures: 100 });
    const statuses = await Promise.all(
      Array.from(
        { length: 60 },
        async (_, index) => (await login(ATTACKER, 'admin', `wrong ${index}`)).status,
      ),
    );
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(0);
    expect(statuses.every((status) => status === 401 || status === 429)).toBe(true);
    expect((await login(ADMINISTRATOR, 'admin', RIGHT)).status).toBe(200);
  });
});
