import type { DialectName } from '../../../src/http/dialects/dialect.ts';
import { declaredEndpoints } from '../../support/description/declared-endpoints.ts';
import { type KnownFacts, soundParameters } from '../fuzz/fuzz-values.ts';
import type { CanaryClient, CanaryRequest } from './canary-client.ts';
import type { CanaryMarks } from './canary-search.ts';

type Parameters = Readonly<Record<string, string>>;

const FORM = 'application/x-www-form-urlencoded';

/** The ways of parameters into the server. */
const WAYS: readonly ((path: string, parameters: Parameters) => CanaryRequest)[] = [
  (path, parameters) => ({ path, method: 'POST', parameters }),
  (path, parameters) => ({ path: `${path}?${new URLSearchParams(parameters).toString()}`, method: 'GET' }),
  (path, parameters) => ({
    path,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(parameters),
  }),
  (path, parameters) => {
    const body = new FormData();
    for (const [name, value] of Object.entries(parameters)) {
      body.set(name, value);
    }
    return { path, method: 'POST', body };
  },
];

/** What removes comes last, so that there is something for the others. */
const REMOVES = /remove|\/del|drop|logout|lose/;

/** What the examples of the schemas stand for on the servers. */
const KNOWN: KnownFacts = {
  administrator: { name: 'admin', password: 'a password that is none' },
  apiToken: '',
  session: '',
  spareSession: '',
  login: { token: '', csrfToken: '' },
  passwdFile: '/nowhere',
  transactions: [{ transactionid: '0123456789abcdef0123', serial: 'QR1', user: 'alice', tan: '12345678' }],
};

/**
 * Asks every endpoint; with a value of its own in each parameter that the schema marks as secret, one at a time: any text, one
 * that is too long, digits, and digits with another character behind them; beside few and many other parameters, by each
 * way in.
 * @param isThorough all of that; else each secret once, as digits
 */
export async function askEveryEndpoint(
  client: CanaryClient,
  marks: CanaryMarks,
  dialect: DialectName,
  isThorough: boolean,
): Promise<void> {
  const all = declaredEndpoints(dialect);
  const inOrder = [false, true].flatMap((last) => all.filter(({ path }) => REMOVES.test(path) === last));
  for (const endpoint of inOrder) {
    const { path, methods, secrets } = endpoint;
    const given = soundParameters(endpoint, KNOWN, 0).map((pairs) => Object.fromEntries(pairs));
    const usual = WAYS[methods.includes('POST') ? 0 : 1];
    await (usual && client.send(usual(path, given[2] ?? {})));
    for (const [place, name] of [...secrets].entries()) {
      const values = shapesOf(path, name, marks);
      const combinations = isThorough
        ? given.flatMap((others) => values.map((value) => ({ ...others, [name]: value })))
        : [{ ...given[1], [name]: values[2] ?? '' }];
      await Promise.all(
        combinations.map(async (parameters, at) => {
          // With another way for the same shape beside other parameters.
          const way = WAYS[(place + at + (at >> 2)) % WAYS.length];
          await (way && client.send(way(path, parameters)));
        }),
      );
    }
  }
}

function shapesOf(path: string, parameter: string, marks: CanaryMarks): readonly string[] {
  const kind = parameter === 'otpkey' ? 'token key' : 'given';
  const name = `${parameter} of ${path}`;
  const text = marks.text(kind, name);
  const digits = Buffer.from(marks.word(kind, `${name}, in digits`)).toString('hex');
  return [text, text.repeat(20), digits, `${digits}g`];
}

