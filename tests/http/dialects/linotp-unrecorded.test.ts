import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TestApplication } from '../../support/application/test-application.ts';

/* Requests to the dialect linotp that differ a little from recorded ones, on the real database. */

const SHARED_SECRET = '61'.repeat(32);
const NONCE = '0123456789abcdef'.repeat(8);
let application: TestApplication;

beforeAll(async () => {
  application = await TestApplication.open({ dialect: 'linotp' });
  await application.addRealm('bank', ['root', 'eva@example.com']);
  await application.addRealm('shop', ['anna']);
});
afterAll(() => application.close());

interface Body {
  readonly result: { readonly value?: unknown; readonly error?: { readonly message: string } };
  readonly id: number;
}

async function ask(path: string, parameters: Record<string, string>): Promise<Body> {
  return (await application.asAdmin(path, parameters)).body as Body;
}

async function errorOf(path: string, parameters: Record<string, string>): Promise<string | undefined> {
  return (await ask(path, parameters)).result.error?.message;
}

describe('a removed policy', () => {
  // As CPython 2.7.18 orders a copied dict. With these names no two keys compete for a place in it, so which was there first does not matter.
  it.each([
    ['url2', ['time', 'realm', 'scope', 'action', 'client', 'active', 'user']],
    ['CheckURLPolicy_2', ['time', 'user', 'action', 'scope', 'active', 'realm', 'client']],
    ['self1', ['active', 'time', 'scope', 'client', 'user', 'action', 'realm']],
    ['otppin2', ['realm', 'action', 'user', 'client', 'active', 'scope', 'time']],
    ['pol1', ['user', 'client', 'active', 'time', 'realm', 'action', 'scope']],
  ])('%s is answered with its values in the order of Python 2', async (name, fields) => {
    await ask('/system/setPolicy', { name, scope: 'authentication', action: 'otppin=1', realm: 'bank' });
    const { text } = await application.asAdmin('/system/delPolicy', { name });
    expect(
      [...text.matchAll(/"linotp\.Policy\.([^.]+)\.([a-z]+)": true/g)].map((found) => found.slice(1)),
    ).toEqual(fields.map((field) => [name, field]));
  });
});

describe('checkstatus of a realm alone', () => {
  it.each([
    ['/ocra/checkstatus', { realm: 'bank' }],
    ['/ocra/checkstatus', { realm: 'nosuch' }],
    ['/ocra/checkstatus', { realm: 'bank', user: '' }],
    ['/ocra', { realm: 'bank' }],
  ])('finds nothing: %s %j', async (path, parameters) => {
    expect(await ask(path, parameters)).toMatchObject({
      result: { status: true, value: { values: [] } },
      id: 1,
    });
  });

  it('requires more where the realm is empty', async () => {
    const { result, id } = await ask('/ocra/checkstatus', { realm: ' ' });
    expect(result.value).toMatch(/^ERR77: Usage: ocra\/checkstatus: /);
    expect(id).toBe(0);
  });
});

describe('an unknown user', () => {
  const noUser = (login: string): string => `ERR1205: getUserId failed: no user >${login}< found!`;

  it.each([
    [{ user: 'root@nosuch' }, 'root'],
    [{ user: 'nobody@bank' }, 'nobody'],
    [{ user: 'nobody@shop@nosuch' }, 'nobody@shop'],
    [{ user: 'root', realm: 'nosuch' }, 'root'],
    [{ user: 'root@bank', realm: 'shop' }, 'root@bank'],
    [{ user: 'genkey@nosuch' }, 'genkey'],
  ])('is named by the login without the realm: %j', async (user, login) => {
    expect(await errorOf('/ocra/request', { ...user, data: 'x' })).toBe(noUser(login));
    expect(await errorOf('/admin/init', { ...user, type: 'ocra', genkey: '1' })).toBe(noUser(login));
    expect(await errorOf('/admin/disable', user)).toBe(noUser(login));
  });

  it('is not mistaken for one whose login has an @', async () => {
    expect(await errorOf('/ocra/request', { user: 'eva@example.com', data: 'x' })).toBe(
      "No token found: unable to create challenge for (u:u'eva@example.com',s:None)!",
    );
  });

  it('is named by the login, like a known one without a token', async () => {
    expect(await errorOf('/ocra/request', { user: 'root@bank', data: 'x' })).toBe(
      "No token found: unable to create challenge for (u:u'root',s:None)!",
    );
    const phase2 = { type: 'ocra', genkey: '1', activationcode: 'GEZDGNBVGY3TQOJQ01' };
    expect(await errorOf('/admin/init', { ...phase2, user: 'root@bank' })).toBe(
      "no token found for user: u'root' or serial: None",
    );
  });
});

