import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Response } from 'supertest';
import { type RunningServer, startServer } from '../../../src/http/serving/server.ts';
import { responseValues } from '../../../src/ocra/compute.ts';
import {
  OPERATOR,
  type PortalChallenge,
  applicationOfTests,
  type TestApplication,
  wrongResponse,
} from '../../support/application/test-application.ts';
import { valueOf } from '../../support/application/browser.ts';
import { whileHeld } from '../../support/database/held-statement.ts';
import { until } from '../../support/values/until.ts';

/** The dearest suite: a counter, steps of a second, the longest hash. */
const DEAR = 'OCRA-1:HOTP-SHA512-8:C-QN08-T1S';
const USUAL = 'OCRA-1:HOTP-SHA256-8:C-QN08';
const WRONG = '00000000';
const SETTLING = /^WITH request AS/;
/** The bounds of SECURITY.md for a response, and of one piece of the work. */
const BUDGET = 12_000;
const PIECE = 250;
const AT_ONCE = 8;

/** Counts candidates, and turns of the event loop in which they are computed. */
const counted = {
  all: 0,
  inTurn: 0,
  mostInTurn: 0,
  /** Is done once, when so many have been computed. */
  then: { at: Number.POSITIVE_INFINITY, begin: (): void => undefined },
};
let server: Server;
let number = 0;
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});
const application = applicationOfTests({
  statusPoll: 50,
  responder: (suite, key) => {
    const respond = responseValues(suite, key);
    return (dataInput) => {
      counted.all += 1;
      counted.inTurn += 1;
      if (counted.inTurn === 1) {
        // Only in turns with work: a loop that never rests takes a processor from other tests.
        setImmediate(() => {
          counted.inTurn = 0;
        });
      }
      counted.mostInTurn = Math.max(counted.mostInTurn, counted.inTurn);
      if (counted.all === counted.then.at) {
        counted.then.begin();
      }
      return respond(dataInput);
    };
  },
});

