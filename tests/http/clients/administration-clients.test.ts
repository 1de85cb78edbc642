import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OPERATOR, PASSWORD, TestApplication } from '../../support/application/test-application.ts';
import { basic } from '../../support/values/basic.ts';
import {
  type Encoding,
  FORM,
  form,
  json,
  latin1Form,
  query,
  type RawAnswer,
  RawServer,
} from './raw-client.ts';

const SUITE = 'OCRA-1:HOTP-SHA256-8:QA32';
const DIALECTS = ['documented', 'linotp'] as const;
const BASIC = `Authorization: ${basic('admin', PASSWORD)}`;
const LATIN1_BASIC = `Authorization: Basic ${Buffer.from('jürgen:pässwört', 'latin1').toString('base64')}`;

/** One request of a client. `{name}` stands for a value that it has kept of earlier answers. */
interface Exchange {
  readonly sends: string;
  readonly head: readonly string[];
  readonly encoding: Encoding;
  readonly fields?: Readonly<Record<string, string>>;
  /** The first line of the answer; default: 200. */
  readonly status?: RegExp;
  /** What it looks for, whole answers included. */
  readonly finds?: readonly RegExp[];
  /** What it keeps, and the first group that has it, in the head or the body. */
  readonly keeps?: Readonly<Record<string, RegExp>>;
}

const SESSION = /^Set-Cookie: admin_session=([^;\r]+); (?!.*expires)/im;
/** The token of a list, by the field of either dialect. */
const LISTED = /"(?:LinOtp\.TokenSerialnumber|serial)": "QR1"/;
const DONE = /"status": true/;

const LINOTPADM = ['Accept-Encoding: identity', 'User-Agent: Python-urllib/2.7', 'Connection: close'];
const HTTP_CLIENT = ['Connection: Keep-Alive', 'User-Agent: Apache-HttpClient/4.5.13', 'Cookie2: $Version=1'];
const H2C = [
  'Connection: Upgrade, HTTP2-Settings',
  'HTTP2-Settings: AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA',
  'Upgrade: h2c',
];
const COOKIE = 'Cookie: admin_session={session}';

function session(head: readonly string[]): Exchange {
  return {
    sends: 'GET /admin/getsession',
    head: [BASIC, ...head],
    encoding: query,
    finds: [DONE],
    keeps: { session: SESSION },
  };
}

