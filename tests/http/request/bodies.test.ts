import { connect } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import type { Services } from '../../../src/services.ts';
import type { FakeServices } from '../../support/fakes/answer.ts';
import { largeBodyGuard } from '../../../src/http/limits/guards.ts';
import { LimitReporter } from '../../../src/http/limits/limit-reporter.ts';
import { startServer } from '../../../src/http/serving/server.ts';
import { ServiceError } from '../../../src/kernel/errors.ts';
import { deferred } from '../../support/fakes/deferred.ts';
import { fuzzedEndpoints } from '../../campaigns/fuzz/fuzz-endpoints.ts';
import {
  ADMIN,
  API_TOKEN,
  AS_ADMIN,
  createTestApp,
  fixedClock,
  SESSION,
  type TestApp,
} from '../../support/application/http-app.ts';
import { sendRaw } from '../../support/application/raw-http.ts';

const FORM = 'application/x-www-form-urlencoded';
const JSON_TYPE = 'application/json';
const MULTIPART = 'multipart/form-data; boundary=b';
const PART = '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n\r\n';
const LOAD = '/admin/loadtokens';

const posted = fuzzedEndpoints('documented').filter(({ methods }) => methods.includes('POST'));
const administrative = posted.filter(({ open }) => !open);

/** A request of which only a part is sent. */
interface PartOfRequest {
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly contentType?: string;
  /** The length that the header announces; undefined: chunks whose end does not come. */
  readonly announced?: number | undefined;
  readonly sent?: string;
}

