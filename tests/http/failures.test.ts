import { describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { ServiceError } from '../../src/kernel/errors.ts';
import { AS_ADMIN, createTestApp } from '../support/application/http-app.ts';

const DENIED = new ServiceError('right.missing', 'No policy gives the right', {
  policy: { scope: 'ocra', action: 'request' },
  detail: 'topsecret detail',
});

describe('a failure of the domain', () => {
  it.each([
    [DENIED, 200, 410, 'ERR410: You do not have the administrative right to do an ocra/request'],
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
    const { app, fail } = createTestApp();
    fail('requestChallenge', error);
    const response = await request(app).get('/ocra/request?serial=x&data=x').set(AS_ADMIN);
    expect(response.status).toBe(status);
    expect(response.get('Content-Type')).toBe('application/json; charset=utf-8');
    expect(response.body).toHaveProperty('result', { status: false, error: { code, message } });
    expect(response.get('Retry-After')).toBe(status === 503 ? '5' : undefined);
    expect(response.text).not.toContain('topsecret');
  });
});

describe('an unexpected fault', () => {
  it('hides its details from the client and logs its position', async () => {
    const { app, fail, lines } = createTestApp();
    const fault = Object.assign(new Error('select pass from tokens: topsecret'), { code: '42P01' });
    fail('checkTransaction', fault);
    const response = await request(app).get('/ocra/check_t?pass=topsecret&transactionid=t');
    expect(response.status).toBe(500);
    expect(response.body).toHaveProperty('result.error', { code: -311, message: 'Internal server error' });
    expect(lines).toContainEqual({
      level: 'error',
      message: 'request failed',
      fields: expect.objectContaining({
        requestId: response.get('X-Request-Id'),
        path: '/ocra/check_t',
        fault: 'Error 42P01',
        stack: expect.stringContaining('failures.test.ts'),
      }),
    });
    expect(JSON.stringify(lines)).not.toContain('topsecret');
  });
});

describe('httperror', () => {
  const statusFor = async (query: string, errors?: string): Promise<number> => {
    const { app, fail, settings } = createTestApp();
    fail('requestChallenge', DENIED);
    if (errors !== undefined) {
      settings.set('errors', errors);
    }
    const response = await request(app)
      .post('/ocra/request')
      .set(AS_ADMIN)
      .type('form')
      .send(`serial=x&data=x&${query}`);
    expect(response.body).toHaveProperty('result.error.code', 410);
    return response.status;
  };

  it.each([
    ['httperror=444', 444],
    ['HTTPERROR=403', 403],
    ['httperror=599', 599],
    ['httperror=', 500],
    ['httperror=200', 500],
    ['httperror=999', 500],
    ['httperror=abc', 500],
    ['httperror=302%0d%0aLocation:x', 500],
    ['id=1', 200],
  ])('sets the status of an error, with the same body: %s', async (query, status) => {
    expect(await statusFor(query)).toBe(status);
  });

  it('applies to the codes that the configuration lists, if it lists any', async () => {
    expect(await statusFor('httperror=444', '77, 410')).toBe(444);
    expect(await statusFor('httperror=444', '77,707')).toBe(200);
    expect(await statusFor('httperror=444', '')).toBe(444);
  });

  it('leaves a success and a refusal as they are', async () => {
    const { app } = createTestApp();
    expect((await request(app).get('/ocra/check_t?pass=p&transactionid=t&httperror=500')).status).toBe(200);
    expect((await request(app).get('/monitoring/tokens?httperror=403')).status).toBe(401);
  });

  it('works also while the configuration cannot be read', async () => {
    const { app } = createTestApp(
      {},
      { configuration: { current: () => Promise.reject(new Error('away')) } },
    );
    expect((await request(app).get('/ocra/check_t?httperror=418')).status).toBe(418);
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
    const { app } = createTestApp();
    const response = await request(app).post(`${path}?id=42`).set(headers).send(body);
    expect(response.status).toBe(status);
    expect(response.body).toHaveProperty('id', 42);
  });

  it('is 1 where the query string is broken', async () => {
    const response = await request(createTestApp().app).get('/nothing?id=42&x=%ff');
    expect(response.body).toHaveProperty('id', 1);
  });
});
