import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { Express } from 'express';
import { LimitReporter } from '../../../src/http/limits/limit-reporter.ts';
import { largeBodyGuard } from '../../../src/http/limits/guards.ts';
import { startServer } from '../../../src/http/serving/server.ts';
import type { PasswordHasher } from '../../../src/users/password-hash.ts';
import { openSession } from '../../support/application/open-session.ts';
import { sendRaw } from '../../support/application/raw-http.ts';
import {
  AS_ADMIN,
  OPERATOR,
  PASSWORD,
  QUICK_HASHER,
  TestApplication,
} from '../../support/application/test-application.ts';
import { declaredEndpoints } from '../../support/description/declared-endpoints.ts';
import { deferred } from '../../support/values/deferred.ts';
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
const administrative = posted.filter(({ access }) => access !== 'open');

/** The passwords that were verified. */
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
let application: TestApplication;
let app: Express;

beforeAll(async () => {
  application = await TestApplication.open({ hasher, limits: { loginFailures: 1_000 } });
  // Without one there are no paths of the account page.
  const opened = { name: 'self-service', scope: 'selfservice', action: 'show', realm: '*' };
  await application.services.policies.set(OPERATOR, opened);
  ({ app } = application);
});
afterEach(() => {
  jest.restoreAllMocks();
});
afterAll(() => application.close());

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

describe('a compressed body in chunks', () => {
  it('is refused, and an empty one has no parameters', async () => {
    const send = (chunks: string): Promise<string> =>
      sendRaw(
        app,
        `POST /ocra/check_t HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: ${JSON_TYPE}\r\nContent-Encoding: br, gzip, x\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`,
      );
    expectRefusal(await send('2\r\n{}\r\n'), 415, /compressed/);
    expect(await send('')).toMatch(/Missing parameter/);
  });
});

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

  it.each([
    ...[
      { Authorization: 'Basic eDp5' },
      { Authorization: 'Bearer tk_unknown' },
      { Cookie: 'admin_session=unknown' },
      { Cookie: 'access_token_cookie=unknown' },
    ].map((headers) => [LOAD, headers] as const),
    ...administrative.map(({ path }) => [path, {}] as const),
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
  const multipart = (fields: Readonly<Record<string, string>>): { body: string; headers: object } => ({
    body: Object.entries(fields)
      .map(([name, value]) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`)
      .concat('--b--\r\n')
      .join(''),
    headers: { 'Content-Type': MULTIPART },
  });
  const sendWhole = (
    headers: Readonly<Record<string, string>>,
    fields: Readonly<Record<string, string>>,
    path = LOAD,
  ): Promise<string> => {
    const { body } = multipart(fields);
    return sendFilled({
      path,
      headers: { ...headers, Connection: 'close' },
      contentType: MULTIPART,
      sent: body,
      announced: body.length,
    });
  };

  it('is not read from an API token without the right', async () => {
    const { token } = await application.services.administrators.addApiToken(OPERATOR, 'admin', {
      name: 'probe',
      rights: ['monitoring:*'],
    });
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

  it('is read one at a time; a client that waits too long must come again, and small ones pass', async () => {
    const held = deferred<readonly string[]>();
    const loading = deferred<undefined>();
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
    const headers = { ...AS_ADMIN, Connection: 'close' };
    const first = sendFilled({ headers, sent: whole, announced: whole.length }, server.app);
    await loading.promise;
    for (const announced of [whole.length, undefined]) {
      const answer = await sendFilled({ headers: AS_ADMIN, announced }, server.app);
      expectRefusal(answer, 503, 'The server is busy with another large body');
      expect(answer).toMatch(/^Retry-After: 1\r$/m);
    }
    expect(await sendFilled({ headers, sent: 'file=x', announced: 6 }, server.app)).toMatch(/"imported": 1/);
    held.resolve(['A']);
    expect(await first).toMatch(/"imported": 1/);
    const again = await sendFilled({ headers, sent: whole, announced: whole.length }, server.app);
    expect(again).toMatch(/"imported": 1/);
  });

  it('is not large in JSON, which is parsed as a whole', async () => {
    const sent = JSON.stringify({ file: 'x'.repeat(65_536) });
    const answer = await sendFilled({ contentType: JSON_TYPE, sent, announced: sent.length });
    expectRefusal(answer, 413, 'The JSON body is larger than 65536 bytes');
  });

  it.each([
    ['a form', FORM, `file=x&realm=${'r'.repeat(65_536)}`],
    ['parts', MULTIPART, multipart({ file: 'x', realm: 'r'.repeat(65_536) }).body],
  ])('is all that may be large in %s', async (_what, contentType, sent) => {
    const answer = await sendFilled({
      headers: { ...AS_ADMIN, Connection: 'close' },
      contentType,
      sent,
      announced: sent.length,
    });
    expectRefusal(answer, 413, "The parameter 'realm' is larger than 65536 bytes");
  });
});
