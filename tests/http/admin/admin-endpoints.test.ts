import { beforeAll, describe, expect, it } from '@jest/globals';
import request, { type Response, type Test } from 'supertest';
import {
  applicationOfTests,
  openSession,
  AS_ADMIN,
  OPERATOR,
  PASSWORD,
} from '../../support/application/test-application.ts';
import { basic } from '../../support/values/callers.ts';
import { readQrCode } from '../../support/values/qr-code.ts';

const CODE = 'GEZDGNBVGY3TQOJQ01';
const KEY = '31'.repeat(32);

const proxied = applicationOfTests({ trustProxy: ['loopback'] });
beforeAll(() => proxied.services.administrators.add(OPERATOR, 'other', 'battery staple'));

interface Shown {
  readonly detail: Readonly<Record<string, string>> & {
    readonly ocraurl: { readonly img: string };
    readonly otpkey?: { readonly img: string };
  };
}

async function init(given: Readonly<Record<string, string>>): Promise<Response> {
  return proxied.asAdmin('/admin/init', { type: 'ocra', ...given });
}

async function shown(given: Readonly<Record<string, string>>): Promise<Shown['detail']> {
  return ((await init(given)).body as Shown).detail;
}

const urlOf = (value: unknown): object => ({
  img: expect.anything(),
  order: '0',
  value,
  description: 'URL for OCRA token',
});

function pictureText(html: string | undefined): string | undefined {
  return readQrCode(Buffer.from(/base64,([\w+/=]+)/.exec(html ?? '')?.[1] ?? '', 'base64'));
}

