import { describe, expect, it } from '@jest/globals';
import express from 'express';
import fc from 'fast-check';
import request from 'supertest';
import { z } from 'zod';
import { done } from '../../../src/http/answers.ts';
import { parseAuthorization } from '../../../src/http/authentication/authenticate.ts';
import { readCookie } from '../../../src/http/authentication/credentials.ts';
import { createDialect } from '../../../src/http/dialects/dialects.ts';
import { openEndpoint } from '../../../src/http/endpoint-spec.ts';
import { serveEndpoint } from '../../../src/http/endpoint.ts';
import {
  clientAddress,
  clientNetwork,
  networkMatcher,
  unnamedProxy,
} from '../../../src/http/limits/networks.ts';
import { htmlReply } from '../../../src/http/reply.ts';
import {
  beginExchange,
  type ExchangeRequest,
  type ExchangeResponse,
} from '../../../src/http/request/exchange.ts';
import { readQueryEntries, required, secret } from '../../../src/http/request/parameters.ts';
import { parseMultipart } from '../../../src/http/request/request-body.ts';
import { systemClock } from '../../../src/kernel/clock.ts';
import { systemRandom } from '../../../src/kernel/system-random.ts';
import { UNGUARDED } from '../../support/application/unguarded.ts';
import { declaredEndpoints } from '../../support/description/declared-endpoints.ts';
import { basic } from '../../support/values/callers.ts';
import { refusalOf } from '../../support/values/refusal.ts';

it.each([
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::ffff:c000:201', '192.0.2.1'],
  ['::1', '::1'],
  ['2001:DB8:0:0::1', '2001:db8::1'],
  ['fe80::1%eth0', 'fe80::1%eth0'],
  ['1', 'unknown'],
  ['0300.0.2.1', 'unknown'],
  [undefined, 'unknown'],
  ['<script>', 'unknown'],
  ['192.0.2.1:443', '192.0.2.1'],
  ['[2001:db8::1]:443', '2001:db8::1'],
  ['[::ffff:192.0.2.1]:443', '192.0.2.1'],
  ['[192.0.2.1]', '192.0.2.1'],
  ['2001:db8::1:443x', 'unknown'],
])('clientAddress writes %j as %s', (address, written) => {
  expect(clientAddress(address)).toBe(written);
});

const TYPE = 'multipart/form-data; boundary=b';

async function parse(body: string | Buffer): Promise<unknown> {
  return parseMultipart(TYPE, Buffer.from(body), 10);
}

it('parseMultipart always comes to an end, whatever the bytes', async () => {
  const piece = fc.oneof(
    fc.constantFrom(
      '--b',
      '--b--',
      '\r\n',
      '\r\n\r\n',
      'Content-Disposition: form-data; name="a"',
      'b',
      '-',
      ':',
    ),
    fc.string(),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 12 }), async (pieces) => {
      const outcome = await parse(pieces.join('')).catch((error: unknown) => error);
      expect(Array.isArray(outcome) || (outcome as { code?: string }).code === 'request.malformed').toBe(
        true,
      );
    }),
  );
});

it('readQueryEntries reads every text as URLSearchParams wrote it', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.string({ unit: 'grapheme', minLength: 1 }), fc.string({ unit: 'grapheme' }))),
      (entries) => {
        expect(readQueryEntries({ url: `/?${new URLSearchParams(entries).toString()}` })).toEqual(entries);
      },
    ),
  );
});

const base64 = (bytes: string | Buffer): string => Buffer.from(bytes).toString('base64');

it.each([
  '',
  'Basic',
  'Basic ',
  'Bearer',
  'Digest username="x"',
  `Basic ${base64('nocolon')}`,
  `Basic ${base64(':noname')}`,
  `Basic ${base64('a\0b:c')}`,
  'Basic YTpi!',
  'Basic YTp',
  'Basic YT pi',
  'Bearer a b',
  `${basic('a', 'b')}, ${basic('a', 'b')}`,
])('parseAuthorization refuses %j', (header) => {
  expect(refusalOf(() => parseAuthorization([header])).code).toBe('authentication.required');
});

