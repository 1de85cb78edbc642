import { jest, afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ServiceError } from '../../src/kernel/errors.ts';
import { computeResponse } from '../../src/ocra/compute.ts';
import { parseQrTanUrl, verifyQrTanSignature } from '../../src/ocra/qrtan-url.ts';
import { parseOcraSuite } from '../../src/ocra/suite.ts';
import { callerNamed } from '../support/values/callers.ts';
import { eventualRefusal } from '../support/application/eventual-refusal.ts';
import {
  ANNA,
  beforeIssue,
  BERND,
  CAROL,
  KEY,
  keyedToken,
  type OcraHouse,
  OcraSite,
  vault,
} from '../support/database/ocra-house.ts';
import { ACT } from '../support/values/token-values.ts';

const admin = callerNamed('admin');
const nobody = callerNamed('nobody');
const open = { client: '192.0.2.9', requestId: 'request-2' };
const SUITE = parseOcraSuite('OCRA-1:HOTP-SHA256-8:C-QA64');

const site = new OcraSite();
beforeAll(() => site.open());
afterAll(() => site.close());

let house: OcraHouse;

beforeEach(async () => {
  house = await site.house({
    tokens: [
      keyedToken('A1', { type: 'ocra', owner: ANNA, realms: ['alpha'] }),
      keyedToken('B1', { owner: BERND, realms: ['alpha'] }),
      keyedToken('B2', { owner: BERND, realms: ['alpha'] }),
      keyedToken('H1', { type: 'hmac' }),
      keyedToken('O1', { owner: { ...ANNA, resolverId: '2', resolver: 'other' } }),
      keyedToken('E1', {
        secrets: { seed: null, sharedSecret: null, nonce: null, pin: null, ocraPin: null },
      }),
    ],
    policies: [
      { name: 'url', scope: 'authentication', action: 'qrtanurl=https://a.example/', realm: 'alpha' },
    ],
  });
});

async function answer(
  { transactionId, question }: { transactionId: string; question: string },
  counter = 0n,
): Promise<unknown> {
  return house.ocra.checkTransaction(open, {
    transactionId,
    pass: computeResponse(SUITE, KEY, { question, counter }),
  });
}

