import { afterEach, describe, expect, it } from '@jest/globals';
import request, { type Response } from 'supertest';
import type { Config } from '../../../src/config/config.ts';
import { TestApplication } from '../../support/application/test-application.ts';

const ATTACKER = '203.0.113.66';

let application: TestApplication;

afterEach(async () => {
  await application.close();
});

async function open(limits: Partial<Config['limits']>, trustProxy: readonly string[] = []): Promise<void> {
  application = await TestApplication.open({ limits, trustProxy });
}

/** A wrong response, with these headers. */
async function fail(
  headers: Record<string, string>,
  path = '/ocra/check_t',
  parameters: Record<string, string> = { transactionid: 'a'.repeat(20), pass: '1' },
): Promise<Response> {
  return application.send(path, parameters).set(headers);
}

async function statuses(times: number, work: (index: number) => Promise<Response>): Promise<number[]> {
  const found: number[] = [];
  for (let index = 0; index < times; index += 1) {
    found.push((await work(index)).status);
  }
  return found;
}

const hints = (): string[] => application.logged.filter((line) => line.includes('Name it in TRUST_PROXY'));

describe('requests that a proxy on this machine passes on, and that TRUST_PROXY does not name', () => {
  it.each([
    ['X-Forwarded-For', '198.51.100.1'],
    ['Forwarded', 'for=198.51.100.1'],
    ['X-Real-IP', '198.51.100.1'],
    ['Via', '1.1 proxy'],
  ])('are not exempt as the machine itself is (%s)', async (name, value) => {
    await open({ clientFailures: 3 });
    expect(await statuses(6, () => fail({}))).toEqual([200, 200, 200, 200, 200, 200]);
    expect(hints()).toEqual([]);
    expect(await statuses(5, () => fail({ [name]: value }))).toEqual([200, 200, 200, 429, 429]);
    expect(hints()).toHaveLength(1);
    // The portal beside the proxy goes on.
    expect(await statuses(2, () => fail({}))).toEqual([200, 200]);
  });

  it('are one client, whatever they claim, and cannot be exempt by it', async () => {
    await open({ clientFailures: 3, exempt: ['loopback', '10.0.0.0/8'] });
    const claims = ['127.0.0.1', '10.0.0.1', '10.0.0.2, 127.0.0.1', 'proxy 10.0.0.1', ''];
    expect(await statuses(5, (index) => fail({ 'X-Forwarded-For': claims[index] ?? '' }))).toEqual([
      200, 200, 200, 429, 429,
    ]);
  });

  it('count for the proxy also by logins', async () => {
    await open({ loginFailures: 1 });
    const logIn = (index: number): Promise<Response> =>
      fail({ Via: '1.1 proxy' }, '/admin/login', { username: `name${index}`, password: 'wrong' });
    expect(await statuses(12, logIn)).toEqual([...Array<number>(10).fill(401), 429, 429]);
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
    expect(await statuses(5, (index) => fail({ 'X-Forwarded-For': forms[index] ?? '' }))).toEqual([
      200, 200, 200, 429, 429,
    ]);
    expect(hints()).toEqual([]);
  });

  it('counts those together that it gives no address for', async () => {
    await open({ clientFailures: 3 }, ['loopback']);
    const forms = ['unknown', '_hidden', `${ATTACKER}, unknown`, '999.1.1.1', 'x'.repeat(2_000)];
    expect(await statuses(5, (index) => fail({ 'X-Forwarded-For': forms[index] ?? '' }))).toEqual([
      200, 200, 200, 429, 429,
    ]);
  });

  it('is not believed in any other header', async () => {
    await open({ clientFailures: 3 }, ['loopback']);
    const claims = (index: number): Record<string, string> => ({
      Forwarded: `for=198.51.100.${index}`,
      'X-Real-IP': `198.51.100.${index}`,
      'X-Client-IP': `198.51.100.${index}`,
      'CF-Connecting-IP': `198.51.100.${index}`,
      'True-Client-IP': `198.51.100.${index}`,
      'X-Forwarded-Host': `h${index}`,
    });
    expect(await statuses(5, (index) => fail(claims(index)))).toEqual([200, 200, 200, 429, 429]);
    expect(await statuses(5, (index) => fail({ ...claims(index), 'X-Forwarded-For': ATTACKER }))).toEqual([
      200, 200, 200, 429, 429,
    ]);
  });

  it('is distinguished from clients that only claim to come through it', async () => {
    await open({ clientFailures: 3, exempt: [] }, ['192.0.2.1']);
    const claims = (index: number): Record<string, string> => ({
      'X-Forwarded-For': `198.51.100.${index}, 192.0.2.1`,
    });
    expect(await statuses(5, (index) => fail(claims(index)))).toEqual([200, 200, 200, 429, 429]);
  });

  it('lets several headers count as one list', async () => {
    await open({ clientFailures: 3 }, ['loopback']);
    const twice = (index: number): Promise<Response> =>
      new Promise((resolve, reject) => {
        request(application.app)
          .post('/ocra/check_t')
          .set('X-Forwarded-For', [`198.51.100.${index}`, ATTACKER] as unknown as string)
          .type('form')
          .send({ transactionid: 'b', pass: '1' })
          .end((error: unknown, response) => {
            if (error instanceof Error) {
              reject(error);
            } else {
              resolve(response);
            }
          });
      });
    expect(await statuses(5, twice)).toEqual([200, 200, 200, 429, 429]);
  });
});