/** The requests of a portal: it asks, the user answers, and it looks at the state. */
function portal(head: readonly string[], encoding: Encoding, more: Record<string, string>): Exchange[] {
  return [
    {
      sends: 'POST /ocra/request',
      head,
      encoding,
      fields: { ...more, user: 'jürgen', data: 'Zahle 5 an Söhne' },
      finds: [/"data": "lseqr:\/\/req\?me=Zahle\+5\+an\+S%C3%B6hne&/],
      keeps: { transaction: /"transactionid": "(\w+)"/, question: /[?&]ch=(\w+)&/ },
    },
    {
      sends: 'POST /ocra/check_t',
      head,
      encoding,
      fields: { ...more, transactionid: '{transaction}', pass: '{response}' },
      finds: [/"result": true/, /"failcount": 0/],
    },
    {
      sends: 'POST /ocra/checkstatus',
      head,
      encoding,
      fields: { ...more, transactionid: '{transaction}' },
      finds: [/"valid_tan": true/, /"received_tan": true/, /"transactionid": "{transaction}"/],
    },
  ];
}

const CLIENTS: readonly (readonly [client: string, exchanges: readonly Exchange[]])[] = [
  [
    'linotpadm --authtype=Basic, which answers a challenge of the server',
    [
      {
        sends: 'GET /admin/getsession',
        head: LINOTPADM,
        encoding: query,
        status: /^HTTP\/1\.1 401 /,
        finds: [/^WWW-Authenticate: Basic realm="/im],
      },
      session(LINOTPADM),
      {
        sends: 'GET /admin/show',
        head: [BASIC, COOKIE, ...LINOTPADM],
        encoding: query,
        fields: { session: '{session}' },
        finds: [LISTED, /"(?:User\.username|user)": "j\\u00fcrgen"/],
      },
      {
        sends: 'POST /admin/disable',
        head: [BASIC, COOKIE, ...LINOTPADM],
        encoding: form(),
        fields: { serial: 'QR2', session: '{session}' },
        finds: [DONE, /"value": 1/],
      },
    ],
  ],
  [
    'linotpadm with Digest, which is told to use Basic',
    [
      {
        sends: 'GET /admin/getsession',
        head: [
          'Authorization: Digest username="admin", realm="tankeeper", nonce="1", uri="/admin/getsession", response="0"',
          ...LINOTPADM,
        ],
        encoding: query,
        status: /^HTTP\/1\.1 401 /,
        finds: [/^WWW-Authenticate: Basic realm="/im],
      },
    ],
  ],
  [
    "KIT's Shibboleth (Apache HttpClient), which keeps a session",
    [
      session(HTTP_CLIENT),
      {
        sends: 'POST /admin/show',
        head: [COOKIE, ...HTTP_CLIENT],
        encoding: latin1Form(),
        fields: { session: '{session}', user: 'jürgen' },
        finds: [LISTED, /"(?:tokens|total)": 1/],
      },
    ],
  ],
  ...['SEMOSS', 'Soffid'].map((name): [string, Exchange[]] => [
    `${name} (Java), with Basic and a session that it has made up`,
    [
      {
        sends: 'GET /admin/show',
        head: [BASIC, 'Cookie: admin_session=4711', 'User-Agent: Java/1.8.0_392', 'Connection: keep-alive'],
        encoding: query,
        fields: { session: '4711', user: 'jürgen' },
        finds: [LISTED],
      },
      {
        sends: 'POST /admin/set',
        head: [BASIC, 'Cookie: admin_session=4711', 'User-Agent: Java/1.8.0_392', 'Connection: keep-alive'],
        encoding: form(),
        fields: { session: '4711', serial: 'QR2', MaxFailCount: '7' },
        finds: [DONE],
      },
    ],
  ]),
  [
    'a client of LinOTP 3 (Python, requests), with a token in a cookie',
    [
      {
        sends: 'POST /admin/login',
        head: ['User-Agent: python-requests/2.31.0', 'Accept: */*'],
        encoding: form(),
        fields: { username: 'admin', password: PASSWORD },
        finds: [DONE],
        keeps: {
          token: /^Set-Cookie: access_token_cookie=([^;\r]+)/im,
          csrf: /^Set-Cookie: csrf_access_token=([^;\r]+)/im,
        },
      },
      {
        sends: 'POST /admin/enable',
        head: [
          'Cookie: access_token_cookie={token}; csrf_access_token={csrf}',
          'X-CSRF-TOKEN: {csrf}',
          'User-Agent: python-requests/2.31.0',
        ],
        encoding: form(),
        fields: { serial: 'QR2' },
        finds: [DONE],
      },
      {
        sends: 'GET /monitoring/tokens',
        head: ['Cookie: access_token_cookie={token}; csrf_access_token={csrf}'],
        encoding: query,
        fields: { realms: 'staff' },
        finds: [/"staff"/, /"total": 1/],
      },
    ],
  ],
  [
    'a portal in Python (requests), with Basic in Latin-1',
    portal([LATIN1_BASIC, 'User-Agent: python-requests/2.31.0', 'Accept: */*'], form(), {}),
  ],
  [
    'a portal in PHP (curl), with a session',
    [session(['Accept: */*']), ...portal([COOKIE, 'Accept: */*'], form(), { session: '{session}' })],
  ],
  ...Object.entries({
    'Java (Apache HttpClient 3), which puts cookies': HTTP_CLIENT,
    'Python (http.cookiejar), which puts cookies': ['User-Agent: Python-urllib/2.7'],
  }).map(([name, head]): [string, Exchange[]] => [
    `a portal in ${name} and the session in quotes`,
    [
      session(head),
      ...portal(['Cookie: $Version="1"; admin_session="{session}"; $Path="/"', ...head], latin1Form(FORM), {
        session: '"{session}"',
      }),
    ],
  ]),
  ['a portal in Java (java.net.http, which asks for HTTP/2)', portal([BASIC, ...H2C], form(), {})],
  ['a portal in Java (Apache HttpClient 4)', portal([BASIC, ...HTTP_CLIENT], latin1Form(), {})],
  ['a portal in C# (HttpWebRequest)', portal([BASIC, 'Expect: 100-continue'], form(), {})],
  ['a portal in JavaScript (axios, JSON)', portal([BASIC, 'User-Agent: axios/1.6.7'], json, {})],
  [
    'a list of users that is read page by page until one is empty (PHP)',
    ['1', '2', '3'].map((page) => ({
      sends: 'GET /admin/userlist',
      head: [BASIC],
      encoding: query,
      fields: { realm: 'staff', username: '*', page, rp: '1' },
      finds: [[/"jan"/], [/"jürgen"|"j\\u00fcrgen"/], [/"value": \[\s*\]/]][Number(page) - 1] ?? [],
    })),
  ],
  [
    'the list of tokens of the old management pages (jQuery, Flexigrid)',
    [
      {
        sends: 'POST /admin/show',
        head: [BASIC, 'X-Requested-With: XMLHttpRequest', 'Sec-Fetch-Site: same-origin'],
        encoding: form(`${FORM}; charset=UTF-8`),
        fields: { page: '1', pagesize: '15', sortby: 'TokenSerialnumber', sortdir: 'desc', filter: 'QR*' },
        finds: [/"QR2"[^]*"QR1"/],
      },
    ],
  ],
  [
    'a probe of Kubernetes and one of Icinga (curl)',
    [
      {
        sends: 'GET /maintenance/ok',
        head: ['User-Agent: kube-probe/1.29', 'Accept: */*', 'Connection: close'],
        encoding: query,
        finds: [/"value": true/],
      },
      {
        sends: 'GET /monitoring/config',
        head: [BASIC, 'User-Agent: curl/7.88.1', 'Accept: */*'],
        encoding: query,
        finds: [/"sync": "?[Tt]rue"?/],
      },
    ],
  ],
];

describe.each(DIALECTS)('in the dialect %s, every request is served of', (dialect) => {
  let application: TestApplication;
  let server: RawServer;

  beforeAll(async () => {
    application = await TestApplication.open({ dialect });
    const { services } = application;
    await application.addRealm('staff', ['jürgen', 'jan']);
    await services.realms.setDefault(OPERATOR, 'staff');
    await services.administrators.add(OPERATOR, 'jürgen', 'pässwört');
    await application.enrolPlain('QR1', SUITE, { user: 'jürgen', realm: 'staff' });
    await application.enrolPlain('QR2', SUITE);
    server = await RawServer.start(application);
  });
  afterAll(() => server[Symbol.asyncDispose]());

  it.each(CLIENTS)('%s', async (_client, exchanges) => {
    const kept = new Map<string, string>();
    const filled = (text: string): string =>
      text.replace(/\{(\w+)\}/g, (_whole, name: string) =>
        name === 'response' ? application.respond(SUITE, kept.get('question') ?? '') : (kept.get(name) ?? ''),
      );
    for (const { sends, head, encoding, fields = {}, status, finds = [], keeps = {} } of exchanges) {
      const answer: RawAnswer = await server.exchange({
        sends,
        head: head.map(filled),
        encoding,
        fields: Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, filled(value)])),
      });
      const text = `${answer.head}\n${answer.body}`;
      expect(text).toMatch(status ?? /^HTTP\/1\.1 200 /);
      for (const pattern of finds) {
        expect(text).toMatch(new RegExp(filled(pattern.source), pattern.flags));
      }
      for (const [name, pattern] of Object.entries(keeps)) {
        expect(text).toMatch(pattern);
        kept.set(name, pattern.exec(text)?.[1] ?? '');
      }
    }
  });
});
