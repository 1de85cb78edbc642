import { beforeAll, describe, expect, it } from '@jest/globals';
import { deriveTokenKey } from '../../../src/ocra/key-derivation.ts';
import { parseQrTanUrl } from '../../../src/ocra/qrtan-url.ts';
import { Argon2PasswordHasher } from '../../../src/users/password-hash.ts';
import { openDatabase } from '../../../src/database/database.ts';
import {
  applicationOfTests,
  TestApplication,
  wrongResponse,
} from '../../support/application/test-application.ts';
import { type ExpectedToken, expectedOf, importFixture, tokenOf } from '../../linotp/linotp-fixture.ts';

const expected = expectedOf('2.12.6-postgresql');
/** Half a minute after the last challenge of the fixture. */
const AFTER_THE_MOVE = new Date('2026-11-20T11:42:40Z');
const ACTIVATION_CODE = 'GEZDGNBVGY3TQOJQ01';

function keyOfToken({ seed_hex: hex }: ExpectedToken): Buffer {
  return Buffer.from(hex ?? '', 'hex');
}

describe('an installation imported from LinOTP 2.12.6', () => {
  const app = applicationOfTests();

  beforeAll(async () => {
    app.clock.set(AFTER_THE_MOVE);
    await importFixture(app.services, '2.12.6-postgresql');
  });

  function responseOf(serial: string, question: string, ahead = 0n): string {
    const token = tokenOf(expected, serial);
    const pin = token.pin.value ?? '';
    const response = app.respond(token.ocrasuite ?? '', question, {
      key: keyOfToken(token),
      counter: BigInt(token.counter) + ahead,
      pin: token.user_pin ?? '',
    });
    return pin + response;
  }

  function openChallengeOf(serial: string): { transaction_id: string; challenge?: string } {
    const open = expected.challenges.filter((one) => one.serial === serial && !one.received_tan);
    const [first] = open;
    if (first === undefined) {
      throw new Error(`${serial} has no open challenge`);
    }
    return first;
  }

  it('monitors the tokens of each realm as the old server counted them', async () => {
    for (const { name } of expected.realms) {
      const { body } = (await app.asAdmin(
        '/monitoring/tokens',
        { realms: name, status: 'active' },
        'get',
      )) as {
        body: { result: { value?: { Realms: Record<string, Record<string, number>> } } };
      };
      const tokens = expected.tokens.filter(({ realms }) => realms.includes(name));
      expect(body.result.value?.Realms[name]).toMatchObject({
        total: tokens.length,
        active: tokens.filter(({ active }) => active).length,
      });
    }
  });

  it('accepts the response to a challenge that LinOTP has issued, once', async () => {
    const { transaction_id: transaction, challenge = '' } = openChallengeOf('QR16');
    const pass = responseOf('QR16', challenge);
    expect(await app.check(transaction, pass)).toMatchObject({ result: true });
    expect(await app.check(transaction, pass)).toMatchObject({ result: false });
  });

  it('accepts the response to a new challenge, PIN included', async () => {
    const { transactionid, question } = await app.challenge('QR07', 'Hallo');
    const right = responseOf('QR07', question);
    const { value = '' } = tokenOf(expected, 'QR07').pin;
    expect(await app.check(transactionid, right.slice(value.length))).toMatchObject({ result: false });
    expect(await app.check(transactionid, right)).toMatchObject({ result: true });
  });

  it('counts a wrong response on the fail counter of before', async () => {
    const { failcount } = tokenOf(expected, 'QR15');
    const { transactionid, question } = await app.challenge('QR15');
    const wrong = wrongResponse(responseOf('QR15', question));
    expect(await app.check(transactionid, wrong)).toEqual({ result: false, failcount: failcount + 1 });
  });

  it('refuses a response to a token that LinOTP has locked', async () => {
    expect(tokenOf(expected, 'QR11').locked).toBe(true);
    const { transaction_id: transaction, challenge = '' } = openChallengeOf('QR11');
    expect(await app.check(transaction, responseOf('QR11', challenge))).toMatchObject({ result: false });
  });

  it('accepts no response again that LinOTP has accepted', async () => {
    const accepted = expected.challenges.find((one) => one.serial === 'QR07' && one.valid_tan);
    const pass = responseOf('QR07', accepted?.challenge ?? '', -1n);
    expect(await app.check(accepted?.transaction_id ?? '', pass)).toMatchObject({ result: false });
  });

  it('completes phase 2 of a roll-out whose phase 1 was before the move', async () => {
    const { shared_secret: secret, pin, ocrasuite } = tokenOf(expected, 'QR01');
    const { body } = (await app.asAdmin('/admin/init', {
      type: 'ocra',
      serial: 'QR01',
      genkey: '1',
      activationcode: ACTIVATION_CODE,
      message: 'Start',
    })) as { body: { detail: { transactionid?: string; app_import: string; nonce: string } } };
    const url = parseQrTanUrl(body.detail.app_import);
    if (url.kind !== 'nonce') {
      throw new Error('no URL of phase 2');
    }
    const key = Buffer.from(
      await deriveTokenKey({
        sharedSecret: Buffer.from(secret ?? '', 'hex'),
        activationCode: ACTIVATION_CODE,
        nonce: url.nonce,
      }),
    );
    const pass = (pin.value ?? '') + app.respond(ocrasuite ?? '', url.question, { key });
    expect(await app.check(url.transactionId, pass)).toMatchObject({ result: true });
    const { transactionid, question } = await app.challenge('QR01');
    const next = (pin.value ?? '') + app.respond(ocrasuite ?? '', question, { key, counter: 1n });
    expect(await app.check(transactionid, next)).toMatchObject({ result: true });
  });

  it('completes a phase 2 that was begun before the move', async () => {
    const { transaction_id: transaction, challenge = '' } = openChallengeOf('QR04');
    expect(await app.check(transaction, responseOf('QR04', challenge))).toMatchObject({ result: true });
  });

  it('says so when a token of a type is used that it cannot check', async () => {
    const answer = await app.asAdmin('/ocra/request', { serial: 'HM01', data: 'x' });
    expect(JSON.stringify(answer.body)).toMatch(/HM01.*(?:OCRA|ocra)/);
  });
});

describe('local administrators of LinOTP 3', () => {
  it('log in with the password of before', async () => {
    const app = await TestApplication.open({ hasher: new Argon2PasswordHasher() });
    try {
      const database = openDatabase({ connection: app.databaseUrl, applicationName: 'test' });
      await database.knex('administrators').delete();
      await database.close();
      await importFixture(app.services, '3.4.4-postgresql', { only: ['administrators'] });
      const { LinOTP_local_admins: passwords = {} } = expectedOf('3.4.4-postgresql').test_passwords;
      const login = (password: string) =>
        app.send('/admin/login', { username: 'helpdesk', password }).then(({ status }) => status);
      expect(await login(passwords.helpdesk ?? '')).toBe(200);
      expect(await login('another')).toBe(401);
      // The first login has replaced the hash; a repeated import does not bring the old one back.
      const { entries } = await importFixture(app.services, '3.4.4-postgresql', { only: ['administrators'] });
      expect(entries.find(({ name }) => name === 'helpdesk')).toMatchObject({ outcome: 'unchanged' });
      expect(await login(passwords.helpdesk ?? '')).toBe(200);
    } finally {
      await app.close();
    }
  });
});
