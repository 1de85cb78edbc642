import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import request from 'supertest';
import { ServiceError } from '../../src/kernel/errors.ts';
import { AS_ADMIN, OPERATOR, TestApplication } from '../support/application/test-application.ts';

let application: TestApplication;
beforeAll(async () => {
  application = await TestApplication.open();
});
afterEach(() => {
  jest.restoreAllMocks();
});
afterAll(() => application.close());

describe('a failure of the service', () => {
  it.each([
    [
      new ServiceError('right.missing', 'No policy gives the right', {
        policy: { scope: 'ocra', action: 'request' },
        detail: 'topsecret detail',
      }),
      ...([200, 410, 'ERR410: You do not have the administrative right to do an ocra/request'] as const),
    ],
    [
      new ServiceError('user.unknown', 'no such user', { user: '<b>ä', login: '<b>ä' }),
      200,
      1205,
      'ERR1205: getUserId failed: no user ><b>ä< found!',
    ],
    [
      new ServiceError('token.ambiguous', 'More than one token', { login: 'anna', serials: ['A', 'B'] }),
      ...([200, -311, 'More than one token'] as const),
    ],
    [new ServiceError('security-module.unavailable', 'hsm not found!'), 200, 707, 'ERR707: hsm not found!'],
    [new ServiceError('database.unavailable', 'The database is away'), 503, -311, 'The database is away'],
    [new ServiceError('key.unavailable', 'The key k1 is not loaded'), 500, -311, 'The key k1 is not loaded'],
  ])('comes as %s', async (error, status, code, message) => {
    jest.spyOn(application.services.ocra, 'requestChallenge').mockRejectedValue(error);
    const response = await application.asAdmin('/ocra/request', { serial: 'x', data: 'x' });
    expect(response.status).toBe(status);
    expect(response.get('Content-Type')).toBe('application/json; charset=utf-8');
    expect(response.body).toHaveProperty('result', { status: false, error: { code, message } });
    expect(response.get('Retry-After')).toBe(status === 503 ? '5' : undefined);
    expect(response.text).not.toContain('topsecret');
  });
});

describe('an unexpected fault', () => {
  it('hides its details from the client and logs its position', async () => {
    const fault = Object.assign(new Error('select pass from tokens: topsecret'), { code: '42P01' });
    jest.spyOn(application.services.ocra, 'checkTransaction').mockRejectedValue(fault);
    const response = await application.send(
      '/ocra/check_t',
      { pass: 'topsecret', transactionid: 't' },
      'get',
    );
    expect(response.status).toBe(500);
    expect(response.body).toHaveProperty('result.error', { code: -311, message: 'Internal server error' });
    expect(application.lines).toContainEqual({
      level: 'error',
      message: 'request failed',
      fields: expect.objectContaining({
        requestId: response.get('X-Request-Id'),
        path: '/ocra/check_t',
        fault: 'Error 42P01',
        stack: expect.stringContaining('failures.test.ts'),
      }),
    });
    expect(application.logged.join()).not.toContain('topsecret');
  });
});

describe('httperror', () => {
  const statusFor = async (query: string): Promise<number> => {
    const response = await request(application.app).post(`/system/delConfig?${query}`).set(AS_ADMIN);
    expect(response.body).toHaveProperty('result.error.code', 77);
    return response.status;
  };

  it.each([
    ['httperror=444', 444],
    ['HTTPERROR=403', 403],
    ['httperror=200', 500],
    ['httperror=302%0d%0aLocation:x', 500],
    ['id=1', 200],
  ])('sets the status of an error, with the same body: %s', async (query, status) => {
    expect(await statusFor(query)).toBe(status);
  });

  it('applies to the codes that the configuration lists, if it lists any', async () => {
    const { settings } = application.services;
    for (const [errors, status] of [
      ['410, 77', 444],
      ['410,707', 200],
      ['', 444],
    ] as const) {
      await settings.set(OPERATOR, new Map([['errors', errors]]));
      expect(await statusFor('httperror=444')).toBe(status);
    }
  });

  it('leaves a success and a refusal as they are', async () => {
    const check = { pass: 'p', transactionid: 't', httperror: '500' };
    expect((await application.send('/ocra/check_t', check)).status).toBe(200);
    expect((await application.send('/monitoring/tokens', { httperror: '403' }, 'get')).status).toBe(401);
  });

  it('works also while the configuration cannot be read', async () => {
    jest.spyOn(application.services.configuration, 'current').mockRejectedValue(new Error('away'));
    expect((await application.send('/ocra/check_t', { httperror: '418' })).status).toBe(418);
  });
});

describe('the id of a request', () => {
  it.each([
    ['that nothing is there for', '/nothing', {}, '', 404],
    ['whose method is not allowed', '/healthz', {}, '', 405],
    ['that another site sent', '/ocra/request', { 'Sec-Fetch-Site': 'cross-site' }, '', 403],
    ['whose body cannot be read', '/ocra/check_t', { 'Content-Type': 'application/json' }, '{', 400],
    ['whose body is of no known kind', '/ocra/check_t', { 'Content-Type': 'text/plain' }, 'x', 415],
    ['whose body is too large', '/ocra/check_t', {}, `pass=${'x'.repeat(70_000)}`, 413],
  ])('comes back with the refusal of one %s', async (_what, path, headers, body, status) => {
    const response = await request(application.app).post(`${path}?id=42`).set(headers).send(body);
    expect(response.status).toBe(status);
    expect(response.body).toHaveProperty('id', 42);
  });

  it('is 1 where the query string is broken', async () => {
    const response = await request(application.app).get('/nothing?id=42&x=%zz');
    expect(response.body).toHaveProperty('id', 1);
  });
});
