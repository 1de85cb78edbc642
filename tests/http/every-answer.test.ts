import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { AS_ADMIN, TestApplication } from '../support/application/test-application.ts';

const CHECK = '/ocra/check_t?pass=p&transactionid=t';

let application: TestApplication;
beforeAll(async () => {
  application = await TestApplication.open();
});
afterAll(() => application.close());

describe('every answer', () => {
  it.each([
    ['a success', CHECK, 200],
    ['an error', '/ocra/check_t', 200],
    ['401', '/monitoring/tokens', 401],
    ['404', '/nothing', 404],
    ['400', '/ocra/check_t?pass=%', 400],
    ['a page', '/docs/monitoring-post', 200],
    ['health', '/healthz', 200],
  ])('is neither cached nor framed: %s', async (_what, path, status) => {
    const response = await request(application.app).get(path);
    expect(response.status).toBe(status);
    expect(response.headers).toMatchObject({
      'cache-control': 'no-store',
      pragma: 'no-cache',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'SAMEORIGIN',
      'content-security-policy': expect.stringContaining("script-src 'self'"),
    });
    expect(response.headers).not.toHaveProperty('x-powered-by');
    expect(response.headers).not.toHaveProperty('etag');
  });

  it("has the time of the service, not the machine's, to the second", async () => {
    for (const time of ['2031-02-03T04:05:06.789Z', '2031-02-03T04:05:07.001Z']) {
      application.clock.set(new Date(time));
      const { headers } = await application.send('/healthz', {}, 'get');
      expect(headers.date).toBe(new Date(time).toUTCString());
    }
  });

  it('is a whole answer, whatever the client claims to have', async () => {
    const response = await request(application.app)
      .get(CHECK)
      .set({ 'If-None-Match': '*', 'If-Modified-Since': 'Fri, 20 Nov 2099 10:00:00 GMT' });
    expect(response.status).toBe(200);
    expect(response.body).toHaveProperty('result.status', true);
  });

  it.each([
    ['abcdefgh-1.2_3', true],
    ['short', false],
    ['x'.repeat(65), false],
    ['with blank in it', false],
    ['<script>alert</script>', false],
  ])('carries the id of its request; %j is taken over: %s', async (id, taken) => {
    const response = await request(application.app).get('/healthz').set('X-Request-Id', id);
    expect(response.get('X-Request-Id')).toEqual(taken ? id : expect.stringMatching(/^[0-9a-f]{32}$/));
  });
});

describe('methods', () => {
  it.each([
    ['/ocra/check_t', 'GET, HEAD, POST, OPTIONS'],
    ['/ocra/request', 'GET, HEAD, POST, OPTIONS'],
    ['/admin/init', 'GET, HEAD, POST, OPTIONS'],
    ['/monitoring/tokens', 'GET, HEAD, POST, OPTIONS'],
    ['/healthz', 'GET, HEAD, OPTIONS'],
  ])('of %s are %s', async (path, allow) => {
    const { app } = application;
    const options = await request(app).options(path);
    expect(options.status).toBe(204);
    expect(options.get('Allow')).toBe(allow);
    expect(options.text).toBe('');
    for (const method of ['put', 'patch', 'delete', 'trace', 'propfind'] as const) {
      const response = await request(app)[method](path).set(AS_ADMIN);
      expect(response.status).toBe(405);
      expect(response.get('Allow')).toBe(allow);
      expect(response.body).toHaveProperty('result.error.code', -311);
    }
  });

  it('HEAD is GET without the body', async () => {
    const { app } = application;
    const get = await request(app).get(CHECK);
    const head = await request(app).head(CHECK);
    expect(head.status).toBe(200);
    expect(head.text).toBeUndefined();
    expect(head.get('Content-Length')).toBe(get.get('Content-Length'));
  });
});

describe('a path that does not exist', () => {
  it.each([
    '/',
    '/ocra/',
    '/ocra/check_t/',
    '/ocra/check_t/4711',
    '/OCRA/check_t',
    '/ocra/CHECK_T',
    '//ocra/check_t',
    '/ocra%2Fcheck_t',
    '/ocra/check_t%2F',
    '/ocra/check_t;x=1',
    '/%ff',
    '/%',
    '/ocra/getsession',
    '/monitoring',
    '/monitoring/tokens/x',
    '/__proto__',
    '/<script>alert(1)</script>',
  ])('is answered with 404 and an envelope: %s', async (path) => {
    const { app } = application;
    const response = await request(app).get(path).set(AS_ADMIN);
    expect(response.status).toBe(404);
    expect(response.get('Content-Type')).toBe('application/json; charset=utf-8');
    expect(response.body).toEqual({
      version: 'Tankeeper test',
      jsonrpc: '2.0',
      result: { status: false, error: { code: -311, message: 'There is nothing at this path' } },
      id: 1,
    });
  });
});

describe('a path with an id, as the other dialect takes it,', () => {
  it.each(['/ocra/checkstatus/%ff', '/ocra/check_t/%', '/admin/show/%c0%af'])(
    'is answered with 404 where it cannot be decoded, by both methods: %s',
    async (path) => {
      const { app, lines } = application.restarted({ dialect: 'linotp' });
      const nothing = await request(app).get('/ocra/nothing').set(AS_ADMIN);
      for (const response of [
        await request(app).get(path).set(AS_ADMIN),
        await request(app).post(path).set(AS_ADMIN),
      ]) {
        expect(response.status).toBe(404);
        expect(response.text).toBe(nothing.text);
      }
      expect(lines.filter(({ level }) => level === 'error')).toEqual([]);
    },
  );
});

describe('the id of an answer', () => {
  it.each([
    ['7', 7],
    ['-1', -1],
    ['9007199254740993', 1],
    ['x"}', 1],
  ])('is the parameter %j as %i, in success and error', async (id, shown) => {
    const { app } = application;
    expect((await request(app).get(CHECK).query({ id })).body).toHaveProperty('id', shown);
    expect((await request(app).get('/ocra/check_t').query({ id })).body).toHaveProperty('id', shown);
    expect((await request(app).get('/ocra/request').query({ id })).body).toHaveProperty('id', shown);
  });
});
