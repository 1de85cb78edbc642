import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OPERATOR, TestApplication, wrongResponse } from '../../support/application/test-application.ts';
import { queryOnce } from '../../support/database/test-server.ts';
import {
  chunkedForm,
  type Encoding,
  FORM,
  form,
  json,
  latin1Form,
  latin1Query,
  multipart,
  query,
  type RawAnswer,
  RawServer,
  unencodedForm,
} from './raw-client.ts';

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
const JAVA = [
  'User-Agent: Java/17.0.9',
  'Accept: text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2',
  'Connection: keep-alive',
];
const REQUESTS = [
  'User-Agent: python-requests/2.31.0',
  'Accept-Encoding: gzip, deflate',
  'Accept: */*',
  'Connection: keep-alive',
];

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
  {
    client: 'PAM in Python (urllib)',
    sends: 'POST /validate/check',
    head: ['Accept-Encoding: identity', 'User-Agent: Python-urllib/3.11', 'Connection: close'],
    encoding: form(),
    more: { realm: 'staff' },
    reads: value,
    second: 'transactionid',
  },
  {
    client: 'FreeRADIUS, its Perl module (LWP)',
    sends: 'POST /validate/simplecheck',
    head: ['TE: deflate,gzip;q=0.3', 'Connection: TE, close', 'User-Agent: libwww-perl/6.68'],
    encoding: form(),
    more: { realm: 'staff', resConf: '', client: '192.0.2.7' },
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
    client: 'WordPress (WP_Http)',
    sends: 'POST /validate/check',
    head: [
      'User-Agent: WordPress/6.4.3; https://blog.example.com',
      'Accept: */*',
      'Accept-Encoding: deflate, gzip, br, zstd',
      'Referer: http://127.0.0.1/validate/check',
      'Connection: close',
    ],
    encoding: form(`${FORM}; charset=UTF-8`),
    more: { realm: 'staff' },
    reads: value,
  },
  {
    client: 'Roundcube (PHP, streams)',
    sends: 'GET /validate/check HTTP/1.0',
    head: ['Connection: close'],
    encoding: query,
    reads: value,
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
    client: 'MISP (CakePHP)',
    sends: 'POST /validate/check',
    head: ['Connection: close', 'User-Agent: CakePHP'],
    encoding: form(),
    more: { realm: 'staff' },
    reads: value,
  },
  {
    client: 'OpenVPN, by a script that encodes nothing',
    sends: 'POST /validate/check',
    head: CURL,
    encoding: unencodedForm,
    reads: value,
  },
  {
    client: 'Kubernetes, its webhook (Go)',
    sends: 'POST /validate/check',
    head: ['User-Agent: Go-http-client/1.1', 'Accept-Encoding: gzip'],
    encoding: form(),
    reads: value,
    second: 'transactionid',
  },
  {
    client: 'Java (HttpURLConnection)',
    sends: 'POST /validate/check',
    head: JAVA,
    encoding: form(`${FORM};charset=UTF-8`),
    reads: value,
    second: 'state',
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
    client: 'Python (requests, form)',
    sends: 'POST /validate/check',
    head: REQUESTS,
    encoding: form(),
    reads: value,
    second: 'state',
  },
  {
    client: 'Python (requests, JSON)',
    sends: 'POST /validate/samlcheck',
    head: REQUESTS,
    encoding: json,
    reads: auth,
    second: 'transactionid',
  },
  {
    client: 'JavaScript (axios)',
    sends: 'POST /validate/check',
    head: ['Accept: application/json, text/plain, */*', 'User-Agent: axios/1.6.7', 'Connection: close'],
    encoding: form(`${FORM};charset=utf-8`),
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
    client: 'C# (HttpWebRequest)',
    sends: 'POST /validate/check',
    head: [EXPECT, 'Connection: Keep-Alive'],
    encoding: form(),
    reads: value,
    second: 'state',
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
  let application: TestApplication;
  let server: RawServer;

  beforeAll(async () => {
    application = await TestApplication.open({ dialect });
    await application.addRealm('staff', [USER]);
    await application.services.realms.setDefault(OPERATOR, 'staff');
    await application.services.policies.set(OPERATOR, {
      name: 'trigger',
      scope: 'authentication',
      action: 'challenge_response=*, otppin=0',
      realm: 'staff',
      user: '*',
    });
    await application.services.settings.set(OPERATOR, new Map([['AllowSamlAttributes', 'True']]));
    await application.enrolPlain('QR1', SUITE, { pin: PIN, user: USER, realm: 'staff' });
    server = await RawServer.start(application);
  });
  afterAll(() => server[Symbol.asyncDispose]());

  /** @returns what the app computes for the newest challenge */
  async function response(): Promise<string> {
    const [newest] = await queryOnce<{ readonly question: string }>(
      application.databaseUrl,
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
