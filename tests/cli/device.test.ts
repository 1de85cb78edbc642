import { mkdtemp, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Fetch } from '../../src/cli/dependencies.ts';
import { runProgram } from '../../src/cli/program.ts';
import { decodeActivationCode, deriveTokenKey } from '../../src/ocra/key-derivation.ts';
import { computeResponse } from '../../src/ocra/compute.ts';
import { computeDecline } from '../../src/ocra/decline.ts';
import { buildInitUrl, buildNonceUrl, buildRequestUrl } from '../../src/ocra/qrtan-url.ts';
import { parseOcraSuite } from '../../src/ocra/suite.ts';
import { fakeCli } from './fake-dependencies.ts';
import { fakeIo } from './fake-io.ts';
import { temporaryFolder } from '../support/values/temporary-folder.ts';

const SUITE = parseOcraSuite('OCRA-1:HOTP-SHA256-8:C-QA64');
const CODE = 'GEZDGNBVGY3TQOJQ01';
const SECRET = Buffer.from('12345678901234567890');
const NONCE = Buffer.alloc(64, 7);
const key = Buffer.from(await deriveTokenKey({ sharedSecret: SECRET, activationCode: CODE, nonce: NONCE }));
const CHALLENGE = {
  message: 'Pay \u001b[2J?',
  callbackUrl: 'http://127.0.0.1:5001/ocra/check_t',
  question: 'Pay0000abc',
  transactionId: 'ff00',
};
const INIT_URL = buildInitUrl({ sharedSecret: SECRET, suite: SUITE.text, serial: 'OCRA1' });
const NONCE_URL = buildNonceUrl(SUITE, key, { ...CHALLENGE, nonce: NONCE, serial: 'OCRA1' });
const REQUEST_URL = buildRequestUrl(SUITE, key, CHALLENGE);

function responseAt(counter: bigint): string {
  return computeResponse(SUITE, key, { question: CHALLENGE.question, counter });
}

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

const root = temporaryFolder();
let folder: string;
let state: string;
beforeEach(async () => {
  folder = await mkdtemp(join(root, 'each-'));
  state = join(folder, 'device.json');
});

async function run(
  parameters: readonly string[],
  { typed, stdin, fetch }: { typed?: readonly string[]; stdin?: readonly string[]; fetch?: Fetch } = {},
): Promise<Ran> {
  const io = fakeIo({ ...(typed && { typed }), ...(stdin && { stdin }) });
  const { dependencies, opened } = fakeCli({}, { io, homeFolder: folder, ...(fetch && { fetch }) });
  const code = await runProgram(['device', '--state', state, ...parameters], dependencies);
  expect(opened.count).toBe(0);
  return { code, out: io.out(), err: io.err() };
}

async function rolledOut(): Promise<void> {
  await run(['scan', INIT_URL]);
  await run(['scan', NONCE_URL], { typed: [CODE] });
}

describe('device scan', () => {
  it('goes through a roll-out and answers challenges, counting on', async () => {
    const init = await run(['scan', INIT_URL]);
    expect(init).toMatchObject({ code: 0, err: '' });
    expect(init.out).toContain('OCRA1 is on the device');
    const nonce = await run(['scan', NONCE_URL], { typed: [CODE] });
    expect(nonce.out).toContain(`Response     ${responseAt(0n)}\n`);
    const request = await run(['scan', REQUEST_URL, '--json']);
    expect(JSON.parse(request.out)).toEqual({
      kind: 'req',
      serial: 'OCRA1',
      message: CHALLENGE.message,
      question: CHALLENGE.question,
      transactionid: 'ff00',
      url: CHALLENGE.callbackUrl,
      response: responseAt(1n),
    });
    expect((await run(['scan', REQUEST_URL])).out).toContain(responseAt(2n));
  });

  it('shows nothing of a message that a terminal would obey', async () => {
    await rolledOut();
    const { out } = await run(['scan', REQUEST_URL]);
    expect(out).not.toContain('\u001b');
    expect(out).toContain('Pay \\u001b[2J?');
  });

  it('refuses a code without a callback URL, as the real app does, and counts nothing', async () => {
    await rolledOut();
    const before = await readFile(state, 'utf8');
    const url = buildRequestUrl(SUITE, key, { ...CHALLENGE, callbackUrl: '' });
    expect(await run(['scan', url])).toEqual({
      code: 1,
      out: '',
      err: "tankeeper: wrong QR code: no callback URL; the server's policy qrtanurl is missing\n",
    });
    expect(await readFile(state, 'utf8')).toBe(before);
  });

  it('keeps its secrets in a file of its owner, which by default lies in their home', async () => {
    await rolledOut();
    expect((await stat(state)).mode & 0o777).toBe(0o600);
    const { dependencies } = fakeCli({}, { homeFolder: folder });
    await runProgram(['device', 'scan', INIT_URL], dependencies);
    expect((await stat(join(folder, '.tankeeper-device.json'))).mode & 0o777).toBe(0o600);
  });
});

