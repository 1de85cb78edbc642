import { beforeAll, describe, expect, it } from '@jest/globals';
import { valueOf } from '../../support/application/browser.ts';
import {
  applicationOfTests,
  OPERATOR,
  type PortalChallenge,
  type TestApplication,
} from '../../support/application/test-application.ts';
import { parseQrTanUrl } from '../../../src/ocra/qrtan-url.ts';
import { deriveTokenKey } from '../../../src/ocra/key-derivation.ts';
import { expectSoon } from '../../support/values/expect-soon.ts';

const TEXT_SUITE = 'OCRA-1:HOTP-SHA256-8:C-QA64';

const documented = applicationOfTests({ statusPoll: 50 });
const linotp = applicationOfTests({ dialect: 'linotp' });
beforeAll(() => Promise.all([documented.enrolPlain('Q1', TEXT_SUITE), linotp.enrolPlain('Q1', TEXT_SUITE)]));

async function decline(
  application: TestApplication,
  { transactionid, question }: PortalChallenge,
  kind: 'declined' | 'reported' = 'declined',
  more: Record<string, string> = {},
): Promise<unknown> {
  const text = application.decline(TEXT_SUITE, transactionid, question, kind);
  return valueOf(await application.send('/ocra/check_t', { transactionid, decline: text, ...more }));
}

describe('a decline at /ocra/check_t', () => {
  it('ends the transaction; the portal sees it in the state, and a right response comes too late', async () => {
    const challenge = await documented.challenge('Q1', 'Pay 5');
    const { transactionid, question } = challenge;
    expect(await decline(documented, challenge, 'reported')).toEqual({
      failcount: 0,
      result: false,
      declined: true,
    });
    expect(await documented.status({ transactionid })).toEqual([
      {
        serial: 'Q1',
        transactionid,
        received_tan: false,
        valid_tan: false,
        failcount: 0,
        declined: 'reported',
      },
    ]);
    expect(await documented.check(transactionid, documented.respond(TEXT_SUITE, question))).toMatchObject({
      result: false,
    });
  });

  it('that comes too late is news once, also where two servers get it at the same time', async () => {
    await documented.enrolPlain('Q2', TEXT_SUITE);
    const other = documented.beside();
    const told: unknown[] = [];
    for (let count = 0; count < 12; count += 1) {
      const { transactionid, question } = await documented.challenge('Q2', `Pay ${count}`);
      await documented.check(
        transactionid,
        documented.respond(TEXT_SUITE, question, { counter: BigInt(count) }),
      );
      const text = documented.decline(TEXT_SUITE, transactionid, question, 'declined');
      const send = (server: TestApplication): Promise<unknown> =>
        server.send('/ocra/check_t', { transactionid, decline: text });
      await Promise.all([send(documented), send(other), send(documented), send(other)]);
      const rows = await documented.rows<{ outcome: string }>(
        'SELECT outcome FROM audit WHERE transaction_id = $1 ORDER BY outcome',
        [transactionid],
      );
      told.push(rows.map(({ outcome }) => outcome).filter((outcome) => outcome.includes('decline')));
    }
    const once = ['closed, decline', 'declined again', 'declined again', 'declined again'];
    expect(told).toEqual(told.map(() => once));
  });

  it('is refused beside a response, and neither has an effect', async () => {
    const { transactionid, question } = await documented.challenge('Q1', 'Pay 5');
    const text = documented.decline(TEXT_SUITE, transactionid, question, 'declined');
    for (const pass of [documented.respond(TEXT_SUITE, question), '0']) {
      const answer = await documented.send('/ocra/check_t', { transactionid, decline: text, pass });
      expect(answer.body).toMatchObject({ result: { status: false } });
      expect(answer.text).toContain('exclude each other');
    }
    expect(await documented.status({ transactionid })).toMatchObject([
      { received_tan: false, valid_tan: false, failcount: 0 },
    ]);
    expect(await documented.check(transactionid, documented.respond(TEXT_SUITE, question))).toMatchObject({
      result: true,
    });
  });

  it.each(['', ' '])('is a decline beside the blank response %j of a form', async (pass) => {
    const challenge = await documented.challenge('Q1', 'Pay 5');
    expect(await decline(documented, challenge, 'declined', { pass })).toEqual({
      failcount: 0,
      result: false,
      declined: true,
    });
  });

  it('tells whoever has the transaction alone nothing, not even whether there is one', async () => {
    const { transactionid } = await documented.challenge('Q1', 'Pay 5');
    const answers = await Promise.all(
      [transactionid, 'ffffffffffffffffffff'].map(async (transaction) => {
        const given = { transactionid: transaction, decline: '00'.repeat(32) };
        return (await documented.send('/ocra/check_t', given)).text;
      }),
    );
    expect(answers[0]).toBe(answers[1]);
    expect(answers[0]).toContain('"declined": false');
  });

  it('wakes a portal that waits for the transaction', async () => {
    const challenge = await documented.challenge('Q1', 'Pay 5');
    const { transactionid } = challenge;
    const waiting = documented.asAdmin('/ocra/checkstatus', { transactionid, wait: '20S' });
    await expectSoon(() => documented.metrics.text()).toContain('tankeeper_status_waiting_requests 1');
    await decline(documented, challenge, 'reported');
    const { headers, body } = (await waiting) as { headers: Record<string, string>; body: unknown };
    expect(headers['tankeeper-wait']).toBe('closed');
    expect(body).toMatchObject({ result: { value: [{ valid_tan: false, declined: 'reported' }] } });
  });

  it('is told by the page of the transaction, and counted', async () => {
    const challenge = await documented.challenge('Q1', 'Pay 5');
    await decline(documented, challenge, 'reported');
    const { transactionid } = challenge;
    const { body } = (await documented.asAdmin('/admin/transaction/show', {
      transaction_id: transactionid,
    })) as { body: unknown };
    expect(body).toMatchObject({
      result: { value: { state: 'reported', events: [{ event: 'issued' }, { event: 'reported' }] } },
    });
    expect(await documented.metrics.text()).toMatch(
      /tankeeper_responses_total\{outcome="declined",reason="reported"\} [1-9]/,
    );
    expect(documented.logged.join()).not.toContain(
      documented.decline(TEXT_SUITE, transactionid, challenge.question, 'reported'),
    );
  });

  it('of a roll-out falls back to its first phase, whose next code works', async () => {
    const init = { type: 'ocra', genkey: '1' };
    const first = await documented.asAdmin('/admin/init', { ...init, sharedsecret: '1', serial: 'R1' });
    const { sharedsecret } = (first.body as { detail: { sharedsecret: string } }).detail;
    const activationcode = 'GEZDGNBVGY3TQOJQ01';
    const begin = async (): Promise<PortalChallenge & { readonly key: Buffer }> => {
      const given = { ...init, serial: 'R1', activationcode };
      const { detail } = (await documented.asAdmin('/admin/init', given)).body as {
        detail: { app_import: string; transactionid: string };
      };
      const { app_import: url, transactionid } = detail;
      const read = parseQrTanUrl(url);
      if (read.kind !== 'nonce') {
        throw new Error(url);
      }
      const sharedSecret = Buffer.from(sharedsecret, 'hex');
      const key = await deriveTokenKey({ sharedSecret, activationCode: activationcode, nonce: read.nonce });
      return { url, transactionid, question: read.question, key: Buffer.from(key) };
    };
    const { transactionid, question, key } = await begin();
    const text = documented.decline(TEXT_SUITE, transactionid, question, 'declined', key);
    await documented.send('/ocra/check_t', { transactionid, decline: text });
    const shown = await documented.asAdmin('/admin/show', { serial: 'R1' });
    expect(shown.body).toMatchObject({ result: { value: { tokens: [{ rollout: 'phase1' }] } } });
    const again = await begin();
    const pass = documented.respond(TEXT_SUITE, again.question, { key: again.key });
    expect(await documented.check(again.transactionid, pass)).toMatchObject({ result: true });
  });
});