/** Every way to send a response to the same transaction. */
const DOORS: readonly (readonly [string, (transaction: string) => Promise<Response>])[] = [
  ['POST', async (id) => application.send('/ocra/check_t', { transactionid: id, pass: '1' })],
  ['GET', async (id) => application.send('/ocra/check_t', { transactionid: id, pass: '1' }, 'get')],
  ['HEAD', async (id) => request(application.app).head(`/ocra/check_t?transactionid=${id}&pass=1`)],
  ['names in capitals', async (id) => application.send('/ocra/check_t', { TransactionID: id, PASS: '1' })],
  [
    'given twice, the last counts',
    async (id) =>
      request(application.app).get(`/ocra/check_t?transactionid=other&transactionid=${id}&pass=1`),
  ],
  [
    'the query goes before the body',
    async (id) =>
      request(application.app)
        .post(`/ocra/check_t?transactionid=${id}`)
        .type('form')
        .send({ transactionid: 'other', pass: '1' }),
  ],
  [
    'percent-encoded',
    async (id) =>
      request(application.app).get(
        `/ocra/check_t?transactionid=%${id.charCodeAt(0).toString(16)}${id.slice(1)}&pass=1`,
      ),
  ],
  [
    'JSON',
    async (id) => request(application.app).post('/ocra/check_t').send({ transactionid: id, pass: '1' }),
  ],
  [
    'multipart',
    async (id) =>
      request(application.app).post('/ocra/check_t').field('transactionid', id).field('pass', '1'),
  ],
  [
    '/validate/check_t',
    async (id) => application.send('/validate/check_t', { transactionid: id, pass: '1' }),
  ],
  [
    '/validate/check_s',
    async (id) => application.send('/validate/check_s', { serial: 'x', state: id, pass: '1' }),
  ],
  [
    '/validate/check',
    async (id) => application.send('/validate/check', { user: 'x', transactionid: id, pass: '1' }),
  ],
  ['without a response', async (id) => application.send('/ocra/check_t', { transactionid: id })],
];

describe('one transaction', () => {
  it('is bounded by whatever door responses come', async () => {
    for (const [name, door] of DOORS) {
      await open({ exempt: [], transactionFailures: 3, clientFailures: 1_000 });
      const id = 'c0ffee'.padEnd(20, '0');
      const found = await statuses(5, () => door(id));
      expect({ name, found }).toEqual({ name, found: [200, 200, 200, 429, 429] });
      expect({
        name,
        other: (await fail({}, '/ocra/check_t', { transactionid: 'd', pass: '1' })).status,
      }).toEqual({
        name,
        other: 200,
      });
      await application.close();
    }
    await open({});
  });

  it('is the same one through all doors together, and no other form of its id is it', async () => {
    await open({ exempt: [], transactionFailures: DOORS.length, clientFailures: 1_000 });
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
});

describe('a path that is none', () => {
  it.each(['/ocra/check_t/', '/OCRA/check_t', '/ocra//check_t', '/ocra/check_t;x=1', '/ocra/./check_t'])(
    'takes no responses, so none passes uncounted (%s)',
    async (path) => {
      await open({ exempt: [], clientFailures: 1 });
      const found = await statuses(3, () => fail({}, path));
      expect(found).toEqual([404, 404, 404]);
    },
  );
});