/** Wrong and right credentials in headers and cookies, and the sessions that the server makes of them. */
export async function logIn(client: CanaryClient, marks: CanaryMarks, password: string): Promise<void> {
  const send: CanaryClient['send'] = (request) => client.send(request);
  const config = { path: '/monitoring/config' };
  const wrong = marks.text('wrong password', 'in a header');
  const unknown = marks.word('API token', 'unknown').padEnd(43, 'z');
  for (const authorization of [
    basic('admin', wrong),
    basic(marks.text('misplaced', 'a password as the name'), wrong),
    `Basic ${Buffer.from(wrong).toString('base64')}`,
    `Basic ${wrong.replace(/[^ -~]/g, '')}`,
    `Bearer tk_${unknown}`,
    `Digest ${unknown}`,
  ]) {
    await send({ ...config, headers: { authorization } });
  }
  const opened = await send({
    path: '/admin/getsession',
    headers: { authorization: basic('admin', password) },
  });
  const session = marks.note('session', 'of /admin/getsession', cookieOf(opened.cookies, 'admin_session'));
  const login = await send({
    path: '/admin/login',
    method: 'POST',
    headers: { authorization: '' },
    parameters: { username: 'admin', password },
  });
  const token = cookieOf(login.cookies, 'access_token_cookie');
  const csrf = marks.note('login token', 'csrf', cookieOf(login.cookies, 'csrf_access_token'));
  marks.note('login token', 'signature', token.split('.')[2] ?? '');
  const wrongCsrf = marks.word('login token', 'wrong csrf');
  const misplaced = marks.word('session', 'unknown').padEnd(43, 'x');
  for (const [cookie, parameters] of [
    [`admin_session=${session}`, { session }],
    [`admin_session=${session}`, { session: misplaced }],
    [`admin_session=${misplaced}`, { session: misplaced }],
    [`admin_session=${misplaced}; admin_session=x`, { session: misplaced }],
    [`sign_in=${misplaced}; access_token_cookie=${token.slice(0, -4)}AAAA`, {}],
    [`access_token_cookie=${token}`, { csrf_token: csrf }],
    [`access_token_cookie=${token}`, { csrf_token: wrongCsrf }],
  ] as const) {
    await send({ ...config, method: 'POST', parameters, headers: { authorization: '', cookie } });
  }
  const headers = { authorization: '', cookie: `access_token_cookie=${token}` };
  await send({ path: '/admin/logout', method: 'POST', headers, parameters: { csrf_token: csrf } });
  const asSession = { authorization: '', cookie: `admin_session=${session}` };
  await send({ path: '/admin/dropsession', method: 'POST', headers: asSession, parameters: { session } });
}

/** The address of a database for users. */
export interface PeopleDatabase {
  readonly server: string;
  readonly port: string;
  readonly database: string;
  readonly user: string;
}

/** Resolvers that sign in with a password, also one within a URL, which no schema can mark: one works, some cannot. */
export async function useResolvers(
  name: string,
  client: CanaryClient,
  marks: CanaryMarks,
  { server, port, database, user }: PeopleDatabase,
): Promise<void> {
  const post = (path: string, parameters: Parameters) => client.send({ path, method: 'POST', parameters });
  const secret = (of: string): string => marks.text('resolver password', of);
  const Map = '{"userid": "id", "username": "login", "password": "password"}';
  const sql = { Driver: 'postgresql', Table: 'people', User: user, Database: database, Map, Server: server };
  const ldap = {
    LDAPURI: 'ldap://127.0.0.1:1',
    LDAPBASE: 'dc=x',
    BINDDN: 'cn=reader',
    LOGINNAMEATTRIBUTE: 'uid',
    LDAPSEARCHFILTER: '(uid=*)',
    LDAPFILTER: '(uid=%s)',
  };
  const url = { Table: 'people', Map };
  const inUrl = encodeURIComponent(secret('in Connect'));
  const bare = marks.word('resolver password', 'with a slash in Connect');
  for (const [at, [kind, set, password]] of (
    [
      ['sql', { ...sql, Port: port }, secret('that works')],
      ['sql', { ...sql, Port: '1' }, secret('of a server that is not there')],
      ['sql', { ...sql, Port: port, Map: '{' }, secret('with a broken map')],
      ['sql', { ...url, Connect: `postgresql://reader:${inUrl}@127.0.0.1:1/crm` }, undefined],
      ['sql', { ...url, Connect: `postgresql://reader:1/${bare}@127.0.0.1/crm` }, undefined],
      ['ldap', ldap, secret('of a directory')],
      ['ldap', { ...ldap, LDAPFILTER: '(uid=%s' }, secret('with a broken filter')],
    ] as const
  ).entries()) {
    const resolver = `${name}-${at}`;
    const draft = { name: resolver, kind, set: JSON.stringify(set), ...(password && { secret: password }) };
    await post('/admin/resolver/test', draft);
    await post('/admin/resolver/add', draft);
    const [setting, type] = kind === 'sql' ? ['Password', 'sqlresolver'] : ['BINDPW', 'ldapresolver'];
    const ofOldClients = { name: resolver, type, ...set, ...(password && { [setting]: password }) };
    await post('/admin/testresolver', ofOldClients);
    await post('/system/setResolver', ofOldClients);
    await post('/system/getResolver', { resolver });
    await post('/system/setRealm', { realm: resolver, resolvers: resolver });
    await post('/monitoring/userinfo', { realms: resolver });
    const pass = marks.text('wrong password', resolver);
    await post('/validate/check', { user: 'zoe', realm: resolver, pass });
  }
}