describe('/admin/init', () => {
  const phase1 = { serial: 'ROLL', genkey: '1', sharedsecret: '1' };
  const phase2 = { serial: 'ROLL', genkey: '1', activationcode: CODE, message: 'm' };

  it('shows the shared secret of phase 1 as text, URL and picture, and nonce and first challenge of phase 2', async () => {
    const response = await init(phase1);
    expect(Object.keys(response.body as object)).toEqual(['version', 'jsonrpc', 'result', 'id', 'detail']);
    expect(response.body).toHaveProperty('result', { status: true, value: true });
    const { detail } = response.body as Shown;
    expect(detail).toEqual({
      app_import: expect.stringMatching(/^lseqr:\/\/init\?sh=/),
      serial: 'ROLL',
      ocraurl: urlOf(detail.app_import),
      sharedsecret: expect.stringMatching(/^[0-9a-f]{40}$/),
    });
    expect(pictureText(detail.ocraurl.img)).toBe(detail.app_import);
    const second = await shown(phase2);
    expect(second).toEqual({
      serial: 'ROLL',
      nonce: expect.stringMatching(/^[0-9a-f]+$/),
      transactionid: expect.stringMatching(/^[0-9a-f]{20}$/),
      challenge: expect.any(String),
      url: '',
      signature: expect.stringMatching(/^[0-9a-f]+$/),
      app_import: expect.stringMatching(/^lseqr:\/\/nonce\?/),
      ocraurl: urlOf(second.app_import),
    });
    expect(pictureText(second.ocraurl.img)).toBe(second.app_import);
  });

  it('shows the key of a plain token', async () => {
    const { otpkey, ...detail } = await shown({ serial: 'PLAIN', otpkey: KEY });
    expect(detail).toEqual({ serial: 'PLAIN', ocraurl: { ...urlOf(null), img: '' } });
    const value = `seed://${KEY}`;
    expect(otpkey).toEqual({ img: expect.anything(), order: '1', value, description: 'OTP seed' });
    expect(pictureText(otpkey?.img)).toBe(value);
  });

  it.each([
    ['phase 1', phase1, /^lseqr:\/\/init\?/, 'sharedsecret'],
    ['phase 2', phase2, /^lseqr:\/\/nonce\?/, 'transactionid'],
    ['a plain token', { serial: 'PLAIN', otpkey: KEY }, /^seed:\/\//, 'otpkey'],
  ])('draws the QR code of %s alone or on a page', async (_what, given, text, fact) => {
    const png = await request(proxied.app)
      .post('/admin/init')
      .query({ type: 'ocra', ...given, qr: 'png' })
      .set(AS_ADMIN)
      .responseType('blob');
    expect(readQrCode(png.body as Buffer)).toMatch(text);
    const page = await init({ ...given, qr: 'html' });
    expect(pictureText(page.text)).toMatch(text);
    expect(page.text).toContain(`<span class="${fact}">`);
  });
});

describe('a session of the clients of LinOTP 2', () => {
  const READ = '/monitoring/license';
  const open = (headers: Record<string, string>): Test =>
    request(proxied.app).get('/admin/getsession').set(headers);
  const end = (session: string, headers: Record<string, string>): Test =>
    request(proxied.app).get('/admin/dropsession').query({ session }).set(headers);
  const isOpen = async (session: string): Promise<boolean> => {
    const sent = request(proxied.app).get(READ).query({ session });
    return (await sent.set('Cookie', `admin_session=${session}`)).status === 200;
  };

  it.each(['get', 'post'] as const)('is opened by the password and closed by itself (%s)', async (method) => {
    const opened = await request(proxied.app)[method]('/admin/getsession').set(AS_ADMIN);
    expect(opened.body).toHaveProperty('result', { status: true, value: true });
    const [cookie = '', ...others] = opened.get('Set-Cookie') ?? [];
    expect(others).toEqual([]);
    const [, session = ''] =
      /^admin_session=([\w-]{43}); Path=\/; HttpOnly; SameSite=Strict$/.exec(cookie) ?? [];
    expect(opened.text).not.toContain(session);
    expect(await isOpen(session)).toBe(true);
    const closed = await proxied
      .send(`/admin/dropsession?session=${session}`, {}, method)
      .set('Cookie', `admin_session=${session}`);
    expect(closed.body).toHaveProperty('result', { status: true, value: true });
    expect(closed.get('Set-Cookie')?.[0]).toMatch(/^admin_session=; Path=\/; Max-Age=0; HttpOnly/);
    expect(await isOpen(session)).toBe(false);
  });

  it('has, in the dialect linotp, one cookie with the domain and one without, and for scripts by choice', async () => {
    const cookiesOf = async (host: string, http = {}): Promise<string[]> => {
      const { app } = proxied.restarted({ dialect: 'linotp', http });
      const opened = await request(app)
        .get('/admin/getsession')
        .set({ ...AS_ADMIN, Host: host });
      return (opened.get('Set-Cookie') ?? []).map((cookie) => cookie.replace(/=[\w-]{43}/, '=S'));
    };
    const rest = 'Path=/; HttpOnly; SameSite=Strict';
    await expect(cookiesOf('otp.example.com:443')).resolves.toEqual([
      `admin_session=S; Domain=otp.example.com; ${rest}`,
      `admin_session=S; ${rest}`,
    ]);
    await expect(cookiesOf('a;b')).resolves.toEqual([`admin_session=S; ${rest}`]);
    await expect(cookiesOf('127.0.0.1:5001', { sessionCookieHttpOnly: 'off' })).resolves.toEqual([
      'admin_session=S; Domain=127.0.0.1; Path=/; SameSite=Strict',
      'admin_session=S; Path=/; SameSite=Strict',
    ]);
  });

  it('is opened also with an old cookie in hand', async () => {
    const headers = { ...AS_ADMIN, Cookie: 'admin_session=old' };
    expect((await open(headers).query({ session: 'old' })).status).toBe(200);
  });

  it('is opened for no other credential', async () => {
    const { administrators } = proxied.services;
    const { session } = await openSession(administrators, 'admin', PASSWORD);
    const token = await proxied.apiToken('api', ['*']);
    for (const headers of [
      { Authorization: basic('admin', 'wrong') },
      { Authorization: `Bearer ${token}` },
      { Cookie: `admin_session=${session}` },
    ]) {
      const response = await open(headers).query({ session });
      expect(response.status).toBe(401);
      expect(response.get('Set-Cookie')).toBeUndefined();
    }
  });

  it.each(['https', 'HTTPS', 'Https, http'])('has a cookie for https alone behind %s', async (scheme) => {
    const headers = { ...AS_ADMIN, 'X-Forwarded-Proto': scheme };
    expect((await open(headers)).get('Set-Cookie')?.[0]).toMatch(/; Secure$/);
    const { app } = proxied.restarted({ trustProxy: [] });
    const direct = await request(app).get('/admin/getsession').set(headers);
    expect(direct.get('Set-Cookie')?.[0]).not.toContain('Secure');
  });

  it('is closed neither without its cookie or parameter, nor by another administrator', async () => {
    const { session } = await openSession(proxied.services.administrators, 'admin', PASSWORD);
    const Cookie = `admin_session=${session}`;
    expect((await request(proxied.app).get('/admin/dropsession').set({ Cookie })).status).toBe(401);
    expect((await end(session, {})).status).toBe(401);
    const Authorization = basic('other', 'battery staple');
    expect((await end(session, { Cookie, Authorization })).status).toBe(401);
    expect(await isOpen(session)).toBe(true);
  });
});

const SUITE = 'OCRA-1:HOTP-SHA256-8:C-QA64';
const POLICY = {
  name: 'ocra_allowance',
  scope: 'ocra',
  action: 'request, status, activationcode, calcOTP',
  realm: 'mydefrealm',
  user: 'ocra_admin',
  client: '*',
  time: '',
  active: true,
};
const RESOLVER = { name: 'myDefRes', type: 'passwd', fileName: '/etc/passwd' };
const DEFAULT_REALM = { name: 'mydefrealm', default: true, resolvers: ['myDefRes'] };

const application = applicationOfTests();

beforeAll(async () => {
  const { realms, settings, policies } = application.services;
  await application.setResolver(RESOLVER.name, 'passwd', { fileName: RESOLVER.fileName });
  await application.setResolver('myOtherRes', 'managed');
  await realms.set(OPERATOR, { name: 'mydefrealm', resolvers: ['myDefRes'] });
  await realms.set(OPERATOR, { name: 'myotherrealm', resolvers: ['myOtherRes'] });
  await realms.setDefault(OPERATOR, 'mydefrealm');
  await settings.set(OPERATOR, new Map([['errors', '77']]));
  await policies.set(OPERATOR, POLICY);
  await application.enrolPlain('FREE', SUITE);
  await application.enrolPlain('OWNED', SUITE, { user: 'root' });
});

const ask = async (path: string, given: Record<string, string>): Promise<unknown> =>
  (await application.asAdmin(path, given)).body;

/** @returns the configuration values that a request sets */
async function set(query: string, body: Readonly<Record<string, string>> | string): Promise<unknown> {
  const { settings } = application.services;
  const before = await settings.list();
  const sent = request(application.app).post(`/system/setConfig${query}`).type('form').send(body);
  expect((await sent.set(AS_ADMIN)).body).toHaveProperty('result.status', true);
  const values = [...(await settings.list())].filter(([key]) => !before.has(key));
  for (const [key] of values) {
    await settings.remove(OPERATOR, key);
  }
  return Object.fromEntries(values);
}

describe('what there is', () => {
  it.each([
    ['/system/getPolicy', { name: 'ocra_allowance' }, { ocra_allowance: POLICY }],
    ['/system/getResolvers', {}, { myDefRes: RESOLVER, myOtherRes: { name: 'myOtherRes', type: 'managed' } }],
    ['/system/getResolver', { resolver: 'myDefRes' }, RESOLVER],
    [
      '/system/getRealms',
      {},
      {
        mydefrealm: DEFAULT_REALM,
        myotherrealm: { name: 'myotherrealm', default: false, resolvers: ['myOtherRes'] },
      },
    ],
    ['/system/getDefaultRealm', {}, { mydefrealm: DEFAULT_REALM }],
    ['/system/getConfig', {}, expect.objectContaining({ errors: '77', OcraMaxChallenges: '4' })],
    ['/system/getConfig', { key: 'linotp.Errors' }, '77'],
    ['/system/getConfig', { key: 'nosuch' }, null],
  ] as const)('is shown: %s %j', async (path, given, value) => {
    expect(await ask(path, given)).toHaveProperty('result', { status: true, value });
  });

  it('of tokens is shown by page', async () => {
    const given = { user: 'root', viewrealm: 'mydefrealm', page: '1', pagesize: '2', outform: 'json' };
    expect(await ask('/admin/show', given)).toHaveProperty('result.value', {
      total: 1,
      page: 1,
      pagesize: 2,
      tokens: [
        {
          serial: 'OWNED',
          type: 'ocra',
          description: '',
          user: 'root',
          resolver: 'myDefRes',
          realms: ['mydefrealm'],
          active: true,
          failcount: 0,
          maxfail: 10,
          counter: '0',
          counterwindow: 10,
          syncwindow: 1000,
          ocrasuite: SUITE,
          rollout: 'complete',
          haspin: false,
          created: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
          lastsuccess: null,
          validfrom: null,
          validuntil: null,
          usecount: 0,
          maxuses: null,
          successcount: 0,
          maxsuccesses: null,
        },
      ],
    });
  });

  it.each([
    ['', ['FREE', 'OWNED']],
    ['*', ['FREE', 'OWNED']],
    ['mydefrealm,*', ['FREE', 'OWNED']],
    ['mydefrealm', ['OWNED']],
    ['/:no realm:/', ['FREE']],
  ])('of tokens in the viewrealm %j is %j', async (viewrealm, expected) => {
    const { result } = (await ask('/admin/show', { viewrealm })) as {
      result: { value: { tokens: { serial: string }[] } };
    };
    expect(result.value.tokens.map(({ serial }) => serial)).toEqual(expected);
  });
});

describe('a missing parameter', () => {
  it.each([
    ['/admin/assign', { serial: 'S' }, 'user'],
    ['/system/setPolicy', { name: 'n', scope: 's' }, 'action'],
    ['/system/setConfig', { key: 'errors' }, 'value'],
    ['/admin/check_serial', {}, 'serial'],
  ])('is named: %s %j lacks %s', async (path, given, name) => {
    const body = await ask(path, given);
    expect(body).toHaveProperty('result.error.code', 77);
    expect(body).toHaveProperty(
      'result.error.message',
      expect.stringMatching(new RegExp(`^ERR77: Usage: ${path.slice(1)}: .*Missing parameter '${name}'\\.$`)),
    );
  });

  it.each([
    ['/admin/token/show', 'serial'],
    ['/admin/webhook/test', 'name'],
  ])('is named without the usage where LinOTP had no such path: %s lacks %s', async (path, name) => {
    expect(await ask(path, {})).toHaveProperty('result.error.message', `ERR77: Missing parameter '${name}'.`);
  });
});

it.each([
  ['/system/setPolicy', { name: 'n', scope: 'ocra', action: '*', active: 'maybe' }],
  ['/system/setConfig', { key: 'k', value: 'v', type: 'password' }],
  ['/system/setConfig', { key: 'k', value: 'v', type: 'Encrypted_Data' }],
])('a parameter value that is not supported is refused: %s %j', async (path, given) => {
  expect(await ask(path, given as Record<string, string>)).toHaveProperty('result.error.code', -311);
});

describe('a setting of LinOTP', () => {
  const kept = async (): Promise<readonly string[]> => [
    ...(await application.services.settings.list()).keys(),
  ];

  it.each([
    ['DefaultResetFailCount', 'False', 'can only be True'],
    ['PassOnUserNotFound', 'True', 'PassOnUserNotFound can only be False here: '],
    ['PassOnUserNoToken', 'yes', 'PassOnUserNoToken can only be False here: '],
    ['FailCounterIncOnFalsePin', 'False', 'FailCounterIncOnFalsePin can only be True here: '],
    ['linotp.mayOverwriteClient', '10.1.2.3', 'TRUST_PROXY'],
    ['client.X_FORWARDED_FOR', 'True', 'TRUST_PROXY'],
    ['defaultBlockingTimeout', '30', 'no pause between challenges'],
    ['Ocra2MaxChallenges', '3', 'apply to ocra2 tokens'],
    ['sql_data_model_version', '2.9', 'describes the old server'],
    ['license', 'x', 'a licence'],
  ])('is refused with the reason where it would not be obeyed: %s=%s', async (key, value, reason) => {
    const before = await kept();
    for (const path of ['/system/setConfig', ...(/^default/i.test(key) ? ['/system/setDefault'] : [])]) {
      const answer = await ask(path, { OcraMaxChallenges: '3', [key]: value });
      expect(answer).toHaveProperty('result.status', false);
    }
    const alone = await ask('/system/setConfig', { key, value });
    expect(alone).toHaveProperty('result.error.message', expect.stringContaining(reason));
    expect(await kept()).toEqual(before);
  });

  it.each([
    ['/system/setConfig', 'SMSProviderTimeout', '300', 'SMSProviderTimeout'],
    ['/system/setConfig', 'client.FORWARDED', 'False', 'client.FORWARDED'],
    ['/system/setDefault', 'DefaultOtpLen', '6', 'DefaultOtpLen'],
    ['/system/setConfig', 'splitAtSgin', 'False', 'splitAtSgin'],
  ])('that has no effect is kept by %s, and the answer says so: %s=%s', async (path, key, value, reason) => {
    const answer = await ask(path, { [key]: value });
    expect(answer).toMatchObject({ result: { status: true } });
    expect(answer).toHaveProperty('detail.message', expect.stringContaining(reason));
    expect(await kept()).toContain(key);
    await application.services.settings.remove(OPERATOR, key);
  });

  it('that is obeyed is set by /system/setDefault, which takes no other one', async () => {
    const set = await ask('/system/setDefault', { DefaultMaxFailCount: '7', defaultsyncwindow: '50' });
    expect(set).toMatchObject({ result: { status: true, value: true } });
    expect(set).not.toHaveProperty('detail');
    expect(await kept()).toEqual(expect.arrayContaining(['DefaultMaxFailCount', 'DefaultSyncWindow']));
    const other = await ask('/system/setDefault', { DefaultMaxFailCount: '8', splitAtSign: 'False' });
    expect(other).toHaveProperty('result.error.message', expect.stringContaining('/system/setConfig'));
    for (const key of ['DefaultMaxFailCount', 'DefaultSyncWindow']) {
      await application.services.settings.remove(OPERATOR, key);
    }
  });
});

describe('/system/setConfig', () => {
  it('takes one value by its key, and no other parameter for a value', async () => {
    const given = { key: 'Own', value: '77', type: 'text', description: 'd' };
    expect(await set('', given)).toEqual({ Own: '77' });
  });

  it('takes the values of rules that nobody can change, as they are', async () => {
    const given = {
      FailCounterIncOnFalsePin: 'True',
      PassOnUserNoToken: 'False',
      PassOnUserNotFound: 'False',
    };
    expect(await set('', given)).toEqual(given);
  });

  it('never reads a credential as a value', async () => {
    const given = { csrf_token: 'b', Csrf_Token: 'c', httperror: '400', id: '7', Own: 'd' };
    expect(await set('', given)).toEqual({ Own: 'd' });
  });

  it('takes of a repeated key the last value, and the query before the body', async () => {
    expect(await set('?b=3', 'a=1&a=2&b=1')).toEqual({ a: '2', b: '3' });
  });
});