it.each([
  [undefined, undefined],
  ['', undefined],
  ['other=1', undefined],
  ['admin_session', undefined],
  ['xadmin_session=1', undefined],
  ['admin_session=', ''],
  ['a=b; admin_session=abc=; c=d', 'abc='],
  ['admin_session=abc;admin_session=abc', 'abc'],
  ['$Version="1"; admin_session="abc" ; $Path="/"', 'abc'],
  ['admin_session=abc; admin_session="abc"', 'abc'],
  ['admin_session=""', ''],
  ['admin_session="', '"'],
  ['admin_session="a"b"', '"a"b"'],
])('readCookie reads %j', (header, value) => {
  expect(readCookie(header, 'admin_session')).toBe(value);
});

const SECRET = 'hunter2';

/** Every parameter of the interface that is a secret, by the endpoints that declare it. */
const SECRETS: Readonly<Record<string, readonly string[]>> = {
  '/ocra/check_t': ['pass', 'decline'],
  '/ocra/calculateOtp': ['sharedsecret', 'activationcode', 'nonce', 'ocrapin', 'init1', 'init2', 'no'],
  '/validate/check': ['pass'],
  '/validate/check_s': ['pass'],
  '/validate/check_t': ['pass'],
  '/validate/simplecheck': ['pass'],
  '/validate/samlcheck': ['pass'],
  '/validate/check_status': ['pass'],
  '/admin/init': ['otpkey', 'activationcode', 'pin', 'ocrapin'],
  '/admin/getSerialByOtp': ['otp'],
  '/admin/login': ['password'],
  '/admin/sign-in': ['password'],
  '/admin/sign-in/finish': ['response', 'credential'],
  '/admin/sign-in/passkey': ['credential'],
  '/admin/sign-in/passkey-link': ['link'],
  '/self/sign-in': ['password'],
  '/self/sign-in/finish': ['response'],
  '/self/enrol/finish': ['response'],
  '/self/enrol/prove': ['response'],
  '/admin/confirmation': ['password'],
  '/admin/confirmation/finish': ['response', 'credential'],
  '/admin/password': ['password', 'new_password'],
  '/admin/admin/add': ['password'],
  '/admin/admin/password': ['password'],
  '/admin/resync': ['otp1', 'otp2'],
  '/admin/token/resync': ['otp1', 'otp2'],
  '/admin/token/set': ['pin', 'ocra_pin'],
  '/admin/loadtokens': ['file', 'pskc_password', 'pskc_preshared'],
  '/admin/set': ['pin', 'ocrapin'],
  '/admin/setPin': ['userpin', 'sopin'],
  '/admin/assign': ['pin'],
  '/system/setResolver': ['password', 'connect', 'bindpw'],
  '/admin/testresolver': ['password', 'connect', 'bindpw', 'ldap_password', 'sql_password', 'sql_connect'],
  '/system/importPolicy': ['file'],
  '/admin/resolver/add': ['secret'],
  '/admin/resolver/set': ['secret'],
  '/admin/resolver/test': ['secret'],
  '/admin/user/add': ['password'],
  '/admin/user/password': ['password'],
};