describe('device scan --send', () => {
  function answering(body: string, status = 200): { fetch: Fetch; sent: [string, RequestInit][] } {
    const sent: [string, RequestInit][] = [];
    const fetch: Fetch = (url, request) => {
      sent.push([url, request]);
      return Promise.resolve(new Response(body, { status }));
    };
    return { fetch, sent };
  }

  it('posts transaction and response to the URL of the code, follows no redirect and shows the verdict', async () => {
    await rolledOut();
    const { fetch, sent } = answering('{"result":{"status":true,"value":{"result":true,"failcount":0}}}');
    const { code, out } = await run(['scan', REQUEST_URL, '--send'], { fetch });
    expect(code).toBe(0);
    expect(out).toMatch(/Server +accepted/);
    const [[url, request] = ['', {}]] = sent;
    expect(url).toBe(CHALLENGE.callbackUrl);
    expect(request).toMatchObject({ method: 'POST', redirect: 'error' });
    expect(request.body).toEqual(new URLSearchParams({ transactionid: 'ff00', pass: responseAt(1n) }));
  });

  it.each([
    ['refused', '{"result":{"status":true,"value":{"result":false,"failcount":1}}}', 200],
    ['no verdict (HTTP 502)', '<h1>Bad gateway</h1>', 502],
    ['no verdict (HTTP 200)', '{"result":{"status":false}}', 200],
  ])('ends with 1 when the server says: %s', async (verdict, body, status) => {
    await rolledOut();
    const { code, out, err } = await run(['scan', REQUEST_URL, '--send'], answering(body, status));
    expect({ code, err }).toEqual({ code: 1, err: 'tankeeper: the server did not accept the response\n' });
    expect(out).toContain(verdict);
  });

  it.each([
    ['--decline', 'declined', true, 'Server       knows'],
    ['--report', 'reported', false, 'Server       it came too late'],
  ] as const)(
    'declines by %s, signed and without a response, and uses no counter',
    async (option, kind, isInTime, shown) => {
      await rolledOut();
      const sent: unknown[] = [];
      const fetch: Fetch = (_url, { body }) => {
        sent.push(Object.fromEntries(new URLSearchParams(body as string)));
        const value = { failcount: 0, result: false, declined: isInTime };
        return Promise.resolve(Response.json({ result: { status: true, value } }));
      };
      const { code, out } = await run(['scan', REQUEST_URL, option, '--send'], { fetch });
      expect(code).toBe(isInTime ? 0 : 1);
      expect(out).toContain(shown);
      expect(sent).toEqual([{ transactionid: 'ff00', decline: computeDecline(SUITE, key, CHALLENGE, kind) }]);
      const next = await run(['scan', REQUEST_URL]);
      expect(next.out).toContain(responseAt(1n));
    },
  );

  it.each(['file:///etc/passwd', 'ftp://x/', 'check_t', 'http://'])(
    'sends nothing to %s',
    async (callbackUrl) => {
      await rolledOut();
      const { fetch, sent } = answering('');
      const url = buildRequestUrl(SUITE, key, { ...CHALLENGE, callbackUrl });
      expect(await run(['scan', url, '--send'], { fetch })).toMatchObject({ code: 1 });
      expect(sent).toEqual([]);
    },
  );
});

describe('device list, forget and activation-code', () => {
  it('lists tokens without their secrets', async () => {
    await rolledOut();
    const { out } = await run(['list']);
    expect(out).toBe(
      'SERIAL  SUITE                        READY  NEXT COUNTER\nOCRA1   OCRA-1:HOTP-SHA256-8:C-QA64  yes               1\n',
    );
    const json = (await run(['list', '--json'])).out;
    expect(JSON.parse(json)).toEqual([{ serial: 'OCRA1', suite: SUITE.text, ready: true, counter: '1' }]);
    expect(out + json).not.toContain(key.toString('hex'));
  });

  it('forgets a token, and says when there is none such', async () => {
    await rolledOut();
    expect(await run(['forget', 'ocra1'])).toMatchObject({ code: 0, out: 'ocra1 is forgotten\n' });
    expect((await run(['list', '--json'])).out).toBe('[]\n');
    expect(await run(['forget', 'OCRA1'])).toMatchObject({
      code: 1,
      err: 'tankeeper: the device has no token OCRA1\n',
    });
  });

  it('makes a valid activation code and uses it without asking', async () => {
    const code = (await run(['activation-code'])).out.trim();
    expect(decodeActivationCode(code)).toHaveLength(10);
    const made = Buffer.from(
      await deriveTokenKey({ sharedSecret: SECRET, activationCode: code, nonce: NONCE }),
    );
    await run(['scan', INIT_URL]);
    const url = buildNonceUrl(SUITE, made, { ...CHALLENGE, nonce: NONCE, serial: 'OCRA1' });
    expect(await run(['scan', url])).toMatchObject({ code: 0 });
  });
});
