import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BoundedAdministrators } from '../../support/application/bounded-administrators.ts';
import { TestApplication } from '../../support/application/test-application.ts';

const SUITE = 'OCRA-1:HOTP-SHA256-8:C-QN08';

describe.each(['documented', 'linotp'] as const)('a client of LinOTP, in the dialect %s', (dialect) => {
  let application: TestApplication;
  let bounded: BoundedAdministrators;

  beforeAll(async () => {
    application = await TestApplication.open({ dialect });
    await application.addRealm('north', ['ann']);
    await application.addRealm('south', ['bob']);
    await application.enrolPlain('T1', SUITE, { user: 'ann', realm: 'north' });
    await application.enrolPlain('T2', SUITE, { user: 'bob', realm: 'south' });
    await application.enrolPlain('T3', 'OCRA-1:HOTP-SHA256-8:QN08-PSHA1');
    bounded = await BoundedAdministrators.of(application);
    await bounded.add('north-desk', 'show', 'north');
  });
  afterAll(() => application.close());

  interface Answer {
    readonly value?: unknown;
    readonly error?: { readonly message: string };
  }
  const ask = async (path: string, parameters: Record<string, string> = {}): Promise<Answer> => {
    const answer = await application.asAdmin(path, parameters, 'get');
    return (answer.body as { result: Answer }).result;
  };

  it('sees the owner of a token, in its own realms alone', async () => {
    expect((await ask('/admin/getTokenOwner', { serial: 'T1' })).value).toMatchObject({
      username: 'ann',
      realm: 'north',
      resolver: 'north',
    });
    expect((await ask('/admin/getTokenOwner', { serial: 'T3' })).value).toEqual({});
    const { text } = await bounded.get('north-desk', '/admin/getTokenOwner', { serial: 'T2' });
    expect(text).toContain('No token found with the serial');
    expect(text).not.toContain('bob');
  });

  it('learns whether a serial is free, in any case, and gets one that is', async () => {
    expect((await ask('/admin/check_serial', { serial: 'NEW' })).value).toEqual({
      unique: true,
      new_serial: 'NEW',
    });
    expect((await ask('/admin/check_serial', { serial: 't1' })).value).toEqual({
      unique: false,
      new_serial: 't1_01',
    });
    expect((await ask('/admin/check_serial', { serial: 'a b' })).error?.message).toContain('A serial has');
  });

  it('sets the PIN of a suite, and no PIN that tokens here lack', async () => {
    const set = (parameters: Record<string, string>) =>
      application.asAdmin('/admin/setPin', { serial: 'T3', ...parameters });
    expect((await set({ userpin: '42' })).text).toContain('"set userpin": 1');
    expect((await set({ userpin: '42', sopin: '1' })).text).toContain("'sopin' is not set");
  });

  it('reads which actions policies have, and the support', async () => {
    const { value, error } = await ask('/system/getPolicyDef');
    expect(error).toBeUndefined();
    expect(value).toHaveProperty('admin.show.type', 'bool');
    expect(value).toHaveProperty('authentication.otppin.type', 'str');
    expect((await ask('/system/getPolicyDef', { scope: 'ocra' })).value).toHaveProperty(
      'request.type',
      'bool',
    );
    expect((await ask('/system/getPolicyDef', { scope: 'x' })).error?.message).toContain(
      'The scope is one of',
    );
    expect((await ask('/system/getSupportInfo')).value).toEqual({});
    expect((await ask('/system/isSupportValid')).value).toBe(false);
  });

  it.each(['/maintenance/ok', '/maintenance/check_status', '/healthcheck/status'])(
    'gets the state from %s without a login',
    async (path) => {
      const { text, status } = await application.send(path, {}, 'get');
      expect(status).toBe(200);
      expect(text).toContain('"value": true');
    },
  );

  it.each([
    '/userservice/login',
    '/userservice',
    '/selfservice/index',
    '/manage/tokenview_flexi',
    '/manage/',
    '/gettoken/getotp',
    '/tools/migrate_resolver',
    '/admin/copyTokenPin',
    '/admin/losttoken',
    '/admin/testresolver',
    '/system/importPolicy',
    '/system/getPolicy/policy.cfg',
  ])('is told by an answer in JSON that %s is not served, and why', async (path) => {
    const answer = await application.send(path, {}, 'get');
    expect(answer.status).toBe(404);
    const { error } = (answer.body as { result: Answer }).result;
    expect(error?.message).toContain(`The path ${path} of LinOTP is not served: `);
  });

  it.each(['/nowhere', '/managers', '/toString', '/admin/constructor', '/userservices/x'])(
    'finds nothing at %s',
    async (path) => {
      expect((await application.send(path, {}, 'get')).status).toBe(404);
    },
  );
});