describe('secret parameters', () => {
  it('are declared as such by every endpoint that takes them', () => {
    const declared = declaredEndpoints().flatMap(({ path, secrets }) =>
      secrets.size === 0 ? [] : [[path, [...secrets].sort()] as const],
    );
    expect(Object.fromEntries(declared)).toEqual(
      Object.fromEntries(Object.entries(SECRETS).map(([path, names]) => [path, [...names].sort()])),
    );
  });

  it('reach the endpoint and not its dialect', async () => {
    const seen: unknown[] = [];
    const endpoint = openEndpoint(
      {
        path: '/thing',
        methods: ['POST'],
        summary: '',
        requires: 'nothing',
        family: 'linotp2',
        usage: '',
        changesState: false,
        answers: done(),
        parameters: z.object({ pass: secret(required('')) }),
      },
      ({ parameters, context }) => {
        seen.push(parameters, [...context.parameters], [...context.written]);
        return htmlReply('');
      },
    );
    const unused = (): Promise<undefined> => Promise.resolve(undefined);
    const begin = beginExchange({
      clock: systemClock,
      random: systemRandom,
      prefixOf: () => '',
      senderOf: () => ({ client: '::1', limitedAs: '::1' }),
    });
    const serve = serveEndpoint(endpoint, {
      credentials: {
        authenticatePassword: unused,
        recallPassword: () => undefined,
        findSession: unused,
        authenticateApiToken: unused,
      },
      logins: { authenticate: unused },
      limits: { bytes: 1000, parameters: 10 },
      guards: UNGUARDED,
      dialect: createDialect('documented', undefined),
      rights: { require: () => Promise.resolve() },
      refusals: { note: () => Promise.resolve() },
    });
    const app = express().disable('query parser');
    app.use((asked: ExchangeRequest, response: ExchangeResponse, next) => {
      begin(asked, response);
      next();
    });
    app.all(endpoint.path, serve);
    const sent = `csrf_token=${SECRET}&Pass=${SECRET}&session=${SECRET}&user=ann`;
    await request(app).post('/thing').type('form').send(sent);
    // Nor do credentials, which keep their names: the order of LinOTP's pages depends on all of them.
    const withheld = (pass: string) => [
      ['csrf_token', ''],
      [pass, ''],
      ['session', ''],
      ['user', 'ann'],
    ];
    expect(seen).toEqual([{ pass: SECRET }, withheld('pass'), withheld('Pass')]);
  });
});

it.each([
  ['192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::', '2001:db8:1:2::/64'],
  ['::1', '::/64'],
  ['fe80::1%eth0', 'fe80::/64'],
  ['64:ff9b::192.0.2.1', '64:ff9b::c000:201'],
  ['unknown', 'unknown'],
  [unnamedProxy('127.0.0.1'), '127.0.0.1'],
  [unnamedProxy('2001:db8:1:2:3:4:5:6'), '2001:db8:1:2::/64'],
])('clientNetwork counts %s as %s', (client, network) => {
  expect(clientNetwork(client)).toBe(network);
});

describe('networkMatcher', () => {
  it.each([
    [['loopback'], ['127.0.0.1', '127.9.9.9', '::1'], ['128.0.0.1', '::2', 'unknown']],
    [['linklocal'], ['169.254.1.1', 'fe80::1%eth0'], ['169.255.0.1', '::1']],
    [['uniquelocal'], ['10.1.2.3', '172.31.0.1', '192.168.0.1', 'fd00::1'], ['172.32.0.1', '11.0.0.1']],
    [
      ['192.0.2.0/24', '2001:db8::/32'],
      ['192.0.2.255', '2001:db8:ffff::1'],
      ['192.0.3.0', '2001:db9::1'],
    ],
    [
      ['192.0.2.1', '2001:db8::1'],
      ['192.0.2.1', '2001:db8::1'],
      ['192.0.2.2', '2001:db8::2'],
    ],
    [['::/0'], ['::1', '2001:db8::1'], ['127.0.0.1', '::ffff:127.0.0.1', '198.51.100.1']],
    [['0.0.0.0/0'], ['127.0.0.1', '::ffff:198.51.100.1'], ['::1', '2001:db8::1']],
    [['none'], [], ['127.0.0.1', '::1']],
    [[], [], ['127.0.0.1', '::1']],
    [
      ['loopback', '::/0', '0.0.0.0/0'],
      ['127.0.0.1', '::1'],
      [unnamedProxy('127.0.0.1'), 'unknown'],
    ],
  ])('%j holds these, and not those', (networks, inside, outside) => {
    const holds = networkMatcher(networks);
    expect(inside.filter((client) => !holds(client))).toEqual([]);
    expect(outside.filter((client) => holds(client))).toEqual([]);
  });

  it('is refused for what is no network, also where only its prefix is wrong', () => {
    for (const network of ['intranet.example', '10.0.0.0/33', '::ffff:10.0.0.0/64']) {
      expect(refusalOf(() => networkMatcher([network])).code).toBe('configuration.invalid');
    }
  });
});