describe('a challenge', () => {
  it('is issued for the token, signed with its key, with the address of the policy', async () => {
    const issued = await house.ocra.requestChallenge(admin, { serial: 'A1', data: 'pay 5' });
    expect(issued).toMatchObject({ serial: 'A1', data: 'pay 5', callbackUrl: 'https://a.example/' });
    expect(issued.question).toMatch(/^pay50000[A-Za-z0-9]{56}$/);
    expect(issued.transactionId).toMatch(/^[0-9a-f]{20}$/);
    expect(parseQrTanUrl(issued.url)).toMatchObject({
      kind: 'req',
      message: 'pay 5',
      callbackUrl: 'https://a.example/',
      question: issued.question,
      transactionId: issued.transactionId,
    });
    expect(verifyQrTanSignature(SUITE, KEY, issued.url)).toBe(true);
    const { transactionId, question } = issued;
    expect(await house.challenges.find({ transactionId })).toMatchObject([
      { challenge: { question, data: 'pay 5', issuedAt: house.clock.at }, token: { serial: 'A1' } },
    ]);
    expect(await house.held.acts()).toEqual([
      { ...ACT, actor: 'admin', action: 'ocra/request', subject: 'A1', outcome: 'issued' },
    ]);
    expect(house.warnings).toEqual([]);
  });

  it('without data is random throughout', async () => {
    const { data, question, url } = await house.ocra.requestChallenge(admin, { user: 'anna' });
    expect(data).toBe('');
    expect(question).toMatch(/^[A-Za-z0-9]{64}$/);
    expect(parseQrTanUrl(url)).toMatchObject({ message: '' });
  });

  it('without an address in any policy is issued all the same, and the log warns operators once a day of its realms', async () => {
    const { callbackUrl } = await house.ocra.requestChallenge(admin, { serial: 'E1' }).catch(() => ({
      callbackUrl: 'none',
    }));
    expect(callbackUrl).toBe('none');
    await house.tokens.update('A1', { realms: ['beta', 'gamma'] }, ACT);
    await house.tokens.update('B1', { realms: ['beta', 'gamma'] }, ACT);
    expect((await house.ocra.requestChallenge(admin, { serial: 'A1' })).callbackUrl).toBe('');
    await house.ocra.requestChallenge(admin, { serial: 'A1' });
    await house.ocra.requestChallenge(admin, { serial: 'B1' });
    expect(house.warnings).toEqual([
      {
        message:
          'no active policy of scope authentication with the action qrtanurl covers this token: apps will refuse its QR codes',
        fields: { requestId: 'request-1', serial: 'A1', realms: 'beta, gamma' },
      },
    ]);
  });

  it('is made anew where the token gets another owner or key at this moment, some times', async () => {
    const issue = house.issues.issue.bind(house.issues);
    let attempts = 0;
    house.issues.issue = async (...args) => {
      attempts += 1;
      return attempts === 1 ? Promise.reject(new ServiceError('token.state', 'another key')) : issue(...args);
    };
    expect((await house.ocra.requestChallenge(admin, { user: 'anna' })).serial).toBe('A1');
    house.issues.issue = () => Promise.reject(new ServiceError('token.state', 'another key'));
    const refused = await eventualRefusal(house.ocra.requestChallenge(admin, { serial: 'A1' }));
    expect(refused.message).toBe('another key');
    let others = 0;
    house.issues.issue = () => {
      others += 1;
      return Promise.reject(new ServiceError('token.unknown', 'gone'));
    };
    await eventualRefusal(house.ocra.requestChallenge(admin, { serial: 'A1' }));
    expect(others).toBe(1);
  });

  it('is stored only while the token has the key that it was made with', async () => {
    const sharedSecret = vault.seal(KEY, 'shared-secret', 'E1');
    await house.tokens.update('E1', { rollout: 'phase1', secrets: { sharedSecret } }, ACT);
    const issue = jest.spyOn(house.issues, 'issue');
    await house.ocra.requestChallenge(admin, { serial: 'A1' });
    await house.ocra.requestChallenge(admin, { serial: 'E1' });
    const seed = (await house.tokens.findBySerial('A1'))?.secrets.seed;
    expect(issue.mock.calls.map(([challenge]) => challenge.key)).toEqual([
      { seed },
      { seed: null, sharedSecret },
    ]);
  });

  it('for a user is stored only while the user owns the token, for a serial with any owner', async () => {
    const issue = jest.spyOn(house.issues, 'issue');
    await house.ocra.requestChallenge(admin, { user: 'anna' });
    await house.ocra.requestChallenge(admin, { serial: 'A1', user: '' });
    const owners = issue.mock.calls.map(([challenge]) => challenge.owner?.userId);
    expect(owners).toEqual(['anna-id', undefined]);
  });

  it.each([
    [{ serial: 'H1', user: 'anna' }, 'token.unknown', "No token found with the serial 'H1'"],
    [{ serial: 'O1', user: 'anna' }, 'token.unknown', "No token found with the serial 'O1'"],
    [{ serial: 'X' }, 'token.unknown', "No token found with the serial 'X'"],
    [{ serial: 'A1', user: 'bernd' }, 'token.unknown', "No token found with the serial 'A1'"],
    [{ user: 'bernd' }, 'token.ambiguous', "More than one token found for the user 'bernd': name its serial"],
    [{ user: 'carol', realm: 'beta' }, 'token.unknown', "No token found for the user 'carol'"],
    [{ user: 'anna', realm: 'beta' }, 'user.unknown', "There is no user 'anna'"],
    [{ serial: 'H1' }, 'token.not-ocra', "The token 'H1' is not an OCRA token"],
    [{ serial: 'E1' }, 'token.not-ready', "The token 'E1' has no key to compute with"],
    [{}, 'parameter.missing', 'No token is named: neither a user nor a serial is given'],
  ])('is refused for %j', async (reference, code, message) => {
    expect(await eventualRefusal(house.ocra.requestChallenge(admin, reference))).toMatchObject({
      code,
      message,
    });
    expect(await house.held.acts()).toEqual([]);
  });

  it('is refused where its data does not fit into a QR code', async () => {
    const refused = await eventualRefusal(
      house.ocra.requestChallenge(admin, { serial: 'A1', data: 'x'.repeat(2_953) }),
    );
    expect(refused).toMatchObject({ code: 'challenge.too-long' });
    expect(refused.message).toMatch(
      /^The data is too long for a QR code: the code's text would have \d{4} bytes, at most 2953 fit$/,
    );
    const { url } = await house.ocra.requestChallenge(admin, { serial: 'A1' });
    const room = 2_953 - Buffer.byteLength(url);
    await house.ocra.requestChallenge(admin, { serial: 'A1', data: 'x'.repeat(room) });
    await eventualRefusal(house.ocra.requestChallenge(admin, { serial: 'A1', data: 'x'.repeat(room + 1) }));
  });

  it('takes another transaction id where one is taken, and gives up in the end', async () => {
    const issue = house.issues.issue.bind(house.issues);
    let refusals = 3;
    house.issues.issue = async (...args) => (refusals-- > 0 ? Promise.resolve(undefined) : issue(...args));
    const { transactionId } = await house.ocra.requestChallenge(admin, { serial: 'A1' });
    expect(await house.challenges.find({ serial: 'A1' })).toMatchObject([{ challenge: { transactionId } }]);
    let attempts = 0;
    house.issues.issue = () => {
      attempts += 1;
      return Promise.resolve(undefined);
    };
    expect(await eventualRefusal(house.ocra.requestChallenge(admin, { serial: 'A1' }))).toMatchObject({
      code: 'internal',
      message: 'No free transaction id was found',
    });
    expect(attempts).toBe(8);
  });
});