/** @returns the bytes that come back until the server ends the connection, though the rest of the body never comes */
async function sendPart(app: TestApp['app'], part: PartOfRequest): Promise<string> {
  const { path = LOAD, headers = AS_ADMIN, contentType = FORM, sent = '' } = part;
  const length =
    'announced' in part && part.announced === undefined
      ? 'Transfer-Encoding: chunked'
      : `Content-Length: ${part.announced ?? 60_000}`;
  const fields = Object.entries({ Host: 'x', 'Content-Type': contentType, ...headers }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  const chunk =
    length.startsWith('Transfer') && sent !== '' ? `${sent.length.toString(16)}\r\n${sent}\r\n` : sent;
  return sendRaw(app, `POST ${path} HTTP/1.1\r\n${[...fields, length].join('\r\n')}\r\n\r\n${chunk}`);
}

function expectRefusal(answer: string, status: number, message: string | RegExp): void {
  expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  expect(answer).toMatch(/^Connection: close\r$/m);
  expect((JSON.parse(answer.slice(answer.indexOf('\r\n\r\n'))) as { result: unknown }).result).toMatchObject({
    status: false,
    error: { message: expect.stringMatching(message) },
  });
}

describe('a body of OPTIONS', () => {
  it('is not read, and ends the connection', async () => {
    const { app } = createTestApp();
    const answer = await sendRaw(
      app,
      'OPTIONS /ocra/check_t HTTP/1.1\r\nHost: x\r\nContent-Length: 60000\r\n\r\npass=p',
    );
    expect(answer).toMatch(/^HTTP\/1\.1 204 /);
    expect(answer).toMatch(/^Allow: GET, HEAD, POST, OPTIONS\r$/m);
    expect(answer).toMatch(/^Connection: close\r$/m);
  });
});

describe('a compressed body in chunks', () => {
  it('is refused, and an empty one has no parameters', async () => {
    const { app } = createTestApp();
    const send = (chunks: string): Promise<string> =>
      sendRaw(
        app,
        `POST /ocra/check_t HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: ${JSON_TYPE}\r\nContent-Encoding: br, gzip, x\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`,
      );
    expectRefusal(await send('2\r\n{}\r\n'), 415, /compressed/);
    expect(await send('')).toMatch(/Missing parameter/);
  });
});

describe('a body in pieces of one byte', () => {
  it.each(['/ocra/check_t', '/validate/check'])('is refused by %s long before its end', async (path) => {
    const { app } = createTestApp();
    for (const contentType of [FORM, JSON_TYPE, MULTIPART]) {
      const answer = await sendRaw(
        app,
        `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: ${contentType}\r\nTransfer-Encoding: chunked\r\n\r\n${'1\r\n \r\n'.repeat(1_000)}`,
      );
      expectRefusal(answer, 400, /too small pieces/);
    }
  });
});

describe('a body', () => {
  it.each(posted.map(({ path }) => path))(
    'is not read beyond the limit, though more is announced: %s',
    async (path) => {
      const { app, calls } = createTestApp();
      const parts: readonly (readonly [string, string, RegExp])[] = [
        [FORM, 'a&'.repeat(251), /more than 250 parameters/],
        [FORM, '&'.repeat(251), /more than 250 parameters/],
        [JSON_TYPE, `{${'"a":1,'.repeat(250)}`, /more than 250 members/],
        [JSON_TYPE, `{"a":${'['.repeat(8)}`, /nested deeper than 8 levels/],
        [MULTIPART, PART.repeat(251), /more than 250 parameters/],
        [MULTIPART, '--b\r\n\r\n\r\n'.repeat(251), /more than 250 parameters/],
      ];
      for (const [contentType, sent, message] of parts) {
        expectRefusal(await sendPart(app, { path, contentType, sent }), 400, message);
        expectRefusal(await sendPart(app, { path, contentType, sent, announced: undefined }), 400, message);
      }
      expect(calls).toEqual([]);
    },
  );

  it.each(posted.map(({ path }) => path))(
    'is not read at all where its headers say that it cannot be: %s',
    async (path) => {
      const { app, calls } = createTestApp();
      const most = path === LOAD ? 16 * 1024 * 1024 : 65_536;
      expectRefusal(await sendPart(app, { path, announced: most + 1 }), 413, `larger than ${most} bytes`);
      expectRefusal(await sendPart(app, { path, contentType: 'text/xml' }), 415, 'must be application/x-www');
      const compressed = { headers: { ...AS_ADMIN, 'Content-Encoding': 'gzip' } };
      expectRefusal(await sendPart(app, { path, ...compressed }), 415, 'must not be compressed');
      expect(calls).toEqual([]);
    },
  );

  it.each(administrative.map(({ path }) => path))(
    'is not read at all from an unauthenticated client: %s',
    async (path) => {
      const { app, calls } = createTestApp();
      const strangers: readonly Readonly<Record<string, string>>[] = [
        {},
        { Authorization: 'Basic eDp5' },
        { Authorization: 'Bearer tk_unknown' },
        { Cookie: 'admin_session=unknown' },
        { Cookie: 'access_token_cookie=unknown' },
      ];
      for (const headers of strangers) {
        expectRefusal(await sendPart(app, { path, headers }), 401, 'Not authenticated');
      }
      expect(calls).toEqual([]);
    },
  );

  it('ends the reading also where one byte more comes than is allowed', async () => {
    const { app } = createTestApp();
    const sent = 'x'.repeat(65_537);
    const part = { path: '/ocra/check_t', announced: undefined, sent };
    expectRefusal(await sendPart(app, part), 413, 'larger than 65536 bytes');
  });

  it('that is empty needs no type, even where only its end shows that', async () => {
    for (const contentType of [FORM, JSON_TYPE, MULTIPART, 'text/plain']) {
      const { app } = createTestApp();
      const answer = await sendRaw(
        app,
        `POST /ocra/check_t?pass=p&transactionid=t HTTP/1.1\r\nHost: x\r\nContent-Type: ${contentType}\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      );
      expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    }
  });

  it('is requested only when it is read', async () => {
    const { app } = createTestApp();
    const expecting = { Expect: '100-continue', Connection: 'close' };
    const refused = await sendPart(app, { headers: expecting });
    expect(refused).toMatch(/^HTTP\/1\.1 401 /);
    const read = await sendPart(app, {
      headers: { ...AS_ADMIN, ...expecting },
      sent: 'file=x',
      announced: 6,
    });
    expect(read).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 /);
  });
});

describe('a password that comes with a body', () => {
  /** @returns an app whose one password can be changed, and how often it was verified */
  function appWithPassword(): { app: TestApp['app']; verified: string[]; change: () => void } {
    const verified: string[] = [];
    let right = ADMIN.password;
    const { app } = createTestApp(
      {},
      {
        administrators: {
          authenticatePassword: async (administrator: string, password: string) => {
            verified.push(password);
            const isRight = password === right;
            // As hashing does, it lets the server read on.
            await new Promise(setImmediate);
            return isRight ? { administrator, version: Buffer.from('1') } : undefined;
          },
        },
      },
    );
    return { app, verified, change: () => (right = 'another') };
  }
  const head = `POST ${LOAD} HTTP/1.1\r\nHost: x\r\nAuthorization: ${AS_ADMIN.Authorization}\r\nContent-Type: ${FORM}\r\nConnection: close\r\nContent-Length: 6\r\n\r\n`;

  it('is verified once', async () => {
    const { app, verified } = appWithPassword();
    expect(await sendRaw(app, `${head}file=x`)).toMatch(/^HTTP\/1\.1 200 /);
    expect(verified).toHaveLength(1);
  });

  it('must still be right when a body has come for which the server had to wait', async () => {
    const { app, verified, change } = appWithPassword();
    const server = await startServer(app, { host: '127.0.0.1', port: 0 });
    const socket = connect(server.port, '127.0.0.1');
    socket.write(`${head}file=`);
    while (verified.length === 0) {
      await new Promise(setImmediate);
    }
    change();
    socket.write('x');
    const answer = Buffer.concat((await socket.toArray()) as Buffer[]).toString('latin1');
    expect(answer).toMatch(/^HTTP\/1\.1 401 /);
    await server.close(1_000);
  });
});

describe('the file of /admin/loadtokens', () => {
  const refusing: FakeServices = {
    rights: {
      require: ({ principal }) =>
        principal.administrator === ADMIN.name
          ? Promise.resolve()
          : Promise.reject(new ServiceError('right.missing', `not ${principal.administrator}`)),
    },
    tokenImport: { load: () => Promise.resolve(['A']) },
  };
  const multipart = (fields: Readonly<Record<string, string>>): { body: string; headers: object } => ({
    body: Object.entries(fields)
      .map(([name, value]) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`)
      .concat('--b--\r\n')
      .join(''),
    headers: { 'Content-Type': MULTIPART },
  });
  const sendWhole = (cookie: string, fields: Readonly<Record<string, string>>): Promise<string> => {
    const { body } = multipart(fields);
    return sendPart(createTestApp({}, refusing).app, {
      headers: { Cookie: cookie, Connection: 'close' },
      contentType: MULTIPART,
      sent: body,
      announced: body.length,
    });
  };

  it('is not read from an API token without the right', async () => {
    const { app } = createTestApp({}, refusing);
    const headers = { Authorization: `Bearer ${API_TOKEN}` };
    for (const announced of [16 * 1024 * 1024, 10, undefined]) {
      expectRefusal(await sendPart(app, { headers, announced }), 200, 'ERR410: not probe');
    }
  });

  it('may come with the session or the value against forgery beside it, which then must be right', async () => {
    const session = `admin_session=${SESSION}`;
    expect(await sendWhole(session, { file: 'x', session: SESSION })).toMatch(
      /^HTTP\/1\.1 200 [^]*"imported": 1/,
    );
    expect(await sendWhole(session, { file: 'x', session: 'x' })).toMatch(/^HTTP\/1\.1 401 /);
    expect(await sendWhole(session, { file: 'x' })).toMatch(/^HTTP\/1\.1 401 /);
    const login = 'access_token_cookie=a.login.token';
    expect(await sendWhole(login, { file: 'x', csrf_token: '00112233-4455' })).toMatch(/"imported": 1/);
    expect(await sendWhole(login, { file: 'x', csrf_token: 'x' })).toMatch(/^HTTP\/1\.1 401 /);
    expect(await sendWhole(`${login}; ${session}`, { file: 'x', session: SESSION })).toMatch(/"imported": 1/);
  });

  it('is read one at a time; a client that waits too long must come again, and small ones pass', async () => {
    const held = deferred<readonly string[]>();
    const loading = deferred<undefined>();
    const load: Services['tokenImport']['load'] = (_caller, { file }) => {
      loading.resolve(undefined);
      return file.length > 1 ? held.promise : Promise.resolve(['A']);
    };
    const services = { tokenImport: { authorize: () => Promise.resolve(), load } };
    const ignore = (): void => undefined;
    const refusals = new LimitReporter({
      metrics: { limitReached: ignore },
      log: { error: ignore, warn: ignore, info: ignore, debug: ignore },
      clock: fixedClock,
    });
    const guard = largeBodyGuard({ refusals, timeoutMs: 50 });
    const { app } = createTestApp({}, services, { largeBodies: guard });
    const whole = `file=${'x'.repeat(70_000)}`;
    const headers = { ...AS_ADMIN, Connection: 'close' };
    const first = sendPart(app, { headers, sent: whole, announced: whole.length });
    await loading.promise;
    for (const announced of [whole.length, undefined]) {
      const answer = await sendPart(app, { headers: AS_ADMIN, announced });
      expectRefusal(answer, 503, 'The server is busy with another large body');
      expect(answer).toMatch(/^Retry-After: 1\r$/m);
    }
    expect(await sendPart(app, { headers, sent: 'file=x', announced: 6 })).toMatch(/"imported": 1/);
    held.resolve(['A']);
    expect(await first).toMatch(/"imported": 1/);
    const again = await sendPart(app, { headers, sent: whole, announced: whole.length });
    expect(again).toMatch(/"imported": 1/);
  });

  it.each([
    ['a form', FORM, `file=x&realm=${'r'.repeat(65_536)}`],
    ['JSON', JSON_TYPE, JSON.stringify({ file: 'x', realm: 'r'.repeat(65_536) })],
    ['parts', MULTIPART, multipart({ file: 'x', realm: 'r'.repeat(65_536) }).body],
  ])('is all that may be large in %s', async (_what, contentType, sent) => {
    const { app, calls } = createTestApp();
    const answer = await sendPart(app, {
      headers: { ...AS_ADMIN, Connection: 'close' },
      contentType,
      sent,
      announced: sent.length,
    });
    expectRefusal(answer, 413, "The parameter 'realm' is larger than 65536 bytes");
    expect(calls).toEqual([]);
  });
});
