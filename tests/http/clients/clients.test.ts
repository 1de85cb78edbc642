import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type RunningServer, startServer } from '../../../src/http/serving/server.ts';
import {
  applicationOfTests,
  OPERATOR,
  PASSWORD,
  type TestApplication,
  wrongResponse,
} from '../../support/application/test-application.ts';
import { basic } from '../../support/values/callers.ts';

const FORM = 'Content-Type: application/x-www-form-urlencoded';

/** What a client writes of its parameters. */
interface Written {
  /** What follows the path in the first line. */
  readonly query?: string;
  readonly head?: readonly string[];
  readonly body?: Buffer;
}

/** Writes parameters as a client does. */
type Encoding = (fields: Readonly<Record<string, string>>) => Written;

function formOf(fields: Readonly<Record<string, string>>, encode: (text: string) => string): string {
  return Object.entries(fields)
    .map(([name, value]) => `${name}=${encode(value)}`)
    .join('&');
}

/** @returns the text with all but letters and digits percent-encoded, in that charset */
function percentEncoded(text: string, charset: 'utf8' | 'latin1'): string {
  return Array.from(Buffer.from(text, charset), (byte) =>
    /[\w.-]/.test(String.fromCharCode(byte))
      ? String.fromCharCode(byte)
      : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`,
  ).join('');
}

const asUtf8 = (text: string): string => percentEncoded(text, 'utf8').replaceAll('%20', '+');

function withBody(type: string, text: string): Written {
  const body = Buffer.from(text);
  return { head: [type, `Content-Length: ${body.length}`], body };
}

/** @param type the header `Content-Type` */
function form(type = FORM): Encoding {
  return (fields) => withBody(type, formOf(fields, asUtf8));
}

/** @param type the header `Content-Type` */
function latin1Form(type = `${FORM}; charset=ISO-8859-1`): Encoding {
  return (fields) =>
    withBody(
      type,
      formOf(fields, (text) => percentEncoded(text, 'latin1')),
    );
}

/** Letters as they are, as shell scripts send them. */
const unencodedForm: Encoding = (fields) =>
  withBody(
    FORM,
    formOf(fields, (text) => text),
  );

const query: Encoding = (fields) => ({ query: `?${formOf(fields, asUtf8)}` });

const latin1Query: Encoding = (fields) => ({
  query: `?${formOf(fields, (text) => percentEncoded(text, 'latin1'))}`,
});

const json: Encoding = (fields) => withBody('Content-Type: application/json', JSON.stringify(fields));

/** @param part what precedes each value; `{}` is its name */
function multipart(boundary: string, part: string, written = boundary): Encoding {
  return (fields) =>
    withBody(
      `Content-Type: multipart/form-data; boundary=${written}`,
      Object.entries(fields)
        .map(([name, value]) => `--${boundary}\r\n${part.replace('{}', name)}\r\n\r\n${value}\r\n`)
        .concat(`--${boundary}--\r\n`)
        .join(''),
    );
}

/** A form in one chunk, as by clients that do not know its length beforehand. */
const chunkedForm: Encoding = (fields) => {
  const text = formOf(fields, asUtf8);
  return {
    head: [FORM, 'Transfer-Encoding: chunked'],
    body: Buffer.from(`${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`),
  };
};

/** A request that a client sends. */
interface RawRequest {
  /** Method, path and, unless it is HTTP/1.1, the version. */
  readonly sends: string;
  readonly head: readonly string[];
  readonly encoding: Encoding;
  readonly fields: Readonly<Record<string, string>>;
}

/** An answer as its bytes tell. */
interface RawAnswer {
  readonly head: string;
  readonly body: string;
}

/** An application on a port of this machine, to which requests are sent byte by byte. */
class RawServer {
  readonly #server: RunningServer;

  private constructor(server: RunningServer) {
    this.#server = server;
  }

  static async start({ app }: TestApplication): Promise<RawServer> {
    return new RawServer(await startServer(app, { host: '127.0.0.1', port: 0 }));
  }

  close(): Promise<unknown> {
    return this.#server.close(1_000);
  }

  /** Sends the head, waits for `100 Continue` where it announces so, and sends the body. */
  async exchange({ sends, head, encoding, fields }: RawRequest): Promise<RawAnswer> {
    const [method = '', path = '', version = 'HTTP/1.1'] = sends.split(' ');
    const written = encoding(fields);
    const lines = [
      `${method} ${path}${written.query ?? ''} ${version}`,
      `Host: 127.0.0.1:${this.#server.port}`,
      ...head,
      ...(written.head ?? []),
    ];
    const socket = connect(this.#server.port, '127.0.0.1');
    try {
      // Letters in a URL go out as the bytes of UTF-8.
      socket.write(`${lines.join('\r\n')}\r\n\r\n`);
      if (lines.includes('Expect: 100-continue')) {
        expectContinue(await read(socket, (text) => text.includes('\r\n\r\n')));
      }
      socket.write(written.body ?? '');
      const text = await read(socket, isWhole);
      const end = text.indexOf('\r\n\r\n');
      return { head: text.slice(0, end), body: Buffer.from(text.slice(end + 4), 'latin1').toString() };
    } finally {
      socket.destroy();
    }
  }
}

function expectContinue(text: string): void {
  if (!text.startsWith('HTTP/1.1 100 ')) {
    throw new Error(`No 100 Continue: ${text}`);
  }
}

async function read(socket: Socket, isEnough: (text: string) => boolean): Promise<string> {
  let text = '';
  while (!isEnough(text)) {
    const piece = await Promise.race([once(socket, 'data'), once(socket, 'end')]);
    if (!(piece[0] instanceof Buffer)) {
      throw new Error(`The answer breaks off: ${text}`);
    }
    text += piece[0].toString('latin1');
  }
  return text;
}

function isWhole(text: string): boolean {
  const end = text.indexOf('\r\n\r\n');
  const length = Number(/^Content-Length: (\d+)/im.exec(text)?.[1]);
  return end >= 0 && text.length - end - 4 >= length;
}

const SUITE = 'OCRA-1:HOTP-SHA256-8:QA32';
const USER = 'jürgen';
const PIN = 'pïn-4';
const EXPECT = 'Expect: 100-continue';

/** What a client makes of an answer: accepted, refused, or the transaction that it names in its second step. */
type Reading = (answer: string) => string;

const line: Reading = (answer) =>
  new Map([
    [':-)', 'accepted'],
    [':-(', 'refused'],
  ]).get(answer.trim()) ?? answer.replace(/^:-\( (\S+) Otp: $/, '$1');

interface Answer {
  readonly result: { readonly status: boolean; readonly value: boolean | { readonly auth: boolean } };
  readonly detail?: { readonly transactionid: string };
}

const verdict =
  (isAccepted: (value: Answer['result']['value']) => boolean): Reading =>
  (answer) => {
    const { result, detail } = JSON.parse(answer) as Answer;
    const isRight = result.status && isAccepted(result.value);
    return isRight ? 'accepted' : (detail?.transactionid ?? 'refused');
  };
const value = verdict((given) => given === true);
const auth = verdict((given) => typeof given === 'object' && given.auth);

/** Programs that log users in: what each writes, and what it reads. */
interface LoginClient {
  readonly client: string;
  /** Method, path and, unless it is HTTP/1.1, the version. */
  readonly sends: string;
  readonly head: readonly string[];
  readonly encoding: Encoding;
  /** What it sends besides `user` and `pass`. */
  readonly more?: Readonly<Record<string, string>>;
  readonly reads: Reading;
  /** The parameter of its second step; undefined: it knows one step, PIN and response together. */
  readonly second?: 'state' | 'transactionid';
}

const CURL = ['User-Agent: curl/7.88.1', 'Accept: */*'];
const PHP_PART = 'Content-Disposition: form-data; name="{}"';

const CLIENTS: readonly LoginClient[] = [
  {
    client: 'PAM in C (libcurl)',
    sends: 'POST /validate/simplecheck',
    head: ['User-Agent: libcurl-agent/1.0', 'Accept: */*'],
    encoding: form(),
    more: { realm: 'staff', resConf: '' },
    reads: line,
    second: 'state',
  },
  ...[form(), chunkedForm].map((encoding): LoginClient => ({
    client: `FreeRADIUS, its REST module${encoding === chunkedForm ? ' (in chunks)' : ''}`,
    sends: 'POST /validate/check',
    head: [
      'User-Agent: FreeRADIUS 3.2.1',
      'Accept: */*',
      'X-FreeRADIUS-Section: authenticate',
      'X-FreeRADIUS-Server: default',
      ...(encoding === chunkedForm ? [EXPECT] : []),
    ],
    encoding,
    // Its first step has none yet.
    more: { state: '' },
    reads: value,
    second: 'state',
  })),
  {
    client: 'Apache, by a script of curl',
    sends: 'GET /validate/simplecheck HTTP/1.0',
    head: CURL,
    encoding: query,
    reads: line,
  },
  {
    client: 'SimpleSAMLphp (PHP, curl)',
    sends: 'GET /validate/samlcheck',
    head: ['Accept: */*'],
    encoding: query,
    more: { realm: 'staff', resConf: '' },
    reads: auth,
    second: 'state',
  },
  {
    client: 'Shibboleth (Apache HttpClient 4)',
    sends: 'POST /validate/check',
    head: ['Connection: Keep-Alive', 'User-Agent: Apache-HttpClient/4.5.13', 'Accept-Encoding: gzip,deflate'],
    encoding: latin1Form(),
    reads: value,
    second: 'transactionid',
  },
  {
    client: 'Java (Apache HttpClient 3, Latin-1 without a charset)',
    sends: 'POST /validate/check',
    head: ['User-Agent: Jakarta Commons-HttpClient/3.1'],
    encoding: latin1Form(FORM),
    reads: value,
    second: 'state',
  },
  {
    client: 'Perl (URI::Escape, Latin-1 in the URL)',
    sends: 'GET /validate/simplecheck',
    head: ['TE: deflate,gzip;q=0.3', 'Connection: TE, close', 'User-Agent: libwww-perl/6.68'],
    encoding: latin1Query,
    reads: line,
    second: 'state',
  },
  {
    client: 'Contao (PHP, curl with an array)',
    sends: 'POST /validate/check',
    head: ['Accept: */*', EXPECT],
    encoding: multipart('------------------------d74496d66958873e', PHP_PART),
    reads: value,
    second: 'state',
  },
  {
    client: 'OpenVPN, by a script that encodes nothing',
    sends: 'POST /validate/check',
    head: CURL,
    encoding: unencodedForm,
    reads: value,
  },
  {
    client: 'Java (java.net.http, which asks for HTTP/2)',
    sends: 'POST /validate/check',
    head: [
      'Connection: Upgrade, HTTP2-Settings',
      'HTTP2-Settings: AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA',
      'Upgrade: h2c',
      'User-Agent: Java-http-client/17.0.9',
    ],
    encoding: form(),
    reads: value,
    second: 'transactionid',
  },
  {
    client: 'PHP (Guzzle)',
    sends: 'POST /validate/check',
    head: ['User-Agent: GuzzleHttp/7'],
    encoding: json,
    reads: value,
    second: 'transactionid',
  },
  {
    client: 'JavaScript in a browser (jQuery)',
    sends: 'POST /validate/check',
    head: [
      'Accept: application/json, text/javascript, */*; q=0.01',
      'X-Requested-With: XMLHttpRequest',
      'Sec-Fetch-Site: same-origin',
      'Sec-Fetch-Mode: cors',
      'Sec-Fetch-Dest: empty',
    ],
    encoding: form(`${FORM}; charset=UTF-8`),
    reads: value,
    second: 'transactionid',
  },
  {
    client: 'C# (HttpClient, MultipartFormDataContent)',
    sends: 'POST /validate/check',
    head: [],
    encoding: multipart(
      '6d3f1a52-98a0-4b77-8b6c-0f6a2e0c9d11',
      'Content-Type: text/plain; charset=utf-8\r\nContent-Disposition: form-data; name={}',
      '"6d3f1a52-98a0-4b77-8b6c-0f6a2e0c9d11"',
    ),
    reads: value,
    second: 'transactionid',
  },
];

describe.each(['documented', 'linotp'] as const)('in the dialect %s, a user logs in by', (dialect) => {
  let server: RawServer;
  afterAll(() => server.close());
  const application = applicationOfTests({ dialect });

  beforeAll(async () => {
    await application.addRealm('staff', [USER]);
    await application.services.realms.setDefault(OPERATOR, 'staff');
    await application.setPolicy('trigger', 'authentication', 'challenge_response=*, otppin=0', {
      realm: 'staff',
    });
    await application.services.settings.set(OPERATOR, new Map([['AllowSamlAttributes', 'True']]));
    await application.enrolPlain('QR1', SUITE, { pin: PIN, user: USER, realm: 'staff' });
    server = await RawServer.start(application);
  });

  /** @returns what the app computes for the newest challenge */
  async function response(): Promise<string> {
    const [newest] = await application.rows<{ readonly question: string }>(
      'SELECT question FROM challenges ORDER BY id DESC LIMIT 1',
    );
    return application.respond(SUITE, newest?.question ?? '');
  }

  async function read(client: LoginClient, login: Record<string, string>): Promise<string> {
    const { more = {}, reads } = client;
    const answer: RawAnswer = await server.exchange({ ...client, fields: { user: USER, ...more, ...login } });
    expect(answer.head).toMatch(/^HTTP\/1\.1 200 /);
    return reads(answer.body);
  }

  it.each(CLIENTS)('$client', async (client) => {
    const { second } = client;
    const asked = second === undefined ? '' : await read(client, { pass: PIN });
    if (second === undefined) {
      await application.challenge('QR1');
    } else {
      expect(asked).toMatch(dialect === 'linotp' ? /^\d{17}$/ : /^[0-9a-f]{24}$/);
    }
    const right = await response();
    const said: string[] = [];
    for (const typed of [wrongResponse(right), right, right]) {
      const login = second === undefined ? { pass: PIN + typed } : { pass: typed, [second]: asked };
      said.push(await read(client, login));
    }
    expect(said).toEqual(['refused', 'accepted', 'refused']);
  });
});

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

const ADMINISTRATION: readonly (readonly [client: string, exchanges: readonly Exchange[]])[] = [
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
  [
    'SEMOSS and Soffid (Java), with Basic and a session that they have made up',
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
  ],
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
  [
    'a portal in Java (Apache HttpClient 3), which puts cookies and the session in quotes',
    [
      session(HTTP_CLIENT),
      ...portal(
        ['Cookie: $Version="1"; admin_session="{session}"; $Path="/"', ...HTTP_CLIENT],
        latin1Form(FORM),
        { session: '"{session}"' },
      ),
    ],
  ],
];

describe.each(DIALECTS)('in the dialect %s, every request is served of', (dialect) => {
  let server: RawServer;
  afterAll(() => server.close());
  const application = applicationOfTests({ dialect });

  beforeAll(async () => {
    const { services } = application;
    await application.addRealm('staff', ['jürgen', 'jan']);
    await services.realms.setDefault(OPERATOR, 'staff');
    await services.administrators.add(OPERATOR, 'jürgen', 'pässwört');
    await application.enrolPlain('QR1', SUITE, { user: 'jürgen', realm: 'staff' });
    await application.enrolPlain('QR2', SUITE);
    server = await RawServer.start(application);
  });

  it.each(ADMINISTRATION)('%s', async (_client, exchanges) => {
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
