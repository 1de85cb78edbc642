import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { Express } from 'express';
import { connect } from 'node:net';
import request from 'supertest';
import type { ChallengeService } from '../../../src/challenges/challenge-service.ts';
import { largeBodyGuard } from '../../../src/http/limits/guards.ts';
import { LimitReporter } from '../../../src/http/limits/limit-reporter.ts';
import { startServer } from '../../../src/http/serving/server.ts';
import type { PasswordHasher } from '../../../src/users/password-hash.ts';
import {
  applicationOfTests,
  openSession,
  AS_ADMIN,
  OPERATOR,
  PASSWORD,
  QUICK_HASHER,
  type TestApplication,
} from '../../support/application/test-application.ts';
import { sendRaw } from '../../support/application/raw-http.ts';
import { declaredEndpoints } from '../../support/description/declared-endpoints.ts';
import { deferred, until } from '../../support/values/until.ts';
import { container, keyPackage } from '../../support/values/pskc-documents.ts';

const FORM = 'application/x-www-form-urlencoded';
const JSON_TYPE = 'application/json';
const MULTIPART = 'multipart/form-data; boundary=b';
const PART = '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n\r\n';
const LOAD = '/admin/loadtokens';

/** Parts of bodies that have more than is read. */
const TOO_MUCH: readonly (readonly [contentType: string, sent: string, message: RegExp])[] = [
  [FORM, '&'.repeat(251), /more than 250 parameters/],
  [
    JSON_TYPE,
    JSON.stringify(Object.fromEntries(Array.from({ length: 251 }, (_, n) => [n, 1]))),
    /more than 250/,
  ],
  [JSON_TYPE, '['.repeat(59_000), /is not JSON/],
  [JSON_TYPE, `{"a":${'['.repeat(29_000)}${']'.repeat(29_000)}}`, /The member 'a' .* must be a text/],
  [MULTIPART, PART.repeat(251), /more than 250 parameters/],
  [MULTIPART, '--b\r\n\r\n\r\n'.repeat(251), /more than 250 parameters/],
];
const posted = declaredEndpoints().filter(({ methods }) => methods.includes('POST'));

const verified: string[] = [];
const hasher: PasswordHasher = {
  ...QUICK_HASHER,
  verify: async (hash, password) => {
    verified.push(password);
    const isRight = await QUICK_HASHER.verify(hash, password);
    // As hashing does, it lets the server read on.
    await new Promise(setImmediate);
    return isRight;
  },
};
const application = applicationOfTests({
  hasher,
  limits: { loginFailures: 1_000, clientFailures: 1_000, transactionFailures: 1_000 },
});
let app: Express;
/** Sees what the service is given. */
let checked: jest.SpiedFunction<ChallengeService['checkTransaction']>;

beforeAll(async () => {
  // Without one there are no paths of the account page.
  const opened = { name: 'self-service', scope: 'selfservice', action: 'show', realm: '*' };
  await application.services.policies.set(OPERATOR, opened);
  ({ app } = application);
  checked = jest.spyOn(application.services.ocra, 'checkTransaction');
});
afterEach(() => {
  checked.mockClear();
});

/** A request whose body is filled up with blanks. */
interface FilledRequest {
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly contentType?: string;
  /** The length that the header announces; undefined: one chunk. */
  readonly announced?: number | undefined;
  readonly sent?: string;
}

/** @returns the bytes that come back */
async function sendFilled(filled: FilledRequest, on = app): Promise<string> {
  const { path = LOAD, headers = AS_ADMIN, contentType = FORM, sent = '' } = filled;
  const { announced } = { announced: 60_000, ...filled };
  const length = announced === undefined ? 'Transfer-Encoding: chunked' : `Content-Length: ${announced}`;
  const fields = Object.entries({
    Host: 'x',
    Connection: 'close',
    'Content-Type': contentType,
    ...headers,
  }).map(([name, value]) => `${name}: ${value}`);
  const chunk = sent === '' ? '' : `${sent.length.toString(16)}\r\n${sent}\r\n`;
  const body = announced === undefined ? `${chunk}0\r\n\r\n` : sent.padEnd(announced);
  return sendRaw(on, `POST ${path} HTTP/1.1\r\n${[...fields, length].join('\r\n')}\r\n\r\n${body}`);
}

