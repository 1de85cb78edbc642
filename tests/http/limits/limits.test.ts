import { afterEach, describe, expect, it } from '@jest/globals';
import type { Response } from 'supertest';
import type { Config } from '../../../src/config/config.ts';
import { TestApplication, wrongResponse } from '../../support/application/test-application.ts';
import { queryOnce } from '../../support/database/test-server.ts';

const SUITE = 'OCRA-1:HOTP-SHA256-8:C-QN08';
const ATTACKER = '203.0.113.66';
const CUSTOMER = '198.51.100.7';

let application: TestApplication;

/** The clients are those that the proxy, this machine, names. */
async function open(limits: Partial<Config['limits']>): Promise<void> {
  application = await TestApplication.open({ limits, trustProxy: ['loopback'] });
}

afterEach(async () => {
  await application.close();
});

/** A response of a client, through the proxy. */
async function check(
  client: string,
  transactionid: string,
  pass: string,
  path = '/ocra/check_t',
): Promise<Response> {
  return application.send(path, { transactionid, pass }).set('X-Forwarded-For', client);
}

async function repeat<Value>(times: number, work: (index: number) => Promise<Value>): Promise<Value[]> {
  const values: Value[] = [];
  for (let index = 0; index < times; index += 1) {
    values.push(await work(index));
  }
  return values;
}

const statuses = (answers: readonly Response[]): number[] => answers.map(({ status }) => status);
const unknown = (index: number): string => index.toString(16).padStart(20, '0');

function expectRefused(answer: Response, message: string, most: number): void {
  expect(answer.status).toBe(429);
  expect(Number(answer.get('Retry-After'))).toBeGreaterThanOrEqual(1);
  expect(Number(answer.get('Retry-After'))).toBeLessThanOrEqual(most);
  expect(answer.body).toMatchObject({
    jsonrpc: '2.0',
    result: { status: false, error: { code: -311, message } },
  });
}

async function refusals(limit: string): Promise<number> {
  const text = await application.metrics.text();
  return Number(
    new RegExp(`tankeeper_limit_refusals_total\\{limit="${limit}"\\} (\\d+)`).exec(text)?.[1] ?? 0,
  );
}

async function countedKeys(): Promise<string[]> {
  const rows = await queryOnce<{ key: string }>(application.databaseUrl, 'SELECT key FROM rate_limits');
  return rows.map(({ key }) => key);
}

const lines = (): string[] => application.logged.filter((line) => line.includes('A limit is reached'));

describe('responses of one client that are not accepted', () => {
  it('are bounded, whatever is wrong with them, and others go on', async () => {
    await open({ clientFailures: 6 });
    await application.enrolPlain('T1', SUITE);
    const { transactionid, question } = await application.challenge('T1');
    const right = application.respond(SUITE, question);
    const failed = [
      await check(ATTACKER, unknown(1), '12345678'),
      await check(ATTACKER, transactionid, wrongResponse(right)),
      await check(ATTACKER, unknown(2), '1', '/validate/check_t'),
      await application.send('/ocra/check_t', { pass: '1' }).set('X-Forwarded-For', ATTACKER),
      await application
        .send('/validate/check', { user: 'nobody', pass: '1' })
        .set('X-Forwarded-For', ATTACKER),
      await application
        .send('/validate/check_s', { serial: 'no', pass: '1' })
        .set('X-Forwarded-For', ATTACKER),
    ];
    expect(statuses(failed)).toEqual(failed.map(() => 200));
    expectRefused(
      await check(ATTACKER, transactionid, right),
      'Too many responses that were not accepted',
      60,
    );
    const accepted = await check(CUSTOMER, transactionid, right);
    expect(accepted.body).toMatchObject({ result: { value: { failcount: 0, result: true } } });
  });

  it('are reported no more often than the limit to a client that sends them all at once', async () => {
    await open({ clientFailures: 10 });
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) => check(ATTACKER, unknown(index), '12345678')),
    );
    expect(statuses(answers).filter((status) => status === 200)).toHaveLength(10);
    expect(statuses(answers).filter((status) => status === 429)).toHaveLength(30);
    expect(await refusals('client-failures')).toBe(30);
    expect(lines()).toHaveLength(1);
    expect(lines()[0]).toContain(ATTACKER);
  });

  it('cost a client with right responses nothing', async () => {
    await open({ clientFailures: 1, transactionFailures: 1 });
    await application.enrolPlain('T1', SUITE);
    for (const counter of [0n, 1n, 2n]) {
      const { transactionid, question } = await application.challenge('T1');
      const right = application.respond(SUITE, question, { counter });
      const answer = await check(CUSTOMER, transactionid, right);
      expect(answer.body).toMatchObject({ result: { value: { result: true } } });
    }
    expect(await countedKeys()).toEqual([]);
  });

  it('are not bounded for clients that are exempt, such as the portal', async () => {
    await open({ clientFailures: 2, transactionFailures: 2, exempt: [CUSTOMER] });
    const answers = await repeat(8, () => check(CUSTOMER, unknown(1), '12345678'));
    expect(statuses(answers)).toEqual(answers.map(() => 200));
    expect(await countedKeys()).toEqual([]);
  });

  it('are bounded over all servers on one database', async () => {
    await open({ clientFailures: 6 });
    const first = application;
    const second = first.restarted();
    const answers = await repeat(12, async (index) => {
      application = index % 2 === 0 ? first : second;
      return check(ATTACKER, unknown(index), '12345678');
    });
    application = first;
    expect(statuses(answers)).toEqual([...Array<number>(6).fill(200), ...Array<number>(6).fill(429)]);
  });

  it('are refused in the same way in the other dialect', async () => {
    application = await TestApplication.open({
      dialect: 'linotp',
      limits: { clientFailures: 1 },
      trustProxy: ['loopback'],
    });
    await check(ATTACKER, '123456789012', '1');
    const refused = await check(ATTACKER, '123456789012', '1');
    expect(refused.status).toBe(429);
    expect(refused.get('Retry-After')).toMatch(/^\d+$/);
    expect(refused.body).toMatchObject({ result: { status: false, error: { code: -311 } } });
  });
});

