import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { deriveTokenKey } from '../../../src/ocra/key-derivation.ts';
import { parseQrTanUrl, verifyQrTanSignature } from '../../../src/ocra/qrtan-url.ts';
import { parseOcraSuite } from '../../../src/ocra/suite.ts';
import { applicationOfTests, OPERATOR, wrongResponse } from '../../support/application/test-application.ts';
import { issuerLogo } from '../../support/values/qr-code.ts';

const SUITE = 'OCRA-1:HOTP-SHA256-8:C-QA64';
const CODE = 'GEZDGNBVGY3TQOJQ01';
const QRTANURL = 'https://bank.example/ocra/check_t';

type Detail = Readonly<Record<string, string>>;
interface Answer {
  readonly result: {
    readonly status: boolean;
    readonly value?: unknown;
    readonly error?: { code: number; message: string };
  };
  readonly detail?: Detail;
}

const application = applicationOfTests();
let user: string;
let number = 0;

beforeAll(async () => {
  await application.addRealm('bank');
  await application.setPolicy('url', 'authentication', `qrtanurl=${QRTANURL}`, { realm: 'bank' });
});

beforeEach(async () => {
  number += 1;
  user = `user${number}`;
  await application.addUser(user, 'bank');
});

async function init(parameters: Record<string, string>, method: 'get' | 'post' = 'post'): Promise<Answer> {
  return (await application.asAdmin('/admin/init', { type: 'ocra', genkey: '1', ...parameters }, method))
    .body as Answer;
}

const shown = (serial = '') => application.services.tokens.show(OPERATOR, serial);
const ACCEPTED = { failcount: 0, result: true };
const refused = (failcount: number): object => ({ failcount, result: false });

const phase1 = (more: Record<string, string> = {}): Promise<Answer> =>
  init({ user, sharedsecret: '1', ...more });
const phase2 = (more: Record<string, string> = {}): Promise<Answer> =>
  init({ user, activationcode: CODE, message: 'Welcome', ...more });

/** The token that the app makes of the two codes. */
async function app(
  first: Answer,
  second: Answer,
): Promise<{ key: Buffer; transactionid: string; answer: (counter: bigint) => string }> {
  const one = parseQrTanUrl(first.detail?.app_import ?? '');
  const two = parseQrTanUrl(second.detail?.app_import ?? '');
  if (one.kind !== 'init' || two.kind !== 'nonce') {
    throw new Error('these are not the two codes of a roll-out');
  }
  const key = Buffer.from(
    await deriveTokenKey({ sharedSecret: one.sharedSecret, activationCode: CODE, nonce: two.nonce }),
  );
  expect(verifyQrTanSignature(parseOcraSuite(one.suite), key, second.detail?.app_import ?? '')).toBe(true);
  return {
    key,
    transactionid: two.transactionId,
    answer: (counter) => application.respond(SUITE, two.question, { counter, key }),
  };
}

describe.each(['get', 'post'] as const)('a roll-out by %s', (method) => {
  it('takes two phases and one response', async () => {
    const first = await init({ user, sharedsecret: '1' }, method);
    expect(first.result).toEqual({ status: true, value: true });
    const serial = first.detail?.serial ?? '';
    expect(first.detail).toMatchObject({
      app_import: `lseqr://init?sh=${first.detail?.sharedsecret ?? ''}&os=OCRA-1%3AHOTP-SHA256-8%3AC-QA64&se=${serial}`,
      sharedsecret: expect.stringMatching(/^[0-9a-f]{40}$/),
      serial: expect.stringMatching(/^OCRA\d{4}[0-9A-F]{4}$/),
    });
    expect(await shown(serial)).toMatchObject({
      active: false,
      rollout: 'phase1',
      realms: ['bank'],
      owner: { login: user },
    });

    const second = await init({ user, activationcode: CODE, message: 'Grüße' }, method);
    expect(second.detail).toMatchObject({
      serial,
      url: QRTANURL,
      nonce: expect.stringMatching(/^[0-9a-f]{128}$/),
    });
    expect(await shown(serial)).toMatchObject({
      active: true,
      rollout: 'phase2',
    });

    const { transactionid, answer } = await app(first, second);
    expect(await application.check(transactionid, answer(0n))).toEqual(ACCEPTED);
    expect(await application.check(transactionid, answer(0n))).toEqual(refused(0));
    expect(await shown(serial)).toMatchObject({
      active: true,
      rollout: 'complete',
    });
  });
});