it('a decline in the dialect linotp is answered with one member more, and the transaction is gone as LinOTP forgets it', async () => {
  const challenge = await linotp.challenge('Q1', 'Pay 5');
  const { transactionid, question } = challenge;
  expect(await decline(linotp, challenge)).toEqual({ failcount: 0, result: false, declined: true });
  const { body } = (await linotp.asAdmin('/ocra/checkstatus', { transactionid })) as { body: unknown };
  expect(body).toMatchObject({ result: { value: { values: [] } } });
  expect(await linotp.check(transactionid, linotp.respond(TEXT_SUITE, question))).toEqual({
    failure: `No challenge for transaction u'${transactionid}' found`,
    result: false,
  });
});

let number = 0;

/** A challenge to a token of its own. */
async function opened(): Promise<PortalChallenge & { readonly serial: string }> {
  number += 1;
  const serial = `OWN${number}`;
  await documented.enrolPlain(serial, TEXT_SUITE);
  return { serial, ...(await documented.challenge(serial, 'Pay 5')) };
}

function respond({ transactionid, question }: PortalChallenge): Promise<unknown> {
  return documented.check(transactionid, documented.respond(TEXT_SUITE, question));
}

/** @returns what the audit has of the answers to a challenge */
async function outcomes({ transactionid }: PortalChallenge): Promise<readonly string[]> {
  const rows = await documented.rows<{ outcome: string }>(
    "SELECT outcome FROM audit WHERE transaction_id = $1 AND action = 'ocra/check_t' ORDER BY id",
    [transactionid],
  );
  return rows.map(({ outcome }) => outcome);
}

const failCount = async (serial: string): Promise<number> =>
  (await documented.services.tokens.show(OPERATOR, serial)).failCount;