describe('responses to one transaction that are not accepted', () => {
  it('are limited over all clients, and other transactions go on', async () => {
    await open({ transactionFailures: 4 });
    const answers = await repeat(6, (index) => check(`203.0.113.${index}`, unknown(1), '12345678'));
    expect(statuses(answers)).toEqual([200, 200, 200, 200, 429, 429]);
    expect((await check('203.0.113.9', unknown(2), '12345678')).status).toBe(200);
    expect(await refusals('transaction-failures')).toBe(2);
  });

  it('are also declines that change nothing, as the repeats of one', async () => {
    await open({ transactionFailures: 3 });
    await application.enrolPlain('T1', SUITE);
    const { transactionid, question } = await application.challenge('T1');
    const decline = application.decline(SUITE, transactionid, question, 'declined');
    const answers = await repeat(6, async () =>
      application.send('/ocra/check_t', { transactionid, decline }).set('X-Forwarded-For', CUSTOMER),
    );
    expect(statuses(answers)).toEqual([200, 200, 200, 200, 429, 429]);
  });

  it('are counted under a hash, not under the id', async () => {
    await open({});
    await check(ATTACKER, 'abcdefabcdefabcdefab', '12345678');
    const keys = await countedKeys();
    expect(keys).toHaveLength(2);
    expect(keys.join()).not.toContain('abcdef');
  });
});

describe('the client', () => {
  it('is not taken from X-Forwarded-For, unless a proxy sends it', async () => {
    application = await TestApplication.open({ limits: { clientFailures: 3, exempt: [] } });
    const answers = await repeat(5, (index) => check(`203.0.113.${index}`, unknown(index), '1'));
    expect(statuses(answers)).toEqual([200, 200, 200, 429, 429]);
  });

  it('is the address that the proxy saw, with any address that the client put before it', async () => {
    await open({ clientFailures: 3 });
    const answers = await repeat(5, (index) =>
      check(`127.0.0.1, 10.0.0.${index}, ${ATTACKER}`, unknown(index), '1'),
    );
    expect(statuses(answers)).toEqual([200, 200, 200, 429, 429]);
  });

  it('is a network of 64 bits in IPv6', async () => {
    await open({ clientFailures: 3 });
    const answers = await repeat(5, (index) => check(`2001:db8:1:2:${index}::1`, unknown(index), '1'));
    expect(statuses(answers)).toEqual([200, 200, 200, 429, 429]);
    expect((await check('2001:db8:1:3::1', unknown(9), '1')).status).toBe(200);
  });
});

describe('requests of one client', () => {
  it('are bounded, but not the question whether the server lives', async () => {
    await open({ clientRequests: 5 });
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => application.send('/nothing', {}).set('X-Forwarded-For', ATTACKER)),
    );
    expect(statuses(answers).filter((status) => status === 404).length).toBeGreaterThanOrEqual(5);
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    refused.forEach((answer) => {
      expectRefused(answer, 'Too many requests', 1);
    });
    const health = await Promise.all(
      Array.from({ length: 20 }, () =>
        application.send('/healthz', {}, 'get').set('X-Forwarded-For', ATTACKER),
      ),
    );
    expect(statuses(health)).toEqual(health.map(() => 200));
    expect((await application.send('/nothing', {}).set('X-Forwarded-For', CUSTOMER)).status).toBe(404);
  });

  it.each(['/ocra/check_t', '/validate/check', '/metrics', '/monitoring/tokens', '/%ff'])(
    'are counted also where they are for %s',
    async (path) => {
      await open({ clientRequests: 1 });
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => application.send(path, {}).set('X-Forwarded-For', ATTACKER)),
      );
      expect(statuses(answers)).toContain(429);
    },
  );
});
