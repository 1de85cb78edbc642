import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { AS_ADMIN, OPERATOR, TestApplication } from '../../support/application/test-application.ts';

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

let application: TestApplication;

beforeAll(async () => {
  application = await TestApplication.open();
  const { resolvers, realms, settings, policies } = application.services;
  const { name, fileName } = RESOLVER;
  await resolvers.set(OPERATOR, { name, kind: 'passwd', settings: { fileName } });
  await resolvers.set(OPERATOR, { name: 'myOtherRes', kind: 'managed', settings: {} });
  await realms.set(OPERATOR, { name: 'mydefrealm', resolvers: ['myDefRes'] });
  await realms.set(OPERATOR, { name: 'myotherrealm', resolvers: ['myOtherRes'] });
  await realms.setDefault(OPERATOR, 'mydefrealm');
  await settings.set(OPERATOR, new Map([['errors', '77']]));
  await policies.set(OPERATOR, POLICY);
  await application.enrolPlain('FREE', SUITE);
  await application.enrolPlain('OWNED', SUITE, { user: 'root' });
});
afterAll(() => application.close());

async function ask(path: string, given: Record<string, string>): Promise<unknown> {
  return (await application.asAdmin(path, given)).body;
}

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
    ['/admin/assign', { user: 'u' }, 'serial'],
    ['/admin/tokenrealm', { serial: 'S' }, 'realms'],
    ['/system/setPolicy', { name: 'n', scope: 's' }, 'action'],
    ['/system/delPolicy', {}, 'name'],
    ['/system/setResolver', { name: 'n' }, 'type'],
    ['/system/getResolver', {}, 'resolver'],
    ['/system/delResolver', {}, 'resolver'],
    ['/system/setRealm', { realm: 'r' }, 'resolvers'],
    ['/system/delRealm', {}, 'realm'],
    ['/system/setConfig', { key: 'errors' }, 'value'],
    ['/system/delConfig', {}, 'key'],
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
    ['/admin/token', 'serial'],
    ['/system/webhooks/test', 'name'],
  ])('is named without the usage where LinOTP had no such path: %s lacks %s', async (path, name) => {
    expect(await ask(path, {})).toHaveProperty('result.error.message', `ERR77: Missing parameter '${name}'.`);
  });
});

describe('a parameter value that is not supported', () => {
  it.each([
    ['/admin/show', { outform: 'xml' }],
    ['/system/setPolicy', { name: 'n', scope: 'ocra', action: '*', active: 'maybe' }],
    ['/system/setConfig', { key: 'k', value: 'v', type: 'password' }],
    ['/system/setConfig', { key: 'k', value: 'v', type: 'Encrypted_Data' }],
  ])('is refused: %s %j', async (path, given) => {
    expect(await ask(path, given as Record<string, string>)).toHaveProperty('result.error.code', -311);
  });
});

describe('a setting of LinOTP', () => {
  const kept = async (): Promise<readonly string[]> => [
    ...(await application.services.settings.list()).keys(),
  ];

  it.each([
    ['DefaultResetFailCount', 'False', 'can only be True'],
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
    ['/system/setConfig', 'SMSProviderTimeout', '300', 'tokens of other types are kept, not checked'],
    ['/system/setConfig', 'client.FORWARDED', 'False', 'TRUST_PROXY'],
    ['/system/setDefault', 'DefaultOtpLen', '6', 'the suite of a token'],
    ['/system/setConfig', 'splitAtSgin', 'False', 'did you mean splitAtSign?'],
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

  it('never reads a credential as a value', async () => {
    const given = { csrf_token: 'b', Csrf_Token: 'c', httperror: '400', id: '7', Own: 'd' };
    expect(await set('', given)).toEqual({ Own: 'd' });
  });

  it('takes of a repeated key the last value, and the query before the body', async () => {
    expect(await set('?b=3', 'a=1&a=2&b=1')).toEqual({ a: '2', b: '3' });
  });
});