describe('roll-out phase 2', () => {
  it('accepts an activation code as people type it', async () => {
    const first = await phase1();
    const second = await phase2({ activationcode: 'gezd-gnbv-gy3t-q0jq-o1' });
    const { transactionid, answer } = await app(first, second);
    expect(await application.check(transactionid, answer(0n))).toEqual(ACCEPTED);
  });

  it.each(['GEZDGNBVGY3TQOJQ02', '1818181818181818', '', 'x'])(
    'refuses the activation code %j and changes nothing',
    async (code) => {
      const first = await phase1();
      const { result } = await phase2({ activationcode: code });
      expect(result).toMatchObject({ status: false, error: { code: -311 } });
      expect(await shown(first.detail?.serial)).toMatchObject({
        rollout: 'phase1',
      });
    },
  );

  it('falls back to phase 1 after three wrong responses, from where it can be started again', async () => {
    const first = await phase1();
    const serial = first.detail?.serial ?? '';
    const failed = await app(first, await phase2());
    for (const failcount of [1, 2, 3]) {
      expect(await application.check(failed.transactionid, wrongResponse(failed.answer(0n)))).toEqual(
        refused(failcount),
      );
    }
    expect(await shown(serial)).toMatchObject({
      active: false,
      rollout: 'phase1',
    });
    expect(await application.check(failed.transactionid, failed.answer(0n))).toEqual(refused(3));

    const again = await app(first, await phase2());
    expect(again.key).not.toEqual(failed.key);
    expect(await shown(serial)).toMatchObject({ failCount: 0 });
    expect(await application.check(again.transactionid, again.answer(0n))).toEqual(ACCEPTED);
    expect(await shown(serial)).toMatchObject({ rollout: 'complete' });
  });

  it('may be repeated while it is open: only the last code counts', async () => {
    const first = await phase1();
    const lost = await app(first, await phase2());
    const shown = await app(first, await phase2());
    expect(await application.check(lost.transactionid, lost.answer(0n))).toMatchObject({ result: false });
    expect(await application.check(shown.transactionid, shown.answer(0n))).toEqual(ACCEPTED);
  });

  it('is refused once the roll-out is complete', async () => {
    const first = await phase1();
    const { transactionid, answer } = await app(first, await phase2());
    await application.check(transactionid, answer(0n));
    expect((await phase2()).result.error?.message).toContain('no token in roll-out');
    const bySerial = await phase2({ user: '', serial: first.detail?.serial ?? '' });
    expect(bySerial.result.error?.message).toContain('not in roll-out');
  });

  it('requires the serial where a user has two tokens in roll-out', async () => {
    const [one, two] = [await phase1(), await phase1()];
    expect((await phase2()).result.error?.message).toMatch(
      /^Multiple tokens found in roll-out state: 'OCRA\w{8}', 'OCRA\w{8}'$/,
    );
    const second = await phase2({ serial: two.detail?.serial ?? '' });
    expect(second.detail?.serial).toBe(two.detail?.serial);
    expect(one.detail?.serial).not.toBe(two.detail?.serial);
  });

  it('sets the token PIN that comes with it', async () => {
    const { transactionid, answer } = await app(await phase1(), await phase2({ pin: '0815' }));
    expect(await application.check(transactionid, answer(0n))).toEqual(refused(1));
    expect(await application.check(transactionid, `0815${answer(0n)}`)).toEqual(ACCEPTED);
  });
});