function expectRefusal(answer: string, status: number, message: string | RegExp): void {
  expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  const body = answer.slice(answer.indexOf('\r\n\r\n')).trim();
  // /validate/simplecheck answers every failure so.
  if (body === ':-/') {
    return;
  }
  expect((JSON.parse(body) as { result: unknown }).result).toMatchObject({
    status: false,
    error: { message: expect.stringMatching(message) },
  });
}

describe('a body', () => {
  it.each([
    ...['/ocra/check_t', LOAD].flatMap((path) => TOO_MUCH.map((part) => [path, ...part] as const)),
    ...posted.map(({ path }) => [path, FORM, 'a&'.repeat(251), /more than 250 parameters/] as const),
  ])('is refused where it holds too much: %s %s %#', async (path, contentType, sent, message) => {
    expectRefusal(await sendFilled({ path, contentType, sent }), 400, message);
    expectRefusal(await sendFilled({ path, contentType, sent, announced: undefined }), 400, message);
  });

  it.each(posted.map(({ path, large }) => [path, large?.bytes ?? 65_536] as const))(
    'is refused where its headers say that it cannot be read: %s, %i bytes',
    async (path, most) => {
      expectRefusal(await sendFilled({ path, announced: most + 1 }), 413, `larger than ${most} bytes`);
      expectRefusal(await sendFilled({ path, contentType: 'text/xml' }), 415, 'must be application/x-www');
      const compressed = { headers: { ...AS_ADMIN, 'Content-Encoding': 'gzip' } };
      expectRefusal(await sendFilled({ path, ...compressed }), 415, 'must not be compressed');
    },
  );

  it('may be large at two endpoints alone', () => {
    const large = posted.map(({ path, large }) => [path, large?.bytes] as const);
    const limits = Object.fromEntries(large.filter(([, bytes]) => bytes !== undefined));
    expect(limits).toEqual({ [LOAD]: 16_777_216, '/system/importPolicy': 262_144 });
  });

  it.each([
    ...[
      { Authorization: 'Basic eDp5' },
      { Authorization: 'Bearer tk_unknown' },
      { Cookie: 'admin_session=unknown' },
      { Cookie: 'access_token_cookie=unknown' },
    ].map((headers) => [LOAD, headers] as const),
    [LOAD, {}] as const,
  ])('is refused from an unauthenticated client: %s %j', async (path, headers) => {
    expectRefusal(await sendFilled({ path, headers }), 401, 'Not authenticated');
  });

  it('is refused where one byte more comes than is allowed', async () => {
    const sent = 'x'.repeat(65_537);
    const part = { path: '/ocra/check_t', announced: undefined, sent };
    expectRefusal(await sendFilled(part), 413, 'larger than 65536 bytes');
  });

  it('that is empty needs no type, even where only its end shows that', async () => {
    for (const contentType of [FORM, JSON_TYPE, MULTIPART, 'text/plain']) {
      const answer = await sendRaw(
        app,
        `POST /ocra/check_t?pass=p&transactionid=t HTTP/1.1\r\nHost: x\r\nContent-Type: ${contentType}\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      );
      expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    }
  });
});

describe('a password that comes with a body', () => {
  const head = `POST ${LOAD} HTTP/1.1\r\nHost: x\r\nAuthorization: ${AS_ADMIN.Authorization}\r\nContent-Type: ${FORM}\r\nConnection: close\r\nContent-Length: 6\r\n\r\n`;

  it('is verified once', async () => {
    verified.length = 0;
    expect(await sendRaw(app, `${head}file=x`)).toMatch(/^HTTP\/1\.1 200 /);
    expect(verified).toHaveLength(1);
  });

  it('is verified when the whole body has come', async () => {
    verified.length = 0;
    const server = await startServer(app, { host: '127.0.0.1', port: 0 });
    const socket = connect(server.port, '127.0.0.1');
    socket.write(`${head}file=`);
    await sendRaw(app, `${head}file=x`);
    expect(verified).toHaveLength(1);
    await application.services.administrators.setPassword(OPERATOR, 'admin', 'battery staple');
    socket.write('x');
    const answer = Buffer.concat((await socket.toArray()) as Buffer[]).toString('latin1');
    expect(answer).toMatch(/^HTTP\/1\.1 401 /);
    await application.services.administrators.setPassword(OPERATOR, 'admin', PASSWORD);
    await server.close(1_000);
  });
});

describe('an attacker', () => {
  const headOf = (path: string, length: string): string =>
    `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${AS_ADMIN.Authorization}\r\nContent-Type: ${FORM}\r\nConnection: close\r\n${length}\r\n\r\n`;
  const chunked = 'Transfer-Encoding: chunked';

  it('who sends each byte in a chunk of its own gets the answer to all of them', async () => {
    const body = `pass=p&transactionid=t&x=${'y'.repeat(30_000)}`;
    const chunks = body.replace(/./g, '1\r\n$&\r\n');
    const answer = await sendRaw(app, `${headOf('/ocra/check_t', chunked)}${chunks}0\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 200 [^]*"status": true/);
  });

  it.each([
    ['two lengths', 'Content-Length: 6\r\nContent-Length: 7', 'pass=p'],
    ['a length and chunks', `Content-Length: 6\r\n${chunked}`, '6\r\npass=p\r\n0\r\n\r\n'],
    ['a broken chunk', chunked, 'zz\r\npass=p\r\n0\r\n\r\n'],
  ])('who sends %s is refused with 400', async (_what, length, body) => {
    expect(await sendRaw(app, `${headOf('/ocra/check_t', length)}${body}`)).toMatch(/^HTTP\/1\.1 400 /);
  });

  it('who leaves in the middle of a large body gives its turn back', async () => {
    const server = await startServer(app, { host: '127.0.0.1', port: 0 });
    const socket = connect(server.port, '127.0.0.1');
    socket.write(`${headOf(LOAD, 'Content-Length: 70000')}file=`);
    const whole = `file=${'x'.repeat(70_000)}`;
    const next = sendRaw(app, `${headOf(LOAD, `Content-Length: ${whole.length}`)}${whole}`);
    socket.destroy();
    expect(await next).toMatch(/The key file /);
    await server.close(1_000);
  });
});

describe('the file of /admin/loadtokens', () => {
  const multipart = (fields: Readonly<Record<string, string>>): string =>
    Object.entries(fields)
      .map(([name, value]) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`)
      .concat('--b--\r\n')
      .join('');
  const sendWhole = (
    headers: Readonly<Record<string, string>>,
    fields: Readonly<Record<string, string>>,
    path = LOAD,
  ): Promise<string> => {
    const sent = multipart(fields);
    return sendFilled({ path, headers, contentType: MULTIPART, sent, announced: sent.length });
  };

  it('is not read from an API token without the right', async () => {
    const token = await application.apiToken('probe', ['monitoring:*']);
    const headers = { Authorization: `Bearer ${token}` };
    for (const announced of [16 * 1024 * 1024, undefined]) {
      expectRefusal(await sendFilled({ headers, announced }), 200, 'ERR410: This API token');
    }
  });

  it('may have the session or the value against forgery beside it, and before it where it is large', async () => {
    const { administrators, logins } = application.services;
    const { session } = await openSession(administrators, 'admin', PASSWORD);
    const { token = '', csrfToken = '' } = (await logins.login('admin', PASSWORD)) ?? {};
    const bySession = { Cookie: `admin_session=${session}` };
    const byLogin = { Cookie: `access_token_cookie=${token}` };
    const byBoth = { Cookie: `${byLogin.Cookie}; ${bySession.Cookie}` };
    const file = (serial: string): string => container({ packages: keyPackage({ serial }) });
    const large = (serial: string): string => `${file(serial)}${'<!-- -->'.repeat(9_000)}`;
    const loaded = /"imported": 1/;
    const refused = /^HTTP\/1\.1 401 /;
    expect(await sendWhole(bySession, { file: file('F1'), session })).toMatch(loaded);
    expect(await sendWhole(bySession, { file: file('F2'), session: 'x' })).toMatch(refused);
    expect(await sendWhole(bySession, { file: file('F2') })).toMatch(refused);
    expect(await sendWhole(byLogin, { file: file('F2'), csrf_token: csrfToken })).toMatch(loaded);
    expect(await sendWhole(byLogin, { file: file('F3'), csrf_token: 'x' })).toMatch(refused);
    expect(await sendWhole(byBoth, { file: file('F3'), session })).toMatch(loaded);
    expect(await sendWhole(bySession, { file: large('F4'), session })).toMatch(refused);
    expect(await sendWhole(bySession, { file: large('F4') }, `${LOAD}?session=${session}`)).toMatch(loaded);
    expect(await sendWhole(byLogin, { file: large('F5'), csrf_token: csrfToken })).toMatch(refused);
    expect(await sendWhole({ ...byLogin, 'X-CSRF-TOKEN': csrfToken }, { file: large('F5') })).toMatch(loaded);
  });

  it('is not stored for an API token that was revoked while it came', async () => {
    const { administrators } = application.services;
    const token = await application.apiToken('leaked', ['*']);
    const server = await startServer(app, { host: '127.0.0.1', port: 0 });
    const file = `file=${encodeURIComponent(container({ packages: keyPackage({ serial: 'F9' }) })).padEnd(70_000, '+')}`;
    const socket = connect(server.port, '127.0.0.1').setEncoding('latin1');
    const answered = new Promise<string>((resolve) => socket.once('data', resolve));
    const head = `POST ${LOAD} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: ${FORM}\r\nContent-Length: ${file.length}`;
    const admitted = jest.spyOn(administrators, 'authenticateApiToken');
    socket.write(`${head}\r\n\r\n${file.slice(0, 100)}`);
    await until(() => admitted.mock.calls.length > 0);
    expect(await admitted.mock.results[0]?.value).toBeDefined();
    await administrators.removeApiToken(OPERATOR, 'admin', 'leaked');
    socket.write(file.slice(100));
    expect(await answered).toMatch(/^HTTP\/1\.1 401 /);
    await server.close(1_000);
  });

  it('is read one at a time; a client that waits too long must come again, and small ones pass', async () => {
    const [held, loading] = [deferred<readonly string[]>(), deferred<undefined>()];
    const ignore = (): void => undefined;
    const refusals = new LimitReporter({
      metrics: { limitReached: ignore },
      log: { error: ignore, warn: ignore, info: ignore, debug: ignore },
      clock: application.clock,
    });
    const largeBodies = largeBodyGuard({ refusals, timeoutMs: 50 });
    const server = application.restarted({ guards: { largeBodies } });
    jest.spyOn(server.services.tokenImport, 'load').mockImplementation((_caller, { file }) => {
      loading.resolve(undefined);
      return file.length > 1 ? held.promise : Promise.resolve(['A']);
    });
    const whole = `file=${'x'.repeat(70_000)}`;
    const large = { sent: whole, announced: whole.length };
    const first = sendFilled(large, server.app);
    await loading.promise;
    for (const announced of [whole.length, undefined]) {
      const answer = await sendFilled({ announced }, server.app);
      expectRefusal(answer, 503, 'The server is busy with another large body');
      expect(answer).toMatch(/^Retry-After: 1\r$/m);
    }
    expect(await sendFilled({ sent: 'file=x', announced: 6 }, server.app)).toMatch(/"imported": 1/);
    held.resolve(['A']);
    expect(await first).toMatch(/"imported": 1/);
    expect(await sendFilled(large, server.app)).toMatch(/"imported": 1/);
  });

  it('is not large in JSON, which is parsed as a whole', async () => {
    const sent = JSON.stringify({ file: 'x'.repeat(65_536) });
    const answer = await sendFilled({ contentType: JSON_TYPE, sent, announced: sent.length });
    expectRefusal(answer, 413, 'The JSON body is larger than 65536 bytes');
  });

  it.each([
    ['a form', FORM, `file=x&realm=${'r'.repeat(65_536)}`],
    ['parts', MULTIPART, multipart({ file: 'x', realm: 'r'.repeat(65_536) })],
  ])('is all that may be large in %s', async (_what, contentType, sent) => {
    const answer = await sendFilled({ contentType, sent, announced: sent.length });
    expectRefusal(answer, 413, "The parameter 'realm' is larger than 65536 bytes");
  });
});

const CHECK = '/ocra/check_t';

function post(contentType: string, body: string | Buffer): request.Test {
  return request(application.app)
    .post(CHECK)
    .set('Content-Type', contentType)
    .serialize((value: string | Buffer) => value as string)
    .send(body);
}

/** @returns what the only check of a response was given */
function given(): unknown {
  expect(checked).toHaveBeenCalledTimes(1);
  return checked.mock.calls[0]?.[1];
}

describe('parameters', () => {
  it('come from query string and body together, and the query wins', async () => {
    await request(application.app).post(`${CHECK}?pass=query`).type('form').send('pass=body&transactionid=t');
    expect(given()).toEqual({ pass: 'query', transactionId: 't' });
  });

  it('are read in any case of letters, the last of a repeated name', async () => {
    await request(application.app).get(`${CHECK}?pass=1&PASS=2&Pass=3&TransActionId=t`);
    expect(given()).toEqual({ pass: '3', transactionId: 't' });
  });

  it('may be numbers and booleans in JSON, and null is not given', async () => {
    const response = await request(application.app)
      .post(CHECK)
      .send({ pass: 123456, transactionid: true, id: 42, httperror: null });
    expect(given()).toEqual({ pass: '123456', transactionId: 'true' });
    expect(response.body).toHaveProperty('id', 42);
  });

  it('may bear names that objects have, too', async () => {
    const body = '{"__proto__": "x", "constructor": "y", "pass": "p", "transactionid": "t"}';
    const response = await post('application/json', body).query('__proto__=z&toString=1&hasOwnProperty=2');
    expect(response.status).toBe(200);
    expect(given()).toEqual({ pass: 'p', transactionId: 't' });
  });

  it('in the body of a GET do not count', async () => {
    await request(application.app).get(`${CHECK}?pass=p&transactionid=t`).type('form').send('pass=other');
    expect(given()).toEqual({ pass: 'p', transactionId: 't' });
  });

  it('are not checked more closely than necessary: long, blank and marked up ones pass', async () => {
    for (const pass of ['x'.repeat(60_000), ' ', "';--<b>\r\nSet-Cookie: a=b", '*', '%', '\u{1f600}']) {
      checked.mockClear();
      const response = await application.send(CHECK, { pass, transactionid: 't' });
      expect(response.status).toBe(200);
      expect(response.headers).not.toHaveProperty('set-cookie');
      expect(given()).toEqual({ pass, transactionId: 't' });
    }
  });
});

describe('a body in the charset that it declares, or without one in UTF-8 or Latin-1', () => {
  const word = 'M\u00fcller \u20ac';
  const latin1 = Buffer.from([0x4d, 0xfc, 0x6c, 0x6c, 0x65, 0x72, 0x20, 0x80]);
  const form = Buffer.concat([Buffer.from('transactionid=t&pass='), latin1]);
  const json = Buffer.concat([Buffer.from('{"transactionid": "t", "pass": "'), latin1, Buffer.from('"}')]);
  const parts = (pass: Buffer, header = ''): Buffer => {
    const begin = (name: string): string => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n`;
    return Buffer.concat([
      Buffer.from(`${begin('transactionid')}\r\nt\r\n${begin('pass')}${header}\r\n`),
      pass,
      Buffer.from('\r\n--b--'),
    ]);
  };

  it.each<[contentType: string, body: Buffer | string]>([
    [`${FORM}; charset=ISO-8859-1`, form],
    [`${FORM};charset="iso-8859-1"`, form],
    [`${FORM}; charset=US-ASCII`, 'transactionid=t&pass=M%C3%BCller+%E2%82%AC'],
    [`${FORM}; charset=us-ascii`, 'transactionid=t&pass=M%FCller+%80'],
    [FORM, form],
    [FORM, 'transactionid=t&pass=M%FCller+%80'],
    [FORM, 'transactionid=t&pass=M%C3%BCller+%E2%82%AC'],
    ['application/json; charset=iso-8859-1', json],
    ['application/json', `\ufeff{"transactionid": "t", "pass": "${word}"}`],
    [MULTIPART, parts(latin1)],
    [`${MULTIPART}; charset=ISO-8859-1`, parts(latin1)],
    [MULTIPART, parts(latin1, 'Content-Type: text/plain; charset="ISO-8859-1"\r\n')],
    [
      `${MULTIPART}; charset=ISO-8859-1`,
      parts(Buffer.from(word), 'Content-Type: text/plain; charset=UTF-8\r\n'),
    ],
  ])('is read by it: %s', async (contentType, body) => {
    expect((await post(contentType, body)).status).toBe(200);
    expect(given()).toEqual({ pass: word, transactionId: 't' });
  });

  it.each<[contentType: string, body: Buffer | string]>([
    [`${FORM}; charset=utf-16`, form],
    [`${FORM}; charset=`, form],
    [`${FORM}; charset=constructor`, form],
    ['multipart/form-data; boundary=b; charset=shift_jis', parts(latin1)],
  ])('is refused with 415 and the known ones where it is unknown: %s', async (contentType, body) => {
    const response = await post(contentType, body);
    expect(response.status).toBe(415);
    expect(response.text).toContain('must be in UTF-8, ISO-8859-1 or windows-1252');
    expect(checked).not.toHaveBeenCalled();
  });

  // A pattern that goes over the blanks again and again would take hours, in which nobody else is answered.
  it('is refused at once where thousands of blanks precede a charset that is unknown', async () => {
    const response = await post(`${FORM}; charset=${' '.repeat(8_000)}"x"y`, form);
    expect(response.status).toBe(415);
    expect(checked).not.toHaveBeenCalled();
  });
});

it.each(['M%FCller+%80', 'M%C3%BCller+%E2%82%AC'])(
  'a URL is read as UTF-8, else as Latin-1: %s',
  async (pass) => {
    await request(application.app).get(`${CHECK}?transactionid=t&pass=${pass}`);
    expect(given()).toEqual({ pass: 'Müller €', transactionId: 't' });
  },
);

it('every byte of windows-1252 is its character, also where it names none', async () => {
  const named =
    '\u20ac\u0081\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u008d\u017d\u008f';
  const percent = Array.from({ length: 16 }, (_, place) => `%8${place.toString(16)}`).join('');
  await request(application.app).get(`${CHECK}?transactionid=t&pass=z${percent}%A0%FF`);
  expect(given()).toEqual({ pass: `z${named}\u00a0\u00ff`, transactionId: 't' });
});

describe('parameters in the dialect linotp', () => {
  let linotp: TestApplication;
  beforeAll(() => {
    linotp = application.restarted({ dialect: 'linotp' });
    checked = jest.spyOn(linotp.services.ocra, 'checkTransaction');
  });
  afterAll(() => {
    checked = jest.spyOn(application.services.ocra, 'checkTransaction');
  });

  it.each([
    ['pass=%ZZ1&transactionid=t', '%ZZ1'],
    ['pass=1%4&transactionid=t', '1%4'],
    ['pass=%&transactionid=t', '%'],
    ['transactionid=t;pass=a%3Bb;', 'a;b'],
    ['transactionid=t&x=1;pass=2&y', '2'],
  ])('keep a percent sign that encodes nothing, and end at a semicolon, too: %s', async (text, pass) => {
    await request(linotp.app).get(`${CHECK}?${text}`);
    expect(given()).toEqual({ pass, transactionId: 't' });
    checked.mockClear();
    await request(linotp.app).post(CHECK).type('form').send(text);
    expect(given()).toEqual({ pass, transactionId: 't' });
  });

  it('are at most 250 all the same', async () => {
    const sent = request(linotp.app).get(`${CHECK}?${'a=1;'.repeat(251)}`);
    expect((await sent).status).toBe(400);
  });

  it('hide no csrf_token in the URL', async () => {
    const login = await linotp.send('/admin/login', { username: 'admin', password: PASSWORD });
    const cookies = (login.get('Set-Cookie') ?? []).map((cookie) => cookie.split(';')[0] ?? '');
    const csrf = cookies[1]?.split('=')[1] ?? '';
    const change = (query: string): request.Test =>
      request(linotp.app).get(`/admin/enable?${query}`).set('Cookie', cookies.join('; '));
    for (const query of [`a=%ZZ&csrf_token=${csrf}`, `a=b;csrf_token=${csrf}`]) {
      expect((await change(`serial=X&${query}`)).status).toBe(401);
    }
    expect((await change('serial=X').set('X-CSRF-TOKEN', csrf)).status).toBe(200);
  });
});

describe('a malformed request', () => {
  it.each([
    ['broken JSON', JSON_TYPE, '{"pass": topsecret'],
    ['JSON that is a list', JSON_TYPE, '["topsecret"]'],
    ['JSON that is null', JSON_TYPE, 'null'],
    ['nested JSON', JSON_TYPE, '{"pass": {"a": "topsecret"}}'],
    ['a list in JSON', JSON_TYPE, '{"pass": ["topsecret"]}'],
    ['a number that JSON readers cannot keep', JSON_TYPE, '{"pass": 12345678901234567890}'],
    ['half a character in JSON', JSON_TYPE, '{"pass": "\\ud800"}'],
    ['U+0000 in JSON', JSON_TYPE, '{"pass": "a\\u0000"}'],
    ['U+0000 in a form', FORM, 'pass=a%00'],
    ['a broken percent sequence', FORM, 'pass=topsecret%4'],
    ['another charset than declared', `${FORM}; charset=utf-8`, 'pass=%E4'],
    ['JSON in Latin-1', JSON_TYPE, Buffer.from('{"pass": "ä"}', 'latin1')],
    ['multipart without a boundary', 'multipart/form-data', 'topsecret'],
    ['multipart with another boundary', MULTIPART, '--c\r\n\r\ntopsecret\r\n--c--'],
    ['multipart that breaks off', MULTIPART, '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\nx'],
    ['a part without a name', MULTIPART, '--b\r\nContent-Disposition: form-data\r\n\r\nx\r\n--b--'],
    [
      'a part whose name is not UTF-8',
      MULTIPART,
      Buffer.from('--b\r\nContent-Disposition: form-data; name="\xff"\r\n\r\nx\r\n--b--', 'latin1'),
    ],
    ['too many parameters', FORM, 'a=1&'.repeat(251)],
  ])('is refused with 400: %s', async (_what, contentType, body) => {
    const response = await post(contentType, body);
    expect(response.status).toBe(400);
    expect(response.body).toMatchObject({ result: { status: false, error: { code: -311 } }, id: 1 });
    expect(response.text).not.toContain('topsecret');
    expect(checked).not.toHaveBeenCalled();
  });

  it.each(['pass=%', 'pass=%00', 'a=1&'.repeat(251)])('is refused with 400: the query %#', async (query) => {
    expect((await request(application.app).get(`${CHECK}?${query}`)).status).toBe(400);
  });

  it('is refused where query string and body together have too many parameters', async () => {
    const response = await post(FORM, 'a=1&'.repeat(126)).query('b=1&'.repeat(125));
    expect(response.status).toBe(400);
  });
});

it('a body of 64 KiB is read', async () => {
  const pass = 'x'.repeat(65_536 - 'transactionid=t&pass='.length);
  expect((await post(FORM, `transactionid=t&pass=${pass}`)).status).toBe(200);
  expect((await post(FORM, `transactionid=t&pass=${pass}x`)).status).toBe(413);
});
