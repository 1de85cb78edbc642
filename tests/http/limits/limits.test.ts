import { afterEach, describe, expect, it } from '@jest/globals';
import request, { type Response } from 'supertest';
import type { Config } from '../../../src/config/config.ts';
import { TestApplication, wrongResponse } from '../../support/application/test-application.ts';

const SUITE = 'OCRA-1:HOTP-SHA256-8:C-QN08';
const ATTACKER = '203.0.113.66';
const CUSTOMER = '198.51.100.7';

let application: TestApplication;

/** @param trustProxy by default this machine, which names the clients */
async function open(limits: Partial<Config['limits']>, trustProxy = ['loopback']): Promise<void> {
  application = await TestApplication.open({ limits, trustProxy });
}

afterEach(() => application.close());

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
  const rows = await application.rows<{ key: string }>('SELECT key FROM rate_limits');
  return rows.map(({ key }) => key);
}

const lines = (): string[] => application.logged.filter((line) => line.includes('A limit is reached'));

describe('responses of one client that are not accepted', () => {
  it('are bounded, whatever is wrong with them, and others go on', async () => {
    await open({ clientFailures: 7 });
    await application.enrolPlain('T1', SUITE);
    const { transactionid, question } = await application.challenge('T1');
    const right = application.respond(SUITE, question);
    const attacker = { 'X-Forwarded-For': ATTACKER };
    const failed = [
      await check(ATTACKER, unknown(1), '12345678'),
      await check(ATTACKER, transactionid, wrongResponse(right)),
      await check(ATTACKER, unknown(2), '1', '/validate/check_t'),
      await fail(attacker, '/ocra/check_t', { pass: '1' }),
      await fail(attacker, '/validate/check', { user: 'nobody', pass: '1' }),
      await fail(attacker, '/validate/check_s', { serial: 'no', pass: '1' }),
      await fail(attacker, '/validate/check_status', { user: 'nobody', pass: '1', transactionid }),
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
});

describe('responses to one transaction that are not accepted', () => {
  it('are limited over all clients, and other transactions go on', async () => {
    await open({ transactionFailures: 4 });
    const answers = await repeat(6, (index) => check(`203.0.113.${index}`, unknown(1), '12345678'));
    expect(statuses(answers)).toEqual([200, 200, 200, 200, 429, 429]);
    expect((await check('203.0.113.9', unknown(2), '12345678')).status).toBe(200);
    expect(await refusals('transaction-failures')).toBe(2);
  });

  it('keep the right one from being tried, too', async () => {
    await open({ transactionFailures: 2 });
    await application.enrolPlain('T1', SUITE);
    const { transactionid, question } = await application.challenge('T1');
    const right = application.respond(SUITE, question);
    await repeat(2, (index) => check(`203.0.113.${index}`, transactionid, wrongResponse(right)));
    expect((await check(CUSTOMER, transactionid, right)).status).toBe(429);
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

describe('requests of one client', () => {
  it('are bounded, but not the question whether the server lives', async () => {
    await open({ clientRequests: 5, exempt: [CUSTOMER] });
    const ask = (client: string): Promise<Response[]> =>
      Promise.all(
        Array.from({ length: 20 }, () => application.send('/nothing', {}).set('X-Forwarded-For', client)),
      );
    const answers = await ask(ATTACKER);
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
    const exempt = await ask(CUSTOMER);
    expect(statuses(exempt)).toEqual(exempt.map(() => 404));
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

/** A wrong response, with these headers. */
async function fail(
  headers: Record<string, string>,
  path = '/ocra/check_t',
  parameters: Record<string, string> = { transactionid: 'a'.repeat(20), pass: '1' },
): Promise<Response> {
  return application.send(path, parameters).set(headers);
}

const statusesOf = async (times: number, work: (index: number) => Promise<Response>): Promise<number[]> =>
  statuses(await repeat(times, work));

/** What five wrong responses get where three are allowed. */
const THREE = [200, 200, 200, 429, 429];

const hints = (): string[] => application.logged.filter((line) => line.includes('Name it in TRUST_PROXY'));

describe('requests that a proxy on this machine passes on, and that TRUST_PROXY does not name', () => {
  it.each([
    ['X-Forwarded-For', '198.51.100.1'],
    ['Forwarded', 'for=198.51.100.1'],
    ['X-Real-IP', '198.51.100.1'],
    ['Via', '1.1 proxy'],
  ])('are not exempt as the machine itself is (%s)', async (name, value) => {
    await open({ clientFailures: 3 }, []);
    expect(await statusesOf(6, () => fail({}))).toEqual([200, 200, 200, 200, 200, 200]);
    expect(hints()).toEqual([]);
    expect(await statusesOf(5, () => fail({ [name]: value }))).toEqual(THREE);
    expect(hints()).toHaveLength(1);
    // The portal beside the proxy goes on.
    expect(await statusesOf(2, () => fail({}))).toEqual([200, 200]);
  });

  it('are one client, whatever they claim, and cannot be exempt by it', async () => {
    await open({ clientFailures: 3, exempt: ['loopback', '10.0.0.0/8'] }, []);
    const claims = ['127.0.0.1', '10.0.0.1', '10.0.0.2, 127.0.0.1', 'proxy 10.0.0.1', ''];
    expect(await statusesOf(5, (index) => fail({ 'X-Forwarded-For': claims[index] ?? '' }))).toEqual(THREE);
  });
});

describe('a proxy that TRUST_PROXY names', () => {
  it('identifies the client by the last address that is not its own, in any form', async () => {
    await open({ clientFailures: 3 }, ['loopback', '192.0.2.0/24']);
    const forms = [
      ATTACKER,
      `${ATTACKER}:4711`,
      `10.1.1.1, ${ATTACKER}`,
      `<script>, ${ATTACKER}, 192.0.2.7`,
      `${ATTACKER},127.0.0.1`,
    ];
    expect(await statusesOf(5, (index) => fail({ 'X-Forwarded-For': forms[index] ?? '' }))).toEqual(THREE);
    expect(hints()).toEqual([]);
  });

  it('counts those together that it gives no address for', async () => {
    await open({ clientFailures: 3 });
    const forms = ['unknown', '_hidden', `${ATTACKER}, unknown`, '999.1.1.1', 'x'.repeat(2_000)];
    expect(await statusesOf(5, (index) => fail({ 'X-Forwarded-For': forms[index] ?? '' }))).toEqual(THREE);
  });

  it('is not believed in any other header', async () => {
    await open({ clientFailures: 3 });
    const claims = (index: number): Record<string, string> => ({
      Forwarded: `for=198.51.100.${index}`,
      'X-Real-IP': `198.51.100.${index}`,
      'X-Client-IP': `198.51.100.${index}`,
      'CF-Connecting-IP': `198.51.100.${index}`,
      'True-Client-IP': `198.51.100.${index}`,
      'X-Forwarded-Host': `h${index}`,
    });
    expect(await statusesOf(5, (index) => fail(claims(index)))).toEqual(THREE);
    expect(await statusesOf(5, (index) => fail({ ...claims(index), 'X-Forwarded-For': ATTACKER }))).toEqual(
      THREE,
    );
  });

  it('is distinguished from clients that only claim to come through it', async () => {
    await open({ clientFailures: 3, exempt: [] }, ['192.0.2.1']);
    const claims = (index: number): Record<string, string> => ({
      'X-Forwarded-For': `198.51.100.${index}, 192.0.2.1`,
    });
    expect(await statusesOf(5, (index) => fail(claims(index)))).toEqual(THREE);
  });

  it('lets several headers count as one list', async () => {
    await open({ clientFailures: 3 });
    const twice = (index: number): Promise<Response> =>
      fail({ 'X-Forwarded-For': [`198.51.100.${index}`, ATTACKER] as unknown as string });
    expect(await statusesOf(5, twice)).toEqual(THREE);
  });
});

/** Every way to send a response to the same transaction. */
const CHECK = '/ocra/check_t';
const plain = () => request(application.app);
const DOORS: readonly (readonly [string, (transaction: string) => PromiseLike<Response>])[] = [
  ['POST', (id) => application.send(CHECK, { transactionid: id, pass: '1' })],
  ['GET', (id) => application.send(CHECK, { transactionid: id, pass: '1' }, 'get')],
  ['HEAD', (id) => plain().head(`${CHECK}?transactionid=${id}&pass=1`)],
  ['names in capitals', (id) => application.send(CHECK, { TransactionID: id, PASS: '1' })],
  ['twice, the last counts', (id) => plain().get(`${CHECK}?transactionid=no&transactionid=${id}&pass=1`)],
  [
    'the query goes before the body',
    (id) => application.send(`${CHECK}?transactionid=${id}`, { transactionid: 'other', pass: '1' }),
  ],
  [
    'percent-encoded',
    (id) => plain().get(`${CHECK}?transactionid=%${id.charCodeAt(0).toString(16)}${id.slice(1)}&pass=1`),
  ],
  ['JSON', (id) => plain().post(CHECK).send({ transactionid: id, pass: '1' })],
  ['multipart', (id) => plain().post(CHECK).field('transactionid', id).field('pass', '1')],
  ['check_t', (id) => application.send('/validate/check_t', { transactionid: id, pass: '1' })],
  ['check_s', (id) => application.send('/validate/check_s', { serial: 'x', state: id, pass: '1' })],
  ['check', (id) => application.send('/validate/check', { user: 'x', transactionid: id, pass: '1' })],
  ['without a response', (id) => application.send(CHECK, { transactionid: id })],
];

it('one transaction is the same one through all doors together, and no other form of its id is it', async () => {
  await open({ exempt: [], transactionFailures: DOORS.length, clientFailures: 1_000 }, []);
  const id = 'c0ffee'.padEnd(20, '0');
  for (const [name, door] of DOORS) {
    expect({ name, status: (await door(id)).status }).toEqual({ name, status: 200 });
  }
  for (const [name, door] of DOORS) {
    expect({ name, status: (await door(id)).status }).toEqual({ name, status: 429 });
  }
  // None of these is a transaction that there can be: they are counted by themselves, and find nothing.
  for (const form of [` ${id}`, `${id} `, id.toUpperCase(), `${id}0`, `0x${id}`, '*', `${id}\u200b`]) {
    const answer = await fail({}, '/ocra/check_t', { transactionid: form, pass: '1' });
    expect([answer.status, JSON.stringify(answer.body)]).toEqual([
      200,
      expect.stringContaining('"result":false'),
    ]);
  }
});