describe('enrolment', () => {
  it('in phase 1 answers nothing yet, and no guess counts', async () => {
    const first = await phase1();
    const { transactionid } = await application.challenge(first.detail?.serial ?? '');
    expect(await application.check(transactionid, '12345678')).toEqual(refused(0));
  });

  it('of a serial that exists keeps owner and realm, and takes the new key', async () => {
    const serial = `AGAIN${number}`;
    const [suite, key] = ['OCRA-1:HOTP-SHA1-6:QN08', Buffer.alloc(20, 0x31)];
    await init({ user, serial });
    await init({ serial, genkey: '', otpkey: key.toString('hex'), ocrasuite: suite });
    const kept = { owner: { login: user }, realms: ['bank'] };
    expect(await shown(serial)).toMatchObject({ ...kept, algorithm: suite });
    const { transactionid, question } = await application.challenge(serial);
    const tan = application.respond(suite, question, { key });
    expect(await application.check(transactionid, tan)).toEqual(ACCEPTED);
  });

  it.each<[string, Record<string, string>, number]>([
    ['an unknown user', { user: 'nobody', sharedsecret: '1' }, 1205],
    ['an unknown realm', { realm: 'nowhere', sharedsecret: '1' }, -311],
    ['a wrong suite', { ocrasuite: 'OCRA-2:HOTP-SHA1-6:QN08' }, -311],
    ['a serial with a wildcard', { serial: 'OCRA*' }, -311],
    ['key and genkey', { otpkey: '31'.repeat(20) }, -311],
    ['no key at all', { genkey: '0' }, 77],
    ['a type that is not served', { type: 'sms' }, -311],
    ['a PIN that is too long', { pin: 'p'.repeat(256) }, -311],
    ['an OCRA PIN that is too long', { ocrapin: 'p'.repeat(256) }, -311],
    ['a description with a line end', { description: 'a\nb' }, -311],
    ['neither user nor serial in phase 2', { activationcode: CODE }, 77],
    ['an unknown serial in phase 2', { activationcode: CODE, serial: 'NOSUCH' }, -311],
  ])('refuses %s, with a clear error and nothing stored', async (_, parameters, code) => {
    const before = (await application.services.tokens.list(OPERATOR, {})).length;
    const { result } = await init(parameters);
    expect(result).toMatchObject({ status: false, error: { code } });
    expect((await application.services.tokens.list(OPERATOR, {})).length).toBe(before);
  });

  it('leaves no PIN and no seed in the log', async () => {
    const first = await phase1({ pin: 'PIN-4711' });
    const second = await phase2({ pin: 'PIN-4711' });
    const { transactionid, answer } = await app(first, second);
    const response = answer(0n);
    expect(await application.check(transactionid, `PIN-4712${response}`)).toMatchObject({ result: false });
    expect(await application.check(transactionid, `PIN-4711${response}`)).toMatchObject({ result: true });
    const log = application.logged.join('\n');
    const { sharedsecret = '-' } = first.detail ?? {};
    const { nonce = '-' } = second.detail ?? {};
    for (const secret of ['PIN-4711', 'PIN-4712', CODE, response, sharedsecret, nonce]) {
      expect(log).not.toContain(secret);
    }
    expect(log).toContain('/ocra/check_t');
  });
});

