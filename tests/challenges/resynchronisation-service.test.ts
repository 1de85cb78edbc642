import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { computeResponse } from '../../src/ocra/compute.ts';
import type { ResynchronisationRequest } from '../../src/challenges/resynchronisation-service.ts';
import { parseOcraSuite } from '../../src/ocra/suite.ts';
import { callerNamed } from '../support/values/callers.ts';
import { eventualRefusal } from '../support/application/eventual-refusal.ts';
import { ANNA, BERND, KEY, keyedToken, type OcraHouse, OcraSite } from '../support/database/ocra-house.ts';
import { ACT } from '../support/values/token-values.ts';

const admin = callerNamed('admin');
const SUITE = parseOcraSuite('OCRA-1:HOTP-SHA256-8:C-QN08');
const ASKED = { challenge1: '11111111', challenge2: '22222222' };

const site = new OcraSite();
beforeAll(() => site.open());
afterAll(() => site.close());

let house: OcraHouse;

beforeEach(async () => {
  house = await site.house({
    tokens: [
      keyedToken('A1', {
        ocraSuite: SUITE.text,
        owner: ANNA,
        realms: ['alpha'],
        failCount: 5,
        syncWindow: 50,
      }),
      keyedToken('B1', { ocraSuite: SUITE.text, owner: BERND, realms: ['beta'] }),
      keyedToken('P1', { ocraSuite: SUITE.text, rollout: 'phase1' }),
      keyedToken('E1', {
        secrets: { seed: null, sharedSecret: null, nonce: null, pin: null, ocraPin: null },
      }),
    ],
  });
});

function otp(question: string, counter: number): string {
  return computeResponse(SUITE, KEY, { question, counter: BigInt(counter) });
}

async function resync(request: Partial<ResynchronisationRequest>, caller = admin): Promise<boolean> {
  const otps = { otp1: otp('11111111', 30), otp2: otp('22222222', 31) };
  return house.resynchronisation.resync(caller, { ...otps, ...ASKED, ...request });
}

describe('a resynchronisation', () => {
  it('follows two consecutive responses, and leaves the fail counter', async () => {
    expect(await resync({ serial: 'A1' })).toBe(true);
    expect(await house.tokens.findBySerial('A1')).toMatchObject({ counter: 32n, failCount: 5 });
    expect(await resync({ serial: 'A1' })).toBe(false);
    const act = { ...ACT, actor: 'admin', action: 'token/resync', subject: 'A1' };
    expect(await house.held.acts()).toEqual([
      { ...act, outcome: 'done' },
      { ...act, outcome: 'refused' },
    ]);
  });

  it('finds the token by its user, in the realm that is named', async () => {
    expect(await resync({ user: 'anna' })).toBe(true);
    expect(await resync({ user: 'anna@alpha', serial: 'A1', otp1: '1', otp2: '2' })).toBe(false);
    expect((await eventualRefusal(resync({ user: 'anna', realm: 'beta' }))).code).toBe('user.unknown');
  });

  it('takes the questions of the last two challenges where none is named', async () => {
    const { question: before } = await house.ocra.requestChallenge(admin, { serial: 'A1' });
    const { question: last } = await house.ocra.requestChallenge(admin, { serial: 'A1' });
    const otps = { otp1: otp(before, 12), otp2: otp(last, 13) };
    expect(await resync({ serial: 'A1', ...otps, challenge1: undefined, challenge2: '' })).toBe(true);
    expect(await house.tokens.findBySerial('A1')).toMatchObject({ counter: 14n });
  });

  it.each([
    { challenge1: undefined, challenge2: undefined },
    { challenge1: '', challenge2: '' },
    { challenge2: '' },
    { challenge1: undefined },
  ])('lacks a question for %j', async (requested) => {
    await house.ocra.requestChallenge(admin, { serial: 'A1' });
    expect(await eventualRefusal(resync({ serial: 'A1', ...requested }))).toMatchObject({
      code: 'parameter.missing',
      message:
        'Two challenges are needed: put them to the token first, or name their questions by challenge1 and challenge2.',
    });
  });

  it.each([
    [{ serial: 'P1' }, 'token.not-ready', "The roll-out of the token 'P1' is not finished"],
    [{ serial: 'E1' }, 'token.not-ready', "The token 'E1' has no key to compute with"],
    [{ serial: 'X' }, 'token.unknown', "No token found with the serial 'X'"],
    [{}, 'parameter.missing', 'No token is named: neither a user nor a serial is given'],
  ])('is refused for %j', async (request, code, message) => {
    expect(await eventualRefusal(resync(request))).toMatchObject({ code, message });
  });

  it('takes the right to it; tokens and users of other realms are answered as if they were not there', async () => {
    const bound = callerNamed('bound');
    expect((await eventualRefusal(resync({ serial: 'A1' }, callerNamed('nobody')))).code).toBe(
      'right.missing',
    );
    expect(await eventualRefusal(resync({ serial: 'B1' }, bound))).toMatchObject({
      code: 'token.unknown',
      message: "No token found with the serial 'B1'",
    });
    expect((await eventualRefusal(resync({ user: 'carol', realm: 'beta' }, bound))).code).toBe(
      'user.unknown',
    );
    expect(await resync({ serial: 'A1' }, bound)).toBe(true);
  });

  it('takes that right and no other', async () => {
    for (const [action, may] of [
      ['resync', true],
      ['show', false],
    ] as const) {
      house = await site.house({
        tokens: [keyedToken('A1', { ocraSuite: SUITE.text, realms: ['alpha'] })],
        policies: [{ name: 'one', scope: 'admin', action, realm: '*', user: 'helper' }],
      });
      const done = resync({ serial: 'A1' }, callerNamed('helper')).catch(() => 'refused');
      expect(await done).toBe(may ? true : 'refused');
    }
  });

  it('does not go by one question that is named and one that is not', async () => {
    const { question: before } = await house.ocra.requestChallenge(admin, { serial: 'A1' });
    const { question: last } = await house.ocra.requestChallenge(admin, { serial: 'A1' });
    const otps = { otp1: otp(before, 12), otp2: otp(last, 13) };
    for (const requested of [
      { challenge1: before, challenge2: undefined },
      { challenge1: undefined, challenge2: last },
    ]) {
      const refused = await eventualRefusal(resync({ serial: 'A1', ...otps, ...requested }));
      expect(refused.code).toBe('parameter.missing');
    }
  });

  it('reports a token that has just been removed', async () => {
    house.resynchronisations.change = () => Promise.resolve(undefined);
    expect(await eventualRefusal(resync({ serial: 'A1' }))).toMatchObject({
      code: 'token.unknown',
      message: "No token found with the serial 'A1'",
    });
  });
});