/** A webhook, whose secret the server makes. */
export async function addWebhook(name: string, client: CanaryClient, marks: CanaryMarks): Promise<void> {
  const post = async (path: string, parameters: Parameters): Promise<string> => {
    const { value } = await client.send({ path, method: 'POST', parameters });
    return (value as { readonly secret?: string } | undefined)?.secret ?? '';
  };
  // No such host, so that nothing leaves this machine.
  const added = await post('/admin/webhook/add', { name, url: 'https://receiver.invalid/hook' });
  const renewed = await post('/admin/webhook/rotate-secret', { name });
  for (const secret of [added, renewed]) {
    marks.note('webhook secret', name, Buffer.from(secret.replace('whsec_', ''), 'base64'));
  }
  for (const act of ['show', 'test', 'deliveries', 'remove']) {
    await post(`/admin/webhook/${act}`, { name });
  }
}

/** Secrets where none belongs, and in requests that cannot be read. */
export async function misplace(client: CanaryClient, marks: CanaryMarks): Promise<void> {
  const secret = marks.text('misplaced', 'as a path, a name, a parameter that is none');
  const encoded = encodeURIComponent(secret);
  for (const [path, parameters] of [
    [`/ocra/check_t/${encoded}`, {}],
    [`/admin/init?pin=${encoded}%`, {}],
    ['/nothing', { password: secret }],
    ['/admin/token/list', { [secret]: '1' }],
    ['/ocra/check_t', { transactionid: secret, pass: '1' }],
    ['/ocra/request', { serial: secret, data: 'x', httperror: '500' }],
    ['/admin/init', { type: secret, serial: secret }],
    ['/monitoring/tokens', { status: secret, realms: secret }],
    ['/system/setConfig', { key: 'mail.password', value: secret, type: 'password' }],
    ['/system/importPolicy', { file: `[one]\npassword = ${secret}\n` }],
  ] as const) {
    await client.send({ path, parameters });
  }
  const header = marks.word('misplaced', 'in a header');
  const headers = {
    'user-agent': header,
    referer: `https://x/?pin=${header}`,
    'x-forwarded-for': header,
    'x-request-id': `${header}!`,
    'accept-language': header,
    origin: `https://${header}`,
  };
  await client.send({ path: '/monitoring/config', headers });
  await malform(client, marks.text('token PIN', 'in a request that cannot be read'));
}

async function malform(client: CanaryClient, pin: string): Promise<void> {
  const ascii = encodeURIComponent(pin);
  const form = `type=ocra&pin=${ascii}`;
  for (const [type, body] of [
    ['application/json', `{"pin": ${JSON.stringify(pin)}, "type": `],
    ['application/json', JSON.stringify({ pin: [pin], [pin]: { a: pin } })],
    [FORM, `${form}&serial=%zz`],
    [FORM, `${form}&serial=%00`],
    [FORM, Buffer.concat([Buffer.from(form), Buffer.from([0xff, 0xfe])])],
    [FORM, `${form}&${'x'.repeat(70_000)}`],
    [FORM, `${form}${'&a=1'.repeat(300)}`],
    ['text/plain', form],
    [`${FORM}; charset=latin1`, form],
    ['multipart/form-data; boundary=x', `--x\r\nfoo: ${pin}\r\n\r\n${pin}`],
  ] as const) {
    await client.send({ path: '/admin/init', method: 'POST', body, headers: { 'content-type': type } });
  }
  const head = `Host: x\r\nContent-Type: ${FORM}\r\n`;
  for (const bytes of [
    `POST /admin/init HTTP/1.1\r\n${head}Content-Length: 9999\r\n\r\n${form}`,
    `PIN ${ascii}\r\n\r\n`,
    `GET /ocra/check_t?pass=${ascii} HTTP/1.1\r\nHost: x\r\n${ascii}\r\n\r\n`,
    `POST /admin/init HTTP/1.1\r\n${head}Transfer-Encoding: chunked\r\n\r\n${form}`,
    `GET / HTTP/1.1\r\nHost: x\r\nCookie: ${ascii.repeat(2_000)}\r\n\r\n`,
  ]) {
    await client.sendRaw(bytes);
  }
}

function basic(name: string, password: string): string {
  return `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`;
}

function cookieOf(cookies: readonly string[], name: string): string {
  const value = cookies.map((cookie) => new RegExp(`^${name}=([^;]+)`).exec(cookie)?.[1]).find(Boolean);
  if (value === undefined) {
    throw new Error(`No cookie ${name}`);
  }
  return value;
}