describe('a challenge', () => {
  it('carries the URL of the policy, and none where no policy covers the token', async () => {
    const first = await phase1();
    const challenge = await application.challenge(first.detail?.serial ?? '', 'Pay & go = 50% ü?');
    expect(parseQrTanUrl(challenge.url)).toMatchObject({
      callbackUrl: QRTANURL,
      message: 'Pay & go = 50% ü?',
    });
    const serial = `NOREALM${number}`;
    await application.enrolPlain(serial, SUITE);
    const { url } = await application.challenge(serial);
    expect(parseQrTanUrl(url)).toMatchObject({ callbackUrl: '' });
    const warned = application.logged.filter((line) => line.includes('action qrtanurl'));
    expect(warned).toEqual([expect.stringContaining(serial)]);
  });

  it('carries the URL of the policy for the requesting client', async () => {
    const realm = `clients${number}`;
    await application.addRealm(realm);
    for (const [name, client] of [
      ['here', '127.0.0.0/8, ::1'],
      ['there', '203.0.113.0/24'],
    ] as const) {
      const action = `qrtanurl=https://${name}.example/`;
      await application.setPolicy(name, 'authentication', action, { realm, client });
    }
    const serial = `CLIENTS${number}`;
    await application.enrolPlain(serial, SUITE, { realm });
    const { url } = await application.challenge(serial, 'x');
    expect(parseQrTanUrl(url)).toMatchObject({ callbackUrl: 'https://here.example/' });
  });

  it('is refused where two policies name different URLs for one token', async () => {
    const realm = `branch${number}`;
    await application.addRealm(realm);
    await application.setPolicy('branch', 'authentication', 'qrtanurl=https://branch.example/', { realm });
    const serial = (await phase1()).detail?.serial ?? '';
    await application.services.tokens.setRealms(OPERATOR, { serial, realms: ['bank', realm] });
    const { error } = await application.ask('/ocra/request', { serial, data: '' });
    expect(error).toEqual({ code: -311, message: expect.stringContaining('qrtanurl') });
    await application.services.policies.remove(OPERATOR, 'branch');
  });

  it('with data that no QR code can carry is refused, and none is issued', async () => {
    const serial = (await phase1()).detail?.serial ?? '';
    const { error } = await application.ask('/ocra/request', { serial, data: 'x'.repeat(2800) });
    expect(error?.message).toContain('too long for a QR code');
    expect(await application.status({ serial })).toEqual([]);
  });

  it('for a user with two tokens, with none, or for a token of another type is an error with a text of its own', async () => {
    const request = async (parameters: Record<string, string>): Promise<unknown> =>
      (await application.ask('/ocra/request', { data: '', ...parameters })).error?.message;
    expect(await request({ user })).toBe(`No token found for the user '${user}'`);
    await phase1();
    await phase1();
    expect(await request({ user: `${user}@bank` })).toBe(
      `More than one token found for the user '${user}': name its serial`,
    );
    expect(await request({ serial: 'NOSUCH' })).toBe("No token found with the serial 'NOSUCH'");
    expect(await request({ serial: '*' })).toBe("No token found with the serial '*'");
    expect(await request({ user: '*' })).toBe('ERR1205: getUserId failed: no user >*< found!');
  });
});

describe('the issuer of the policies', () => {
  const logo = issuerLogo();
  const issuerOf = async (): Promise<unknown> => {
    const serial = randomUUID();
    await phase1({ serial });
    const url = parseQrTanUrl((await phase2({ serial })).detail?.app_import ?? '');
    return url.kind === 'nonce' ? url.issuer : undefined;
  };
  const setPolicy = (name: string, action: string): Promise<unknown> =>
    application.setPolicy(name, 'authentication', action, { realm: 'bank' });

  it('is in the signed code of the second phase, and in no other', async () => {
    expect(await issuerOf()).toBeUndefined();
    await setPolicy('issuer', `issuer="Bank, Muster & Söhne", issuerlogo=${logo}`);
    expect(await issuerOf()).toEqual({ name: 'Bank, Muster & Söhne', logo });
    await setPolicy('other', 'issuer=Otherbank');
    expect(await issuerOf()).toBeUndefined();
  });

  it.each([
    ['issuerlogo=https://bank.example/logo.png', /a PNG picture/],
    ['issuer="two\u202E"', /a name of at most 40/],
  ])('is refused by the policy that says %s', async (action, message) => {
    await expect(setPolicy('wrong', action)).rejects.toThrow(message);
  });
});