describe('a response', () => {
  it('is accepted once, and moves the token on', async () => {
    const issued = await house.ocra.requestChallenge(admin, { serial: 'A1' });
    expect(await answer(issued)).toEqual({ known: true, dropped: false, failCount: 0, result: true });
    expect(await answer(issued)).toEqual({ known: true, dropped: false, failCount: 0, result: false });
    const act = { ...open, actor: '', action: 'ocra/check_t', subject: 'A1' };
    expect(await house.answers()).toEqual([
      { ...act, outcome: 'accepted' },
      { ...act, outcome: 'closed' },
    ]);
    expect(await house.tokens.findBySerial('A1')).toMatchObject({
      counter: 1n,
      failCount: 0,
      lastSuccessAt: house.clock.at,
    });
  });

  it('to no transaction is wrong', async () => {
    for (const transactionId of ['', 'f'.repeat(20)]) {
      const checked = await house.ocra.checkTransaction(open, { transactionId, pass: '12345678' });
      expect(checked).toEqual({ known: false, dropped: false, failCount: 0, result: false });
    }
    expect(await house.answers()).toEqual([]);
    const refusal = { ...open, actor: '', action: 'ocra/check_t', outcome: 'no such transaction' };
    expect(house.refusals).toEqual([refusal, refusal]);
  });

  it('to a transaction that there is notes no refusal: its decision is audited', async () => {
    const issued = await house.ocra.requestChallenge(admin, { serial: 'A1' });
    await answer(issued, 99n);
    expect(house.refusals).toEqual([]);
  });

  it('changes nothing where the token has lost its key', async () => {
    const issued = await house.ocra.requestChallenge(admin, { serial: 'A1' });
    await house.held.set('A1', { seed: null });
    expect(await answer(issued)).toEqual({ known: true, dropped: false, failCount: 0, result: false });
    expect(await house.answers()).toMatchObject([{ outcome: 'unverifiable' }]);
  });

  it('after the time of the challenge changes nothing', async () => {
    const issued = await house.ocra.requestChallenge(admin, { serial: 'A1' });
    house.clock.at = new Date(house.clock.at.getTime() + 1_200_000);
    expect(await answer(issued)).toMatchObject({ known: true, failCount: 0, result: false });
    expect(await house.answers()).toMatchObject([{ outcome: 'expired' }]);
  });
});

