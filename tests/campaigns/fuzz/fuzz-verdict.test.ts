import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createDialect } from '../../../src/http/dialects/dialects.ts';
import { type FuzzAnswer, FuzzClient, sendBroken } from './fuzz-client.ts';
import { fuzzedEndpoints } from './fuzz-endpoints.ts';
import { hostileValue, strangeName } from './fuzz-hostile.ts';
import type { HostileRequest } from './fuzz-requests.ts';
import { faultOf } from './fuzz-verdict.ts';
import { TestApplication } from '../../support/application/test-application.ts';

const REQUEST: HostileRequest = {
  path: '/ocra/request',
  method: 'POST',
  bytes: Buffer.from('GET / HTTP/1.1\r\nHost: x\r\n\r\n'),
  broken: false,
  wishesStatus: false,
};
const STRICT = { refusals: false, private: ['/srv/tankeeper/data/'] };

/** A correct answer with the given differences. */
function answer(
  message: string,
  more: { status?: number; headers?: Record<string, string> } = {},
): FuzzAnswer {
  const error = { code: -311, message };
  const headers = {
    'x-request-id': '0',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'content-type': 'application/json',
    ...more.headers,
  };
  return {
    status: more.status ?? 200,
    headers: new Map(Object.entries(headers)),
    body: Buffer.from(
      JSON.stringify({ version: 'T', jsonrpc: '2.0', result: { status: false, error }, id: 1 }),
    ),
  };
}

describe('what counts as a fault in an answer', () => {
  it.each([
    ['a 500', answer('x', { status: 500 })],
    ['a refusal where nothing is bounded', answer('x', { status: 503, headers: { 'retry-after': '1' } })],
    ['a 401 without a challenge', answer('x', { status: 401 })],
    ['a stack', answer('x\n    at check (/srv/app/check.js:1:2)')],
    ['a place in the sources', answer('see check.ts:12')],
    ['a message of the database', answer('duplicate key value')],
    ['SQL', answer('select * from tokens')],
    ['an error of Node', answer('connect ECONNREFUSED 127.0.0.1')],
    ['an error of the language', answer("TypeError: Cannot read properties of undefined (reading 'x')")],
    ['the folder of the data', answer('/srv/tankeeper/data/encryption.key')],
    ['an answer that caches may keep', answer('x', { headers: { 'cache-control': 'public' } })],
    ['a type that is not promised', answer('x', { headers: { 'content-type': 'text/html' } })],
    ['no JSON', { ...answer('x'), body: Buffer.from('{') }],
    [
      'no envelope',
      {
        ...answer('x'),
        body: Buffer.from('{"result":{"status":false},"version":"T","jsonrpc":"2.0","id":1}'),
      },
    ],
    ['an answer that is not of the app', { ...answer('x'), headers: new Map() }],
  ])('is %s', (_what, given) => {
    expect(faultOf(REQUEST, given, STRICT)).toBeDefined();
  });

  it('is not what a request may get: an error, a refusal where limits are, a status that was wished for', () => {
    expect(faultOf(REQUEST, answer('x'), STRICT)).toBeUndefined();
    const recorded = "Error during decoding activation code: TypeError('Incorrect padding',)";
    expect(faultOf(REQUEST, answer(recorded), STRICT)).toBeUndefined();
    const busy = answer('x', { status: 503, headers: { 'retry-after': '1' } });
    expect(faultOf(REQUEST, busy, { ...STRICT, refusals: true })).toBeUndefined();
    expect(faultOf({ ...REQUEST, wishesStatus: true }, answer('x', { status: 500 }), STRICT)).toBeUndefined();
  });

  it('is not what requests bring along themselves', () => {
    const { parameters } = fuzzedEndpoints('documented').reduce((all, one) => ({
      ...all,
      parameters: [...all.parameters, ...one.parameters],
    }));
    const values = fc.constantFrom(...parameters).chain(hostileValue);
    fc.assert(
      fc.property(fc.oneof(values, strangeName), (text) => {
        expect(faultOf(REQUEST, answer(text), STRICT)).toBeUndefined();
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('the endpoints that are asked', () => {
  it.each(['documented', 'linotp'] as const)(
    'are all that the app routes, in the dialect %s',
    async (dialect) => {
      const application = await TestApplication.open({ dialect });
      const { settings } = application.app as unknown as { settings: { 'served paths': readonly string[] } };
      const routed = settings['served paths'];
      const requested = fuzzedEndpoints(dialect).flatMap(({ path }) =>
        createDialect(dialect, undefined).routes(path),
      );
      expect([...routed].sort()).toEqual([...requested].sort());
      expect(routed.length).toBeGreaterThan(40);
      await application.close();
    },
  );
});

describe('a server that does not speak as it should', () => {
  let port: number;
  let speak: (socket: Socket) => void;
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      speak(socket);
    });
  });

  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
  });

  afterAll(() => {
    server.close();
  });

  it.each([
    ['answers nothing', '', 'no answer but 0 bytes'],
    ['answers in part', 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab', 'no answer but'],
    ['answers twice', 'HTTP/1.1 204 x\r\n\r\nHTTP/1.1 204 x\r\n\r\n', 'bytes after the answer'],
  ])('is noticed when it %s', async (_what, bytes, message) => {
    speak = (socket) => socket.end(bytes);
    await expect(new FuzzClient(port).ask(REQUEST.bytes, 'GET')).rejects.toThrow(message);
  });

  it('is heard out, several answers at once', async () => {
    speak = (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nabHTTP/1.1 400 x\r\n\r\n');
    const answers = await sendBroken(port, REQUEST.bytes);
    expect(answers.map(({ status }) => status)).toEqual([200, 400]);
  });
});
