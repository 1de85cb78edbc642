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
  [JSON_TYPE, `{${'"a":1,'.repeat(250)}`, /more than 250 members/],
  [JSON_TYPE, `{"a":${'['.repeat(8)}`, /nested deeper than 8 levels/],
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

  it('must still be right when a body has come for which the server had to wait', async () => {
    verified.length = 0;
    const server = await startServer(app, { host: '127.0.0.1', port: 0 });
    const socket = connect(server.port, '127.0.0.1');
    socket.write(`${head}file=`);
    while (verified.length === 0) {
      await new Promise(setImmediate);
    }
    await application.services.administrators.setPassword(OPERATOR, 'admin', 'battery staple');
    socket.write('x');
    const answer = Buffer.concat((await socket.toArray()) as Buffer[]).toString('latin1');
    expect(answer).toMatch(/^HTTP\/1\.1 401 /);
    await application.services.administrators.setPassword(OPERATOR, 'admin', PASSWORD);
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
  const sendWhole = (cookie: string, fields: Readonly<Record<string, string>>): Promise<string> => {
    const { body } = multipart(fields);
    return sendFilled({
      headers: { Cookie: cookie, Connection: 'close' },
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
    for (const announced of [16 * 1024 * 1024, 10, undefined]) {
      expectRefusal(await sendFilled({ headers, announced }), 200, 'ERR410: This API token');
    }
  });

  it('may come with the session or the value against forgery beside it, which then must be right', async () => {
    const { administrators, logins } = application.services;
    const { session } = await openSession(administrators, 'admin', PASSWORD);
    const { token = '', csrfToken = '' } = (await logins.login('admin', PASSWORD)) ?? {};
    const byOne = `admin_session=${session}`;
    const byOther = `access_token_cookie=${token}`;
    const file = (serial: string): string => container({ packages: keyPackage({ serial }) });
    expect(await sendWhole(byOne, { file: file('F1'), session })).toMatch(/"imported": 1/);
    expect(await sendWhole(byOne, { file: file('F2'), session: 'x' })).toMatch(/^HTTP\/1\.1 401 /);
    expect(await sendWhole(byOne, { file: file('F2') })).toMatch(/^HTTP\/1\.1 401 /);
    expect(await sendWhole(byOther, { file: file('F2'), csrf_token: csrfToken })).toMatch(/"imported": 1/);
    expect(await sendWhole(byOther, { file: file('F3'), csrf_token: 'x' })).toMatch(/^HTTP\/1\.1 401 /);
    expect(await sendWhole(`${byOther}; ${byOne}`, { file: file('F3'), session })).toMatch(/"imported": 1/);
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

  it.each([
    ['a form', FORM, `file=x&realm=${'r'.repeat(65_536)}`],
    ['JSON', JSON_TYPE, JSON.stringify({ file: 'x', realm: 'r'.repeat(65_536) })],
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