describe('a wrong activation code', () => {
  const wrong = [
    ['GEZDGNBVGY3TQOJQ02', '[crypt:kdf2] activation code checksum error.'],
    ['01', '[crypt:kdf2] activation code checksum error.'],
    ['', '[crypt:kdf2] activation code checksum error.'],
    ['GEZDGNBVGY3TQOJQ0', "Error during decoding activation code: TypeError('Incorrect padding',)"],
    ['GEZDGNBVGY3TQOJQ', "Error during decoding activation code: TypeError('Incorrect padding',)"],
    ['1818181', "Error during decoding activation code: TypeError('Incorrect padding',)"],
    ['1234567802', "Error during decoding activation code: TypeError('Non-base32 digit found',)"],
    ['181818181818181800', "Error during decoding activation code: TypeError('Non-base32 digit found',)"],
  ] as const;

  it.each(wrong)(
    'is not quoted by calculateOtp, which names the fault: %j',
    async (activationcode, message) => {
      const given = { activationcode, sharedsecret: SHARED_SECRET, nonce: NONCE, challenge: 'abc' };
      expect(
        await ask('/ocra/calculateOtp', { ...given, ocrasuite: 'OCRA-1:HOTP-SHA256-6:C-QA64' }),
      ).toMatchObject({ result: { status: false, error: { message, code: -311 } }, id: 0 });
    },
  );

  it.each(wrong)(
    'is not quoted by the roll-out, which names the fault: %j',
    async (activationcode, message) => {
      await ask('/admin/init', { type: 'ocra', genkey: '1', sharedsecret: '1', serial: 'RO' });
      expect(
        await ask('/admin/init', { type: 'ocra', genkey: '1', activationcode, serial: 'RO' }),
      ).toMatchObject({ result: { status: false, error: { message, code: -311 } }, id: 1 });
    },
  );

  it('is not quoted on the page that httperror requests', async () => {
    const given = { type: 'ocra', genkey: '1', activationcode: 'GEZDGNBVGY3TQOJQ02', serial: 'RO' };
    const { status, text } = await application.asAdmin('/admin/init', { ...given, httperror: '444' });
    expect(status).toBe(444);
    expect(text).toContain('[LinOTP 2.12.6] -311: [crypt:kdf2] activation code checksum error.\n');
    expect(text).not.toContain('GEZDGNBVGY3TQOJQ');
  });
});

describe('invalid input of calculateOtp', () => {
  const given = {
    activationcode: 'GEZDGNBVGY3TQOJQ01',
    sharedsecret: SHARED_SECRET,
    nonce: NONCE,
    challenge: 'abc',
    ocrasuite: 'OCRA-1:HOTP-SHA256-6:C-QA64',
  };

  it.each([
    [{ challenge: '' }, "challenge is empty : ''"],
    [{ nonce: 'abc' }, 'Odd-length string'],
    [{ sharedsecret: 'zz' }, 'Non-hexadecimal digit found'],
    [{ no: 'abc' }, 'Odd-length string'],
    [{ no: 'zz' }, 'Non-hexadecimal digit found'],
    [{ ocrasuite: 'OCRA-1:HOTP-SHA256-6' }, 'need more than 2 values to unpack'],
    [{ ocrasuite: 'OCRA-1:HOTP-SHA256-6:QA64:x' }, 'too many values to unpack'],
    [{ ocrasuite: 'OCRA-1:HOTP-SHA256-11:QA64' }, "Invalid truncation length u'11'"],
    [{ ocrasuite: 'OCRA-1:HOTP-SHA256-6:QX08' }, "challenge description not in 'ANH'"],
  ])('is answered in the words of LinOTP: %j', async (parameters, message) => {
    expect(await ask('/ocra/calculateOtp', { ...given, ...parameters })).toMatchObject({
      result: { status: false, error: { message, code: -311 } },
      id: 0,
    });
  });
});

describe('a right that /monitoring misses', () => {
  const ENDPOINTS = ['tokens', 'userinfo', 'activeUsers', 'config', 'license', 'storageEncryption'];

  beforeAll(async () => {
    const policy = { name: 'others', scope: 'monitoring', action: '*', realm: '*', user: 'somebody_else' };
    await application.asAdmin('/system/setPolicy', policy);
  });

  const ask = async (endpoint: string, language: string): Promise<unknown> => {
    const { body } = (await application
      .send(`/monitoring/${endpoint}`, {}, 'get')
      .auth('admin', 'correct horse')
      .set('Accept-Language', language)) as { body: Body };
    return body.result.error;
  };

  it.each(ENDPOINTS)('is answered in German: %s', async (endpoint) => {
    expect(await ask(endpoint, 'de-DE,de;q=0.9,en;q=0.8')).toEqual({
      code: 410,
      message: `ERR410: Sie haben nicht die administrativen Rechte dies auszuführen. Es fehlt dazu eine Richtlinie mit scope=monitoring und action=${endpoint}`,
    });
  });

  it.each(['en', 'fr'])('is answered in English to a client that prefers %s', async (language) => {
    expect(await ask('tokens', language)).toEqual({
      code: 410,
      message:
        'ERR410: You do not have the administrative right to do this. You are missing a policy scope=monitoring, action=tokens',
    });
  });
});

describe('a client whose address of the server ends in a slash', () => {
  it.each(['//validate/check', '//validate/simplecheck', '//monitoring/config'])(
    'is answered at %s',
    async (path) => {
      const answer = await application.asAdmin(path, { user: 'root', realm: 'bank', pass: 'x' }, 'get');
      expect(answer.status).toBe(200);
    },
  );

  it.each(['//admin/show', '//system/getRealms', '//ocra/request'])(
    'finds nothing at %s, which a rule of a proxy may not know',
    async (path) => {
      expect((await application.asAdmin(path, {}, 'get')).status).toBe(404);
    },
  );
});
