import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { container, keyPackage } from '../../support/values/pskc-documents.ts';
import {
  runTankeeper,
  type ServerProcess,
  startServerProcess,
} from '../../support/servers/server-process.ts';
import { databaseOfTests } from '../../support/database/test-database.ts';
import { temporaryFolder } from '../../support/values/temporary-folder.ts';

const MAX_BODY = 16 * 1024 * 1024;
const FORM = 'application/x-www-form-urlencoded';
const JSON_TYPE = 'application/json';
const MULTIPART = 'multipart/form-data; boundary=b';

let server: ServerProcess;
/** API tokens: one that may see the metrics, one that may load tokens. */
let probe: string;
let loader: string;

afterAll(async () => {
  expect((await server.stop()).code).toBe(0);
});
const folder = temporaryFolder();
const database = databaseOfTests();

beforeAll(async () => {
  const environment = {
    DATABASE_URL: database.url,
    DATA_DIR: folder,
    HOUSEKEEPING_INTERVAL: 'off',
    // A body that is taken apart into as many pieces as it has bytes would not fit.
    NODE_OPTIONS: '--max-old-space-size=256',
  };
  server = await startServerProcess(environment);
  const apiToken = async (name: string, right: string): Promise<string> => {
    const { output } = await runTankeeper(['api-token', 'add', 'admin', name, right], environment);
    return /tk_[\w-]+/.exec(output)?.[0] ?? '';
  };
  probe = await apiToken('probe', 'monitoring:metrics');
  loader = await apiToken('loader', 'admin:loadtokens');
});

/** @returns a body of nearly 16 MiB: a beginning, and the same again and again */
function repeated(unit: string, begin = ''): Buffer {
  const start = Buffer.from(begin, 'latin1');
  return Buffer.concat([start, Buffer.alloc(MAX_BODY - start.length, unit, 'latin1')]);
}

const HOSTILE: readonly (readonly [string, string, () => Buffer])[] = [
  ['a form of 8 million parameters', FORM, () => repeated('a&')],
  ['a form of nothing but separators', FORM, () => repeated('&')],
  [
    'JSON with 1.4 million members',
    JSON_TYPE,
    () => repeated(Array.from({ length: 1_400_000 }, (_, index) => `"k${index}":1,`).join(''), '{'),
  ],
  ['JSON that is nested 16 million levels deep', JSON_TYPE, () => repeated('[', '{"file":')],
  ['JSON with a list of 8 million numbers', JSON_TYPE, () => repeated('1,', '{"file":[')],
  [
    'a form with 300 000 parts',
    MULTIPART,
    () => repeated('--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n\r\n'),
  ],
  ['a form with 1.6 million nameless parts', MULTIPART, () => repeated('--b\r\n\r\n\r\n')],
];

/** Sends a request until its answer comes. @returns the answer */
async function send(
  token: string,
  contentType: string,
  body: Buffer,
  announced = body.length,
): Promise<string> {
  const { port } = new URL(server.baseUrl);
  const socket = connect(Number(port), '127.0.0.1');
  // The server may have closed the connection before all is sent.
  socket.on('error', () => undefined);
  const pieces: Buffer[] = [];
  socket.on('data', (piece: Buffer) => pieces.push(piece));
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.write(
    `POST /admin/loadtokens HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: ${contentType}\r\nConnection: close\r\nContent-Length: ${announced}\r\n\r\n`,
  );
  socket.write(body);
  await closed;
  return Buffer.concat(pieces).toString('latin1');
}

/** Asks whether the server lives, one question after the other, until the work is done. @returns each answer's status */
async function healthDuring(work: Promise<unknown>): Promise<readonly number[]> {
  const progress = { isDone: false };
  const done = work.then(() => (progress.isDone = true));
  const statuses: number[] = [];
  do {
    statuses.push((await fetch(`${server.baseUrl}/healthz`)).status);
  } while (!progress.isDone);
  await done;
  return statuses;
}

describe.each(HOSTILE)('%s', (_what, contentType, makeBody) => {
  it('does not stop the server, from any client', async () => {
    const body = makeBody();
    const sent = Promise.all(
      [probe, loader, probe, loader, 'tk_nobody'].map((token) => send(token, contentType, body)),
    );
    expect(new Set(await healthDuring(sent))).toEqual(new Set([200]));
    const answers = await sent;
    const right = /^HTTP\/1\.1 200 [^]*ERR410: This API token does not have the right admin:loadtokens/;
    const limit = /^HTTP\/1\.1 (?:400 [^]*more than 250|413 [^]*JSON body)/;
    const answered = [right, limit, right, limit, /^HTTP\/1\.1 401 /];
    answers.forEach((answer, index) => {
      expect(answer).toMatch(answered[index] ?? '');
    });
    expect(server.process.exitCode).toBeNull();
  });
});

describe('a file of keys', () => {
  const form = (file: string): Buffer =>
    Buffer.from(`--b\r\nContent-Disposition: form-data; name="file"\r\n\r\n${file}\r\n--b--\r\n`);

  it('of nearly 16 MiB is loaded', async () => {
    const packages = Array.from(
      { length: 8_000 },
      (_, index) => `${keyPackage({ serial: `L${index}` })}<!--${'x'.repeat(1_500)}-->`,
    );
    const body = form(container({ packages: packages.join('') }));
    expect(Math.round(body.length / 1024 / 1024)).toBe(15);
    expect(await send(loader, MULTIPART, body)).toMatch(/"imported": 8000/);
  });

  it.each([
    ['blanks', FORM, () => Buffer.from(`file=${'+'.repeat(16_000_000)}`)],
    ['percent-encoded blanks', FORM, () => Buffer.from(`file=${'%20'.repeat(5_500_000)}`)],
    ['line ends', MULTIPART, () => form('\r'.repeat(16_000_000))],
    ['euro signs', MULTIPART, () => form('€'.repeat(5_500_000))],
  ])('of 16 MiB of %s is refused with the reason', async (_what, contentType, makeBody) => {
    const sent = send(loader, contentType, makeBody());
    expect(new Set(await healthDuring(sent))).toEqual(new Set([200]));
    expect(await sent).toMatch(/^HTTP\/1\.1 200 [^]*The key file /);
    expect(server.process.exitCode).toBeNull();
  });
});
