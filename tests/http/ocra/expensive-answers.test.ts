import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { responder } from '../../../src/ocra/compute.ts';
import { whileHeld } from '../../support/database/held-statement.ts';
import { OPERATOR, TestApplication } from '../../support/application/test-application.ts';

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
let ticking: NodeJS.Immediate;
let application: TestApplication;
let server: Server;
let number = 0;

function tick(): void {
  counted.inTurn = 0;
  ticking = setImmediate(tick);
}

beforeAll(async () => {
  application = await TestApplication.open({
    responder: (suite, key) => {
      const respond = responder(suite, key);
      return (dataInput) => {
        counted.all += 1;
        counted.inTurn += 1;
        counted.mostInTurn = Math.max(counted.mostInTurn, counted.inTurn);
        if (counted.all === counted.then.at) {
          counted.then.begin();
        }
        return respond(dataInput);
      };
    },
  });
  await application.services.settings.set(OPERATOR, new Map([['AutoResync', 'True']]));
  server = createServer(application.app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  tick();
});

afterAll(async () => {
  clearImmediate(ticking);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await application.close();
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