beforeAll(async () => {
  await application.services.settings.set(OPERATOR, new Map([['AutoResync', 'True']]));
  server = createServer(application.app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

beforeEach(() => {
  Object.assign(counted, { all: 0, mostInTurn: 0 });
  counted.then.at = Number.POSITIVE_INFINITY;
});

/** @returns a token with an open challenge, its windows as wide as they may be */
async function dear(): Promise<{ serial: string; transactionid: string }> {
  number += 1;
  const serial = `DEAR${number}`;
  await application.enrolPlain(serial, DEAR);
  await application.services.tokens.set(OPERATOR, { serial }, { counterWindow: 1_000, syncWindow: 10_000 });
  const { transactionid } = await application.challenge(serial);
  return { serial, transactionid };
}

async function ask(path: string, parameters: Record<string, string> = {}): Promise<string> {
  const { port } = server.address() as AddressInfo;
  const query = new URLSearchParams(parameters).toString();
  return (await fetch(`http://127.0.0.1:${port}${path}?${query}`)).text();
}

describe('an answer to a token with the dearest suite, the widest windows and AutoResync', () => {
  it('costs no more than the budget of a response', async () => {
    const { transactionid } = await dear();
    expect(await application.check(transactionid, WRONG)).toEqual({ failcount: 1, result: false });
    expect(counted.all).toBeGreaterThan(BUDGET / 2);
    expect(counted.all).toBeLessThanOrEqual(BUDGET);
  });

  it('costs nothing more where another response was faster and it is verified twice', async () => {
    const { serial, transactionid } = await dear();
    const change = (): Promise<unknown> =>
      application.services.tokens.set(OPERATOR, { serial }, { description: 'changed meanwhile' });
    await application.check(transactionid, WRONG);
    const once = counted.all;
    const reported = await whileHeld(SETTLING, () => application.check(transactionid, WRONG), change);
    expect(reported).toEqual({ failcount: 2, result: false });
    expect(counted.all).toBe(2 * once);
  });

  it('costs no more where four challenges are open and none is named', async () => {
    const { serial } = await dear();
    for (let open = 1; open < 4; open += 1) {
      await application.challenge(serial);
    }
    await application.send('/validate/check_s', { serial, pass: WRONG });
    expect(counted.all).toBeGreaterThan(BUDGET / 2);
    expect(counted.all).toBeLessThanOrEqual(BUDGET);
  });
});

describe('many such answers at once', () => {
  it('let the server do something else after each piece of the work', async () => {
    const open = await Promise.all(Array.from({ length: AT_ONCE }, () => dear()));
    await Promise.all(open.map(({ transactionid }) => ask('/ocra/check_t', { transactionid, pass: WRONG })));
    expect(counted.all).toBeGreaterThan((AT_ONCE * BUDGET) / 2);
    // The first piece of a response waits for nobody.
    expect(counted.mostInTurn).toBeLessThanOrEqual((AT_ONCE + 1) * PIECE);
  });

  it('leave /healthz and usual responses in front', async () => {
    const open = await Promise.all(Array.from({ length: AT_ONCE }, () => dear()));
    await application.enrolPlain(`USUAL${number}`, USUAL);
    const usual = await application.challenge(`USUAL${number}`);
    const pass = application.respond(USUAL, usual.question);
    const answered: string[] = [];
    const inFront: Promise<unknown>[] = [];
    counted.then = {
      at: BUDGET / 4,
      begin: () => {
        inFront.push(
          ask('/healthz').then(() => answered.push('health')),
          ask('/ocra/check_t', { transactionid: usual.transactionid, pass }).then((text) => {
            answered.push(text.includes('"result": true') ? 'usual' : text);
          }),
        );
      },
    };
    await Promise.all(
      open.map(async ({ transactionid }) => {
        await ask('/ocra/check_t', { transactionid, pass: WRONG });
        answered.push('dear');
      }),
    );
    await Promise.all(inFront);
    expect(answered).toEqual(expect.arrayContaining(['health', 'usual']));
    expect(answered.indexOf('health')).toBeLessThan(answered.indexOf('dear'));
    expect(answered.indexOf('usual')).toBeLessThan(answered.lastIndexOf('dear'));
  });
});

describe('a state that is waited for', () => {
  const SUITE = 'OCRA-1:HOTP-SHA256-8:C-QN08';
  /** OcraChallengeTimeout in milliseconds, unless it is set. */
  const TIMEOUT_MS = 20 * 60_000;
  /** Longer than two answers take, even on a busy machine. */
  const HELD_MS = 4_000;
  const CHECKSTATUS = '/ocra/checkstatus';
  const RIGHT = { received_tan: true, valid_tan: true };
  /** One wait of an administrator at a time, and one request in work. */
  const NARROW = { statusWaits: 2, requestsAtOnce: 1 };

  let narrow: TestApplication;
  let running: RunningServer | undefined;

  beforeAll(() => {
    narrow = application.restarted({ limits: NARROW });
  });
  afterEach(async () => {
    await running?.close(1_000);
    running = undefined;
  });
  afterAll(() => narrow.services.waitingRequests.end());

  async function challenge(): Promise<PortalChallenge & { readonly serial: string }> {
    number += 1;
    const serial = `WAIT${number}`;
    await application.enrolPlain(serial, SUITE);
    return { serial, ...(await application.challenge(serial)) };
  }

  const answerTo = ({ question }: PortalChallenge): string => application.respond(SUITE, question);

  /** @returns the end of the wait, and the entry */
  function told(response: Response): readonly [unknown, unknown] {
    const { result } = response.body as { result: { value?: readonly unknown[] } };
    return [response.get('Tankeeper-Wait'), result.value?.[0]];
  }

  function entry(serial: string, transactionid: string, more: object = {}): object {
    return { serial, transactionid, received_tan: false, valid_tan: false, failcount: 0, ...more };
  }

  async function metric(name: string, of = application): Promise<number> {
    const text = await of.metrics.text();
    const line = text.split('\n').find((one) => one.startsWith(`${name} `)) ?? '';
    return Number(line.slice(name.length + 1));
  }

  async function untilWaiting(of: TestApplication, count = 1): Promise<void> {
    const name = 'tankeeper_status_waiting_requests';
    await until(async () => (await of.metrics.text()).includes(`\n${name} ${count}\n`));
  }

  describe.each(['get', 'post'] as const)('checkstatus with wait, by %s', (method) => {
    it('answers as soon as a response comes', async () => {
      const asked = await challenge();
      const { transactionid, serial } = asked;
      const waiting = application.asAdmin(CHECKSTATUS, { transactionid, wait: '60S' }, method);
      await untilWaiting(application);
      await application.check(transactionid, answerTo(asked));
      expect(told(await waiting)).toEqual(['changed', entry(serial, transactionid, RIGHT)]);
      expect(await metric('tankeeper_status_waiting_requests')).toBe(0);
    });

    it('answers with the state as it is when the time is over', async () => {
      const { transactionid, serial } = await challenge();
      const begun = performance.now();
      const answer = await application.asAdmin('/ocra', { transactionid, wait: '1' }, method);
      expect(performance.now() - begun).toBeGreaterThanOrEqual(990);
      expect(told(answer)).toEqual(['over', entry(serial, transactionid)]);
    });
  });

  describe('checkstatus with wait', () => {
    it('answers at once for a transaction that takes no more responses', async () => {
      const asked = await challenge();
      const { transactionid, serial } = asked;
      await application.check(transactionid, answerTo(asked));
      const answer = await application.asAdmin(CHECKSTATUS, { transactionid, wait: '60S' });
      expect(told(answer)).toEqual(['closed', entry(serial, transactionid, RIGHT)]);
      const unknown = await application.asAdmin(CHECKSTATUS, { transactionid: 'f'.repeat(20), wait: '60S' });
      expect(told(unknown)).toEqual(['closed', undefined]);
      expect(unknown.body).toHaveProperty('result', { status: true, value: [] });
    });

    it('answers when the transaction expires', async () => {
      const { transactionid, serial } = await challenge();
      const issued = application.clock.now();
      application.clock.set(new Date(issued.getTime() + TIMEOUT_MS - 300));
      const answer = await application.asAdmin(CHECKSTATUS, { transactionid, wait: '60S' });
      expect(told(answer)).toEqual(['closed', entry(serial, transactionid)]);
      application.clock.set(new Date(issued.getTime() + TIMEOUT_MS));
      const after = await application.asAdmin(CHECKSTATUS, { transactionid, wait: '60S' });
      expect(told(after)).toEqual(['closed', entry(serial, transactionid)]);
      application.clock.set(issued);
    });

    it('answers with the state of the token as it is at the end', async () => {
      const asked = await challenge();
      const { transactionid: transactionId, serial } = asked;
      await application.services.tokens.set(OPERATOR, { serial }, { maxFail: 1 });
      const wait = await application.services.statusWaits.begin(OPERATOR, { transactionId, wait: '60S' });
      const waiting = wait(new AbortController().signal);
      await untilWaiting(application);
      await application.check(transactionId, wrongResponse(answerTo(asked)));
      expect(await waiting).toMatchObject({ end: 'changed', entries: [{ failCount: 1, locked: true }] });
    });

    it('answers at once where the client knows another state', async () => {
      const asked = await challenge();
      const { transactionid, serial } = asked;
      await application.check(transactionid, wrongResponse(answerTo(asked)));
      const present = entry(serial, transactionid, { received_tan: true, failcount: 1 });
      const wait = { transactionid, wait: '60S' };
      const other = await application.asAdmin(CHECKSTATUS, { ...wait, known: 'false,false,0' });
      expect(told(other)).toEqual(['changed', present]);
      const same = { transactionid, wait: '1S', known: 'true,false,1' };
      expect(told(await application.asAdmin(CHECKSTATUS, same))).toEqual(['over', present]);
    });

    it('answers at once with wait=0, and as ever without wait', async () => {
      const { transactionid, serial } = await challenge();
      const short = await application.asAdmin(CHECKSTATUS, { transactionid, wait: '0' });
      expect(told(short)).toEqual(['over', entry(serial, transactionid)]);
      const plain = await application.asAdmin(CHECKSTATUS, { transactionid, known: 'nonsense' });
      expect(told(plain)).toEqual([undefined, entry(serial, transactionid)]);
    });

    it.each([
      [{ wait: '20S' }, 'ERR77: .*transactionid, as wait is for one transaction'],
      [{ wait: '20S', serial: 'WAIT1' }, 'ERR77: .*transactionid, as wait is for one transaction'],
      [{ wait: '61S', transactionid: 'x' }, 'wait is at most 60S'],
      [{ wait: '', transactionid: 'x' }, "Not a duration: ''"],
      [{ wait: '-1', transactionid: 'x' }, "Not a duration: '-1'"],
      [{ wait: '1S', known: 'yes', transactionid: 'x' }, 'known is received_tan,valid_tan,failcount'],
    ] as const)('refuses %j', async (parameters, message) => {
      const { error } = await application.ask(CHECKSTATUS, parameters);
      expect(error?.message).toMatch(new RegExp(message));
    });

    it('requires the right before it waits, and a credential', async () => {
      const { transactionid } = await challenge();
      const token = await application.apiToken('none', ['monitoring:*']);
      const wait = { transactionid, wait: '60S' };
      const refused = await application.send(CHECKSTATUS, wait).set('Authorization', `Bearer ${token}`);
      expect(refused.body).toHaveProperty('result.error.code', 410);
      expect((await application.send(CHECKSTATUS, wait)).status).toBe(401);
    });

    it('is unknown to the dialect of LinOTP, as any other parameter', async () => {
      const { transactionid, serial } = await challenge();
      const linotp = application.restarted({ dialect: 'linotp' });
      for (const wait of ['60S', 'nonsense']) {
        const answer = await linotp.asAdmin(CHECKSTATUS, { transactionid, wait, known: 'false,false,0' });
        expect(answer.get('Tankeeper-Wait')).toBeUndefined();
        const values = [entry(serial, transactionid)];
        expect(valueOf(answer)).toMatchObject({ values });
      }
    });
  });

  describe('requests that wait', () => {
    it('keep no other request from its work, nor from the database', async () => {
      const asked = await challenge();
      const { transactionid } = asked;
      const wide = application.restarted({ limits: { requestsAtOnce: 2, statusWaits: 100 } });
      const waits: Promise<Response>[] = [];
      for (let count = 1; count <= 30; count += 1) {
        waits.push(wide.asAdmin(CHECKSTATUS, { transactionid, wait: '60S' }));
        await untilWaiting(wide, count);
      }
      expect(await wide.status({ transactionid })).toHaveLength(1);
      expect(await wide.check(transactionid, answerTo(asked))).toEqual({ failcount: 0, result: true });
      expect((await Promise.all(waits)).map((answer) => told(answer)[0])).toEqual(waits.map(() => 'changed'));
      await wide.services.waitingRequests.end();
    });

    it('are bounded: one more is answered at once with the present state', async () => {
      const asked = await challenge();
      const { transactionid, serial } = asked;
      const wait = { transactionid, wait: '60S' };
      const first = narrow.asAdmin(CHECKSTATUS, wait);
      await untilWaiting(narrow);
      expect(told(await narrow.asAdmin(CHECKSTATUS, wait))).toEqual(['full', entry(serial, transactionid)]);
      await narrow.check(transactionid, answerTo(asked));
      expect(told(await first)[0]).toBe('changed');
    });

    it('give their places back when the clients leave', async () => {
      const asked = await challenge();
      const { transactionid } = asked;
      running = await startServer(narrow.app, { host: '127.0.0.1', port: 0 });
      const token = await application.apiToken('leaving', ['ocra:status']);
      const url = `http://127.0.0.1:${running.port}${CHECKSTATUS}?transactionid=${transactionid}&wait=60S`;
      const duration = 'tankeeper_http_request_duration_seconds_sum{endpoint="/ocra/checkstatus"}';
      const before = await metric(duration, narrow);
      const client = new AbortController();
      const left = fetch(url, { headers: { Authorization: `Bearer ${token}` }, signal: client.signal });
      await untilWaiting(narrow);
      await sleep(HELD_MS);
      client.abort();
      await expect(left).rejects.toMatchObject({ name: 'AbortError' });
      await untilWaiting(narrow, 0);
      const next = narrow.asAdmin(CHECKSTATUS, { transactionid, wait: '60S' });
      await untilWaiting(narrow);
      await narrow.check(transactionid, answerTo(asked));
      expect(told(await next)[0]).toBe('changed');
      expect(await narrow.metrics.text()).toContain('tankeeper_status_waits_total{outcome="gone"} 1');
      // The time of two answers, without that of the waits.
      expect((await metric(duration, narrow)) - before).toBeLessThan(HELD_MS / 1000);
    });

    it('are answered at once when the server stops, and so is each later one', async () => {
      const { transactionid, serial } = await challenge();
      const stopping = application.restarted();
      const wait = { transactionid, wait: '60S' };
      const waiting = stopping.asAdmin(CHECKSTATUS, wait);
      await untilWaiting(stopping);
      await stopping.services.waitingRequests.end();
      for (const answer of [await waiting, await stopping.asAdmin(CHECKSTATUS, wait)]) {
        expect(told(answer)).toEqual(['stopping', entry(serial, transactionid)]);
      }
    });
  });
});
