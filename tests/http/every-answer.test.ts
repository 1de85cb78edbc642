import { afterEach, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import request from 'supertest';
import type { z } from 'zod';
import { toServiceError } from '../../src/http/answer-failure.ts';
import { keepSignIn, readSignIn, SECOND_STEP } from '../../src/http/authentication/cookies.ts';
import type { AdministratorSpec } from '../../src/http/endpoint-spec.ts';
import { failureForm } from '../../src/http/failures.ts';
import { preferredLanguage, translate } from '../../src/http/messages.ts';
import { asciiJson } from '../../src/http/reply.ts';
import { addressUnavailable } from '../../src/http/serving/server.ts';
import { ServiceError } from '../../src/kernel/errors.ts';
import { applicationOfTests, AS_ADMIN, OPERATOR, PASSWORD } from '../support/application/test-application.ts';
import { anyText } from '../support/values/any-text.ts';

const CHECK = '/ocra/check_t?pass=p&transactionid=t';

const application = applicationOfTests();

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

it.each([
  '/',
  '/ocra/check_t/',
  '/OCRA/check_t',
  '//ocra/check_t',
  '/ocra%2Fcheck_t',
  '/ocra/check_t;x=1',
  '/%',
  '/monitoring',
  '/__proto__',
  '/<script>alert(1)</script>',
])('a path that does not exist is answered with 404 and an envelope: %s', async (path) => {
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

it.each(['/ocra/checkstatus/%ff', '/ocra/check_t/%', '/admin/show/%c0%af'])(
  'a path with an id, as the other dialect takes it, is answered with 404 where it cannot be decoded, by both methods: %s',
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

it.each([
  ['0', 0],
  ['7', 7],
  ['-1', -1],
  ['9007199254740991', 9007199254740991],
  ['9007199254740992', 1],
  ['9007199254740993', 1],
  ['1.5', 1],
  ['1e3', 1],
  ['0x10', 1],
  ['', 1],
  ['x"}', 1],
])('the id of an answer is the parameter %j as %i, in success and error', async (id, shown) => {
  const { app } = application;
  expect((await request(app).get(CHECK).query({ id })).body).toHaveProperty('id', shown);
  expect((await request(app).get('/ocra/check_t').query({ id })).body).toHaveProperty('id', shown);
  expect((await request(app).get('/ocra/request').query({ id })).body).toHaveProperty('id', shown);
});

afterEach(() => {
  jest.restoreAllMocks();
});

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
])('a failure of the service comes as %s', async (error, status, code, message) => {
  jest.spyOn(application.services.ocra, 'requestChallenge').mockRejectedValue(error);
  const response = await application.asAdmin('/ocra/request', { serial: 'x', data: 'x' });
  expect(response.status).toBe(status);
  expect(response.get('Content-Type')).toBe('application/json; charset=utf-8');
  expect(response.body).toHaveProperty('result', { status: false, error: { code, message } });
  expect(response.get('Retry-After')).toBe(status === 503 ? '5' : undefined);
  expect(response.text).not.toContain('topsecret');
});

it('an unexpected fault hides its details from the client and logs its position', async () => {
  const fault = Object.assign(new Error('select pass from tokens: topsecret'), { code: '42P01' });
  jest.spyOn(application.services.ocra, 'checkTransaction').mockRejectedValue(fault);
  const response = await application.send('/ocra/check_t', { pass: 'topsecret', transactionid: 't' }, 'get');
  expect(response.status).toBe(500);
  expect(response.body).toHaveProperty('result.error', { code: -311, message: 'Internal server error' });
  expect(application.lines).toContainEqual({
    level: 'error',
    message: 'request failed',
    fields: expect.objectContaining({
      requestId: response.get('X-Request-Id'),
      path: '/ocra/check_t',
      fault: 'Error 42P01',
      stack: expect.stringContaining('every-answer.test.ts'),
    }),
  });
  expect(application.logged.join()).not.toContain('topsecret');
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
    ['httperror=400', 400],
    ['httperror=599', 599],
    ['httperror=%20418%20', 418],
    ['httperror=302%0d%0aLocation:x', 500],
    ['httperror=399', 500],
    ['httperror=600', 500],
    ['httperror=4e2', 500],
    ['httperror=404.0', 500],
    ['httperror=', 500],
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

it('an address that cannot be used is told with the reason and the remedy', () => {
  const { message } = addressUnavailable(Object.assign(new Error('x'), { code: 'EACCES' }), '127.0.0.1', 443);
  expect(message).toMatch(/^.*127\.0\.0\.1 port 443: .*may not use the port.*from 1024 on/);
});

it('asciiJson can be read back, whatever the text, and is ASCII', () => {
  fc.assert(
    fc.property(anyText(), (text) => {
      const json = asciiJson({ text });
      expect(JSON.parse(json)).toEqual({ text });
      expect(json).toMatch(/^[\n -~]*$/);
    }),
  );
});

it.each(['EMFILE', 'ENFILE'])(
  'toServiceError makes a passing refusal of %s, also as the cause of another fault',
  (code) => {
    const fault = Object.assign(new Error('too many open files'), { code });
    for (const thrown of [fault, new Error('cannot open', { cause: fault })]) {
      const error = toServiceError(thrown);
      expect([error.code, failureForm(error.code).status]).toEqual(['server.busy', 503]);
    }
  },
);

it.each([
  [undefined, 'en'],
  ['DE-at', 'de'],
  ['de-DE,de;q=0.9,en;q=0.8', 'de'],
  ['en-US,en;q=0.9,de;q=0.1', 'en'],
  ['xx, de;q=0.2', 'de'],
  ['de;q=0.3, fr;q=0.7', 'fr'],
  ['de;q=0', 'en'],
  ['de ; q=0.5 , en ; q=0.4', 'de'],
  ['*', 'en'],
  ['de;q=2', 'en'],
  [',;=,;q', 'en'],
  [`${'xx,'.repeat(100_000)}de`, 'en'],
])('the language of an answer for Accept-Language %j is %s', (header, language) => {
  expect(preferredLanguage(header)).toBe(language);
});

describe('the catalogue of texts', () => {
  it('fills each place with its own value', () => {
    expect(translate('licence/exceeded', 'de', { licensed: 5, active: 17 })).toBe(
      'Volumen überschritten: 17 aktive Token gefunden > 5 lizensierte Token.',
    );
  });

  it("does not read a placeholder in a client's text", () => {
    expect(translate('right.missing/realms', 'de', { realms: "'{realms}$&'" })).toBe(
      "Sie haben nicht die notwendigen Rechte um diese Realms einzusehen: ['{realms}$&']. Überprüfen Sie die Richtlinien!",
    );
  });
});

type Requires = AdministratorSpec<z.ZodRawShape>['requires'];

it('an endpoint for administrators cannot be declared as one that anybody may call', () => {
  // @ts-expect-error -- no credential at all
  const nothing: Requires = 'nothing';
  // @ts-expect-error -- a link proves no administrator
  const link: Requires = 'link';
  // @ts-expect-error -- nor does a transaction
  const transaction: Requires = 'transaction';
  // @ts-expect-error -- nor a sign-in under way
  const signIn: Requires = 'sign-in';
  const possible: readonly Requires[] = ['credential', 'password', 'system:read'];
  expect(possible).not.toEqual(expect.arrayContaining([nothing, link, transaction, signIn]));
});

/** @returns the paths that an answer names, below which a proxy shows the server */
async function shownBelow(headers: Record<string, string>, changes = {}): Promise<readonly unknown[]> {
  const http = { documentedVersion: '1.2.3', ...changes };
  const { app } = application.restarted({ trustProxy: ['loopback'], http });
  const described = await request(app).get('/openapi.json').set(headers);
  const opened = await request(app)
    .get('/admin/getsession')
    .set({ ...AS_ADMIN, ...headers });
  const posted = await request(app)
    .post('/monitoring/license')
    .set({ ...AS_ADMIN, ...headers });
  const { servers } = described.body as { servers: { url: string }[] };
  const named = (pattern: RegExp, text = ''): string | undefined => pattern.exec(text)?.[1];
  return [
    ...servers.map(({ url }) => url),
    named(/Path=([^;]*)/, opened.get('Set-Cookie')?.[0]),
    named(/<([^>]*)>/, posted.get('Link')),
  ];
}

const ROOT = ['/', '/', '/docs/monitoring-post'];
const BELOW = ['/tan', '/tan/', '/tan/docs/monitoring-post'];

describe('a server below a path of a proxy', () => {
  it.each(['/tan', '/tan/', '/tan, /inner'])(
    'stays below the path that X-Forwarded-Prefix names: %s',
    async (prefix) => {
      await expect(shownBelow({ 'X-Forwarded-Prefix': prefix })).resolves.toEqual(BELOW);
    },
  );

  it('stays below the path of PUBLIC_URL, unless the proxy names another one', async () => {
    const changes = { publicUrl: 'https://example.com/tan' };
    await expect(shownBelow({}, changes)).resolves.toEqual(BELOW);
    await expect(shownBelow({ 'X-Forwarded-Prefix': '/' }, changes)).resolves.toEqual(ROOT);
    const other = BELOW.map((path) => path.replace('/tan', '/b/c'));
    await expect(shownBelow({ 'X-Forwarded-Prefix': '/b/c' }, changes)).resolves.toEqual(other);
  });

  const NOT_PLAIN = ['//evil.example', '/a//b', '/../x', '/a;b', '/a b', '/"><script>', 'tan', ''];
  it.each([...NOT_PLAIN, `/${'x'.repeat(300)}`])(
    'takes no prefix that is no plain path: %j',
    async (prefix) => {
      await expect(shownBelow({ 'X-Forwarded-Prefix': prefix })).resolves.toEqual(ROOT);
    },
  );

  it('takes no prefix of a client that is no trusted proxy', async () => {
    const { app } = application;
    const opened = await request(app)
      .get('/admin/getsession')
      .set({ ...AS_ADMIN, 'X-Forwarded-Prefix': '/tan' });
    expect(opened.get('Set-Cookie')?.[0]).toContain('; Path=/; ');
  });

  it('signs people in by cookies below its path, that no other host can plant', async () => {
    const headers = { 'X-Forwarded-Prefix': '/tan', 'X-Forwarded-Proto': 'https' };
    const { app } = application.restarted({ trustProxy: ['loopback'] });
    const form = { username: 'admin', password: PASSWORD };
    const right = await request(app).post('/admin/login').set(headers).type('form').send(form);
    const inside: unknown = expect.stringContaining('; Path=/tan/; ');
    expect(right.get('Set-Cookie')).toEqual([inside, inside]);
    const shown = { secure: true, host: 'x', prefix: '/tan' };
    expect(keepSignIn(SECOND_STEP, 's', new Date(0), shown)).toMatch(
      /^__Secure-sign_in=s; Path=\/tan\/; .*; Secure$/,
    );
    expect(readSignIn('__Secure-sign_in=s', SECOND_STEP, shown)).toBe('s');
  });
});