describe('the status', () => {
  it('lists the challenges of a transaction, a serial or a user, the newest first', async () => {
    const first = await house.ocra.requestChallenge(admin, { serial: 'A1' });
    const second = await house.ocra.requestChallenge(admin, { serial: 'A1' });
    const other = await house.ocra.requestChallenge(admin, { serial: 'B1' });
    await answer(second, 99n);
    const entry = {
      id: expect.any(String),
      serial: 'A1',
      transactionId: first.transactionId,
      receivedTan: false,
      validTan: false,
      failCount: 1,
      issuedAt: house.clock.at,
      expiresAt: new Date(house.clock.at.getTime() + 1_200_000),
      active: true,
      locked: false,
      dropped: false,
    };
    const entries = [{ ...entry, transactionId: second.transactionId, receivedTan: true }, entry];
    expect(await house.ocra.status(admin, { serial: 'A1' })).toEqual(entries);
    expect(await house.ocra.status(admin, { user: 'anna' })).toEqual(entries);
    expect(await house.ocra.status(admin, { user: 'anna@alpha', serial: 'B1' })).toEqual([]);
    expect(await house.ocra.status(admin, { transactionId: first.transactionId })).toEqual([entry]);
    expect(await house.ocra.status(admin, { transactionId: other.transactionId, serial: 'A1' })).toEqual([]);
    expect(await house.ocra.status(admin, { user: 'nobody' })).toEqual([]);
  });

  it('finds the user in the named realm', async () => {
    await house.tokens.update('A1', { owner: CAROL }, ACT);
    await house.ocra.requestChallenge(admin, { serial: 'A1' });
    expect(await house.ocra.status(admin, { user: 'carol', realm: 'beta' })).toHaveLength(1);
    expect(await house.ocra.status(admin, { user: 'carol', realm: 'alpha' })).toEqual([]);
  });
});

it.each<[string, (house: OcraHouse) => Promise<unknown>]>([
  ['request', ({ ocra }) => ocra.requestChallenge(nobody, { serial: 'A1' })],
  ['status', ({ ocra }) => ocra.status(nobody, { serial: 'A1' })],
])('the right to %s is checked, and no other', async (action, attempt) => {
  expect(await eventualRefusal(attempt(house))).toMatchObject({
    code: 'right.missing',
    payload: { policy: { scope: 'ocra', action } },
  });
  house = await site.house({
    policies: [{ name: 'one', scope: 'ocra', action, realm: '*', user: 'nobody' }],
  });
  const code = await attempt(house).then(
    () => 'none',
    (error: unknown) => (error as ServiceError).code,
  );
  expect(code).not.toBe('right.missing');
});

describe('a token that gets another key again and again', () => {
  it('is read four times, and then the failure is reported', async () => {
    let times = 0;
    beforeIssue(house, async () => {
      times += 1;
      await house.tokens.update('A1', { secrets: { seed: vault.seal(KEY, 'seed', 'A1') } }, ACT);
    });
    const asking = house.ocra.requestChallenge(admin, { serial: 'A1' });
    expect((await eventualRefusal(asking)).code).toBe('token.state');
    expect(times).toBe(4);
    expect(await house.held.acts()).toEqual([]);
  });
});