async function setFailCount(serial: string, count: number): Promise<void> {
  await documented.rows('UPDATE tokens SET fail_count = $2, version = version + 1 WHERE serial = $1', [
    serial,
    count,
  ]);
}

describe('a declined transaction', () => {
  it('that is reported afterwards is reported to the portal, once', async () => {
    const challenge = await opened();
    for (const kind of ['declined', 'reported', 'reported', 'declined'] as const) {
      expect(await decline(documented, challenge, kind)).toMatchObject({ declined: true });
    }
    expect(await respond(challenge)).toMatchObject({ result: false });
    const { transactionid } = challenge;
    expect(await documented.status({ transactionid })).toMatchObject([{ declined: 'reported' }]);
    expect(await outcomes(challenge)).toEqual([
      'declined',
      'reported, after a decline',
      'reported again',
      'declined again',
      'dropped',
    ]);
  });

  it.each<[string, (serial: string) => Promise<unknown>, (serial: string) => Promise<unknown>]>([
    ['locked', (serial) => setFailCount(serial, 10), (serial) => setFailCount(serial, 0)],
    [
      'disabled',
      (serial) => documented.services.tokens.disable(OPERATOR, { serial }),
      (serial) => documented.services.tokens.enable(OPERATOR, { serial }),
    ],
  ])(
    'may be that of a token that is %s, which loses a right and gets none',
    async (_state, lose, restore) => {
      const challenge = await opened();
      await lose(challenge.serial);
      expect(await decline(documented, challenge, 'reported')).toMatchObject({
        declined: true,
        result: false,
      });
      await restore(challenge.serial);
      expect(await respond(challenge)).toMatchObject({ result: false });
    },
  );
});

it.each<[string, (challenge: PortalChallenge) => Promise<unknown>, string]>([
  ['accepted', respond, 'closed'],
  [
    'expired',
    () => {
      documented.clock.advance(21 * 60);
      return Promise.resolve();
    },
    'expired',
  ],
])(
  'a decline that comes too late is told so, and news once of each kind, however often it is sent: the transaction is %s',
  async (_state, end, reason) => {
    const challenge = await opened();
    await end(challenge);
    const before = (await outcomes(challenge)).length;
    for (const kind of ['declined', 'declined', 'reported', 'reported', 'declined'] as const) {
      expect(await decline(documented, challenge, kind)).toMatchObject({ declined: false });
    }
    expect((await outcomes(challenge)).slice(before)).toEqual([
      `${reason}, decline`,
      'declined again',
      `${reason}, report`,
      'reported again',
      'declined again',
    ]);
  },
);

describe('a decline that the token has not signed', () => {
  it.each<[string, (challenge: PortalChallenge) => string]>([
    [
      'that of another key',
      ({ transactionid, question }) =>
        documented.decline(TEXT_SUITE, transactionid, question, 'declined', Buffer.alloc(32, 6)),
    ],
    [
      'that of another transaction',
      ({ transactionid }) => documented.decline(TEXT_SUITE, transactionid, 'another', 'declined'),
    ],
    ['a right response', ({ question }) => documented.respond(TEXT_SUITE, question)],
    ['nothing at all', () => ''],
  ])('changes and counts nothing, and tells as much as an unknown transaction: %s', async (_what, made) => {
    const challenge = await opened();
    await setFailCount(challenge.serial, 4);
    const text = made(challenge);
    const send = async (transactionid: string): Promise<string> =>
      (await documented.send('/ocra/check_t', { transactionid, decline: text })).text;
    const unknown = await send('ffffffffffffffffffff');
    for (let count = 0; count < 12; count += 1) {
      expect(await send(challenge.transactionid)).toBe(unknown);
    }
    expect(await failCount(challenge.serial)).toBe(4);
    expect(new Set(await outcomes(challenge))).toEqual(new Set(['wrong, decline']));
    expect(await respond(challenge)).toMatchObject({ result: true });
  });

  it('is never taken for a response, not even one that the token has signed as a decline', async () => {
    const { transactionid, question } = await opened();
    const pass = documented.decline(TEXT_SUITE, transactionid, question, 'declined');
    expect(await documented.check(transactionid, pass)).toMatchObject({ result: false });
  });
});

it.each(['decline first', 'response first'])(
  'a decline and a right response at the same time end the transaction once, as one or the other: %s',
  async (order) => {
    const challenge = await opened();
    const { transactionid } = challenge;
    const response = order === 'response first' ? respond(challenge) : undefined;
    const [declined, accepted] = (await Promise.all([
      decline(documented, challenge, 'reported'),
      response ?? respond(challenge),
    ])) as [{ declined: boolean }, { result: boolean }];
    expect(declined.declined).toBe(!accepted.result);
    const [entry] = await documented.status({ transactionid });
    expect(entry?.declined === 'reported').toBe(declined.declined);
    expect(entry?.valid_tan).toBe(accepted.result);
  },
);
