import type { CanaryClient, CanaryRequest } from './canary-client.ts';
import type { CanaryMarks, MarkKind } from './canary-search.ts';
import { container, FIGURE_6, FIGURE_7, ocraPackage } from '../../support/values/pskc-documents.ts';

const SUITE = 'OCRA-1:HOTP-SHA512-10:C-QA64';
const FORM = 'application/x-www-form-urlencoded';

/** The address of a database for users. */
export interface PeopleDatabase {
  readonly server: string;
  readonly port: string;
  readonly database: string;
  readonly user: string;
}

/** An administrator's requests with secrets other than tokens: logins, key files, resolvers, with their failures. */
export class CanaryAdministration {
  readonly #client: CanaryClient;
  readonly #marks: CanaryMarks;
  readonly #name: string;
  readonly #password: string;

  constructor(name: string, client: CanaryClient, marks: CanaryMarks, password: string) {
    this.#name = name;
    this.#client = client;
    this.#marks = marks;
    this.#password = password;
  }

  /** Sessions and logins: opened, used, refused, closed. */
  async logIn(): Promise<void> {
    const { cookies } = await this.#send({
      path: '/admin/getsession',
      headers: { authorization: basic('admin', this.#password) },
    });
    const session = this.#marks.note('session', 'of /admin/getsession', cookieOf(cookies, 'admin_session'));
    const asSession = { authorization: '', cookie: `admin_session=${session}` };
    await this.#send({ path: '/monitoring/config', parameters: { session }, headers: asSession });
    for (const wrong of [this.#marks.word('session', 'unknown').padEnd(43, 'x'), session.toLowerCase()]) {
      await this.#send({ path: '/monitoring/config', parameters: { session: wrong }, headers: asSession });
      await this.#send({
        path: '/monitoring/config',
        parameters: { session: wrong },
        headers: { authorization: '', cookie: `admin_session=${wrong}` },
      });
    }
    await this.#logInByToken();
    await this.#logInWrongly();
    await this.#send({ path: '/admin/dropsession', parameters: { session }, headers: asSession });
  }

  async #logInByToken(): Promise<void> {
    const login: CanaryRequest = {
      path: '/admin/login',
      method: 'POST',
      headers: { authorization: '' },
      parameters: { username: 'admin', password: this.#password },
    };
    const { cookies } = await this.#send(login);
    const token = cookieOf(cookies, 'access_token_cookie');
    const csrf = this.#marks.note('login token', 'csrf', cookieOf(cookies, 'csrf_access_token'));
    this.#marks.note('login token', 'signature', token.split('.')[2] ?? '');
    const headers = { authorization: '', cookie: `access_token_cookie=${token}` };
    const wrong = this.#marks.word('login token', 'wrong csrf');
    const changed = `${token.slice(0, -4)}AAAA`;
    await this.#send({ path: '/monitoring/license', headers, parameters: { csrf_token: csrf } });
    await this.#send({
      path: '/monitoring/license',
      method: 'POST',
      headers,
      parameters: { csrf_token: wrong },
    });
    await this.#send({
      path: '/monitoring/license',
      headers: { authorization: '', cookie: `access_token_cookie=${changed}` },
    });
    await this.#send({ path: '/admin/logout', headers, parameters: { csrf_token: csrf } });
    await this.#signIn();
  }

  /** Sign-ins with proofs that are wrong. */
  async #signIn(): Promise<void> {
    const wrong = this.#marks.text('wrong password', 'of a sign-in');
    const secret = this.#marks.word('session', 'of a sign-in').padEnd(43, 'x');
    const post = (path: string, parameters: Readonly<Record<string, string>>) =>
      this.#send({ path, method: 'POST', parameters, headers: { cookie: `sign_in=${secret}` } });
    await post('/admin/sign-in', { username: `${this.#name}-nobody`, password: wrong });
    await post('/admin/sign-in', { username: 'admin', password: this.#password });
    await post('/admin/sign-in/finish', { response: wrong, credential: wrong });
    await post('/admin/sign-in/passkey-link', { link: secret });
    await post('/admin/sign-in/passkey', { credential: JSON.stringify({ id: wrong }), name: 'laptop' });
  }

  async #logInWrongly(): Promise<void> {
    const wrong = this.#marks.text('wrong password', 'of the administrator');
    const misplaced = this.#marks.text('misplaced', 'a password as the name');
    const unknown = `tk_${this.#marks.word('API token', 'unknown').padEnd(43, 'z')}`;
    for (const authorization of [
      basic('admin', wrong),
      basic(`${this.#name}-nobody`, wrong),
      basic(misplaced, wrong),
      `Basic ${Buffer.from(wrong).toString('base64')}`,
      `Basic ${wrong.replace(/[^ -~]/g, '')}`,
      `Bearer ${unknown}`,
      `Digest ${unknown}`,
    ]) {
      await this.#send({ path: '/monitoring/tokens', headers: { authorization } });
    }
    await this.#send({
      path: '/admin/set',
      parameters: { serial: misplaced, realm: misplaced, pin: wrong },
      headers: { authorization: basic(`${this.#name}-nobody`, wrong) },
    });
    const headers = { authorization: '' };
    for (const parameters of [
      { username: `${this.#name}-nobody`, password: wrong },
      { username: misplaced, password: wrong },
      { username: '', password: wrong.repeat(100) },
    ]) {
      await this.#send({ path: '/admin/login', method: 'POST', parameters, headers });
    }
    const dropped = this.#marks.word('session', 'two cookies');
    await this.#send({
      path: '/monitoring/tokens',
      parameters: { session: dropped },
      headers: { authorization: '', cookie: `admin_session=${dropped}; admin_session=x` },
    });
  }

  /** Key files: correct, broken, under other passwords. */
  async loadTokens(): Promise<void> {
    const secret = this.#marks.bytes('token key', 'of a key file', 32);
    const file = container({ packages: ocraPackage(`${this.#name}-LOAD`, SUITE, secret) });
    const encoded = secret.toString('base64');
    const load = (parameters: Readonly<Record<string, string>>) =>
      this.#send({ path: '/admin/loadtokens', method: 'POST', parameters });
    await load({ file, type: 'pskc' });
    await load({ file, type: 'pskc' });
    for (const broken of [
      file.replace('<PlainValue>', '<PlainValue '),
      file.replace('<PlainValue>', '<PlainValue'),
      file.replace('</PlainValue>', `</${encoded}>`),
      file.replace(encoded, `${encoded}&${encoded};`),
      file.replace(encoded, `<${encoded}>`),
      file.replace(encoded, `!${encoded}!`),
      file.replace('<PlainValue>', `<PlainValue a="${encoded}">`).replace('</Key>', ''),
      file.slice(0, file.indexOf(encoded) + 20),
      encoded,
    ]) {
      await load({ file: broken, type: 'pskc' });
    }
    const pskc_password = this.#marks.text('key file password', 'wrong');
    const pskc_preshared = this.#marks.bytes('key file password', 'pre-shared', 16).toString('hex');
    await load({ file: FIGURE_7, pskc_password });
    await load({ file: FIGURE_6, pskc_preshared });
    await load({ file: FIGURE_6, pskc_preshared: `${pskc_preshared}x` });
    const form = new FormData();
    form.set('file', new Blob([file.replace('-LOAD', '-FORM')]), 'keys.xml');
    await this.#send({ path: '/admin/loadtokens', label: 'as a form ', method: 'POST', body: form });
  }

  /** Resolvers that log in with a password: one that works, some that cannot, some that are refused. */
  async setResolvers({ server, port, database, user }: PeopleDatabase): Promise<void> {
    const set = (parameters: Readonly<Record<string, string>>) =>
      this.#send({ path: '/system/setResolver', parameters: { name: `${this.#name}-dir`, ...parameters } });
    const secret = (name: string): string => this.#marks.text('resolver password', name);
    const sql = {
      type: 'sqlresolver',
      Driver: 'postgresql',
      Table: 'people',
      User: user,
      Database: database,
    };
    const Map = '{"userid": "id", "username": "login", "password": "password"}';
    const works = { ...sql, Map, Server: server, Port: port, Password: secret('that works') };
    await set({ ...works, name: `${this.#name}-people` });
    await set({ ...works, Port: '1', Password: secret('of a server that is not there') });
    await set({ ...works, Map: '{', Password: secret('with a broken map') });
    await set({ ...works, Driver: 'oracle', Password: secret('with another driver') });
    const inUrl = encodeURIComponent(secret('in Connect'));
    const bare = this.#marks.word('resolver password', 'with a slash in Connect');
    for (const Connect of [
      `postgresql://reader:${inUrl}@127.0.0.1:1/crm`,
      `postgresql://reader:${inUrl}@127.0.0.1:1/crm?sslmode=${bare}x`.replace(`=${bare}`, '=no'),
      `postgresql://reader:1/${bare}@127.0.0.1/crm`,
      `postgresql://reader:1?${bare}@127.0.0.1/crm`,
      `postgresql//reader:${bare}@127.0.0.1/crm`,
    ]) {
      await set({ name: `${this.#name}-url`, type: 'sqlresolver', Connect, Table: 'people', Map });
    }
    const ldap = {
      type: 'ldapresolver',
      LDAPURI: 'ldap://127.0.0.1:1',
      LDAPBASE: 'dc=x',
      BINDDN: 'cn=reader',
      LOGINNAMEATTRIBUTE: 'uid',
      LDAPSEARCHFILTER: '(uid=*)',
      LDAPFILTER: '(uid=%s)',
    };
    const name = `${this.#name}-ldap`;
    await set({ ...ldap, name, BINDPW: secret('of a directory'), EnforceTLS: 'False' });
    await set({ ...ldap, name, BINDPW: secret('with a broken filter'), LDAPFILTER: '(uid=%s' });
    await set({ ...ldap, name, BINDPW: `${secret('in two lines')}\n2` });
    for (const resolver of [name, `${this.#name}-dir`, `${this.#name}-people`, `${this.#name}-url`]) {
      await this.#send({ path: '/system/setRealm', parameters: { realm: resolver, resolvers: resolver } });
      await this.#send({ path: '/monitoring/userinfo', parameters: { realms: resolver } });
      await this.#send({ path: '/monitoring/activeUsers', parameters: { realms: resolver } });
      await this.#send({ path: '/admin/helpdesk/person', parameters: { user: 'zoe', realm: resolver } });
      await this.#send({ path: '/system/getResolver', parameters: { resolver } });
      await this.#send({
        path: '/validate/check',
        parameters: { user: 'zoe', realm: resolver, pass: this.#marks.text('wrong password', resolver) },
      });
    }
    await this.#send({ path: '/system/delRealm', parameters: { realm: name } });
    await this.#send({ path: '/system/delResolver', parameters: { resolver: name } });
    await this.#send({ path: '/system/setDefaultRealm', parameters: { realm: '' } });
  }

  /** Invalid values, policies, and what lists them. */
  async configure(): Promise<void> {
    const value = this.#marks.text('misplaced', 'a password in the configuration');
    for (const type of ['password', 'encrypted_data']) {
      await this.#send({ path: '/system/setConfig', parameters: { key: 'mail.password', value, type } });
    }
    await this.#send({ path: '/system/setConfig', parameters: { [`${this.#name}.a`]: '1', b: '\u0007' } });
    await this.#send({ path: '/system/setDefault', parameters: { DefaultMaxFailCount: '10' } });
    await this.#send({ path: '/system/getConfig', parameters: {} });
    await this.#send({ path: '/system/delConfig', parameters: { key: `${this.#name}.a` } });
    const policy = { name: `${this.#name}-p`, scope: 'monitoring', action: '*', realm: '*', user: '*' };
    await this.#send({ path: '/system/setPolicy', parameters: policy });
    await this.#send({ path: '/system/getPolicy' });
    await this.#send({ path: '/system/getPolicy/policy.cfg' });
    const file = `[${policy.name}]\nscope = monitoring\naction = *\nrealm = *\nuser = *\n`;
    await this.#send({ path: '/system/importPolicy', parameters: { file } });
    const wrongFile = this.#marks.text('misplaced', 'in a file of policies');
    for (const line of [wrongFile, `password = ${wrongFile}`, `time = """${wrongFile}`]) {
      await this.#send({ path: '/system/importPolicy', parameters: { file: `${file}${line}\n` } });
    }
    await this.#send({ path: '/system/importPolicy', parameters: { file: wrongFile } });
    await this.#send({ path: '/system/delPolicy', parameters: { name: policy.name } });
    await this.#send({ path: '/admin/userlist', parameters: { username: '*' } });
    await this.#send({ path: '/admin/audit/search', parameters: { since: '1H', limit: '1000' } });
    await this.#send({ path: '/admin/audit/export', parameters: { since: '1H' } });
    for (const path of ['/metrics', '/healthz', '/startupz', '/readyz', '/docs/monitoring-post']) {
      await this.#send({ path, method: 'GET' });
    }
  }

  /** Secrets in unexpected places, and requests that cannot be read. */
  async misplace(): Promise<void> {
    const secret = (kind: MarkKind, name: string): string => this.#marks.text(kind, name);
    const path = encodeURIComponent(secret('misplaced', 'in the path'));
    await this.#send({ path: `/ocra/check_t/${path}` });
    await this.#send({ path: `/admin/init?pin=${path}%` });
    await this.#send({ path: '/nothing', parameters: { password: secret('misplaced', 'an unknown path') } });
    const name = secret('misplaced', 'as the name of a parameter');
    await this.#send({ path: '/admin/token/list', parameters: { [name]: '1' } });
    const pass = secret('misplaced', 'as the transaction');
    for (const parameters of [{ transactionid: pass, pass: '1' }, { pass }, { pass, state: pass }]) {
      await this.#send({ path: '/ocra/check_t', parameters });
      await this.#send({ path: '/validate/check_t', parameters });
    }
    await this.#send({ path: '/ocra/request', parameters: { serial: pass, data: 'x' } });
    await this.#send({ path: '/ocra/request', parameters: { user: pass, data: 'x', httperror: '500' } });
    await this.#send({ path: '/admin/init', parameters: { type: pass, serial: pass } });
    await this.#send({ path: '/monitoring/tokens', parameters: { status: pass, realms: pass } });
    const header = this.#marks.word('misplaced', 'in a header');
    await this.#send({
      path: '/monitoring/config',
      headers: {
        'user-agent': header,
        referer: `https://x/?pin=${header}`,
        'x-forwarded-for': header,
        'x-request-id': `${header}!`,
        'accept-language': header,
        origin: `https://${header}`,
      },
    });
    await this.#malform(secret('token PIN', 'in a body that cannot be read'));
  }

  async #malform(pin: string): Promise<void> {
    const send = (type: string, body: string | Buffer, label: string) =>
      this.#send({
        path: '/admin/init',
        method: 'POST',
        label: `${label} `,
        body,
        headers: { 'content-type': type },
      });
    const form = `type=ocra&pin=${encodeURIComponent(pin)}`;
    await send('application/json', `{"pin": ${JSON.stringify(pin)}, "type": `, 'broken JSON');
    await send('application/json', JSON.stringify({ pin: [pin], [pin]: { a: pin } }), 'nested JSON');
    await send('application/json', JSON.stringify({ type: 'ocra', pin, otpkey: pin }), 'JSON');
    await send(FORM, `${form}&serial=%zz`, 'broken percent');
    await send(FORM, `${form}&serial=%00`, 'with NUL');
    await send(FORM, Buffer.concat([Buffer.from(form), Buffer.from([0xff, 0xfe])]), 'broken UTF-8');
    await send(FORM, `${form}&${'x'.repeat(70_000)}`, 'too long');
    await send(FORM, `${form}${'&a=1'.repeat(300)}`, 'too many');
    await send('text/plain', form, 'another type');
    await send(`${FORM}; charset=latin1`, form, 'another charset');
    await send('multipart/form-data; boundary=x', `--x\r\nfoo: ${pin}\r\n\r\n${pin}`, 'broken multipart');
    const head = 'Host: x\r\nContent-Type: application/x-www-form-urlencoded\r\n';
    const ascii = encodeURIComponent(pin);
    for (const [label, bytes] of [
      ['too short', `POST /admin/init HTTP/1.1\r\n${head}Content-Length: 9999\r\n\r\n${form}`],
      ['no HTTP', `PIN ${ascii}\r\n\r\n`],
      ['bad header', `GET /ocra/check_t?pass=${ascii} HTTP/1.1\r\nHost: x\r\n${ascii}\r\n\r\n`],
      ['bad chunk', `POST /admin/init HTTP/1.1\r\n${head}Transfer-Encoding: chunked\r\n\r\n${form}`],
      ['huge header', `GET / HTTP/1.1\r\nHost: x\r\nCookie: ${ascii.repeat(2_000)}\r\n\r\n`],
    ] as const) {
      await this.#client.sendRaw(label, bytes);
    }
  }

  readonly #send: CanaryClient['send'] = (request) => this.#client.send(request);
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
