import { createHash } from 'node:crypto';
import { type IncomingMessage, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { CliFailure } from '../cli-failure.ts';
import type { Random } from '../../kernel/clock.ts';
import { parseJsonOrUndefined } from '../../kernel/text.ts';

/** The address and the login of a server. */
interface ServerAddress {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly account: LoginAccount;
  /** Certificates in PEM; undefined: the usual authorities. */
  readonly ca: string | undefined;
}

/** An answer, parsed if it is JSON. */
export interface ShadowAnswer {
  readonly status: number;
  /** Undefined: it is no JSON. */
  readonly body: unknown;
}

/** The credentials of one request. */
type Credentials = (method: string, uri: string) => Readonly<Record<string, string>>;

/** A login: its credentials, and its session, empty where it has none. */
interface ServerLogin {
  readonly credentials: Credentials;
  readonly session: string;
}

/** A server to which an administrator is logged in. */
export class ShadowedServer {
  readonly #address: ServerAddress;
  readonly #random: Random;
  #login: ServerLogin;

  private constructor(address: ServerAddress, random: Random, login: ServerLogin) {
    this.#address = address;
    this.#random = random;
    this.#login = login;
  }

  /**
   * Logs in as the server asks for it: HTTP Digest or Basic with a session of /admin/getsession (LinOTP 2, tankeeper),
   * or /admin/login (LinOTP 3). The password is sent in clear only where the server does not offer Digest.
   * @throws CliFailure if the server refuses or redirects
   */
  static async open(address: ServerAddress, random: Random): Promise<ShadowedServer> {
    return new ShadowedServer(address, random, await login(address, random));
  }

  /**
   * Asks a question, after a further login where the last one has expired.
   * @param path with its query
   */
  async ask(path: string): Promise<ShadowAnswer> {
    let answer = await this.#send(path);
    if (answer.status === 401) {
      this.#login = await login(this.#address, this.#random);
      answer = await this.#send(path);
    }
    if (answer.status === 401) {
      throw new CliFailure(`${this.#address.baseUrl} does not accept the login any more`);
    }
    return { status: answer.status, body: parseJsonOrUndefined(answer.body) };
  }

  #send(path: string): Promise<HttpAnswer> {
    const { baseUrl, ca } = this.#address;
    const { credentials, session } = this.#login;
    const url = new URL(baseUrl + path);
    if (session !== '') {
      url.search += `${url.search === '' ? '?' : '&'}session=${encodeURIComponent(session)}`;
    }
    return exchange({ url, headers: credentials('GET', url.pathname + url.search), ca });
  }
}

async function login(address: ServerAddress, random: Random): Promise<ServerLogin> {
  const { baseUrl, account, ca } = address;
  const url = new URL(`${baseUrl}/admin/getsession`);
  const { challenges, redirect } = await exchange({ url, headers: {}, ca });
  if (redirect !== undefined) {
    // Most often from http to https: the password would be sent in clear.
    throw new CliFailure(
      `${baseUrl} redirects to ${redirect}, to which no password is sent: give the URL of the server itself`,
    );
  }
  const credentials = credentialsFor(challenges, account, random);
  if (credentials === undefined) {
    const cookie = await loginCookie(address);
    return { credentials: () => ({ Cookie: cookie }), session: '' };
  }
  const answer = await exchange({ url, headers: credentials('GET', url.pathname), ca });
  if (answer.status === 401 || answer.status === 403) {
    throw refused(address, answer);
  }
  const session = answer.cookies.get('admin_session') ?? '';
  const withSession: Credentials = (method, uri) => ({
    ...credentials(method, uri),
    ...(session !== '' && { Cookie: `admin_session=${session}` }),
  });
  return { credentials: withSession, session };
}

function credentialsFor(
  challenges: readonly string[],
  account: LoginAccount,
  random: Random,
): Credentials | undefined {
  const digest = challenges.map((one) => DigestAuthentication.of(one)).find((one) => one !== undefined);
  if (digest !== undefined) {
    return (method, uri) => ({
      Authorization: digest.authorize(account, method, uri, random.bytes(16).toString('hex')),
    });
  }
  if (challenges.some((one) => /^\s*Basic\b/i.test(one))) {
    const basic = Buffer.from(`${account.name}:${account.password}`, 'utf8').toString('base64');
    return () => ({ Authorization: `Basic ${basic}` });
  }
  return undefined;
}

async function loginCookie(address: ServerAddress): Promise<string> {
  const { baseUrl, account, ca } = address;
  const form = { username: account.name, password: account.password };
  const answer = await exchange({ url: new URL(`${baseUrl}/admin/login`), headers: {}, form, ca });
  const token = answer.cookies.get('access_token_cookie');
  if (token === undefined) {
    throw refused(address, answer);
  }
  return `access_token_cookie=${token}`;
}

function refused({ baseUrl, account }: ServerAddress, { status }: HttpAnswer): CliFailure {
  return new CliFailure(`${baseUrl} refuses the login of ${account.name} (HTTP ${status})`);
}

const TIMEOUT_MS = 60_000;
/** Bytes. */
const MAX_ANSWER_BYTES = 16 * 1_048_576;

/** A request of GET or, with a form, of POST. */
interface HttpRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly form?: Readonly<Record<string, string>>;
  /** Certificates in PEM that are trusted instead of the usual authorities. */
  readonly ca?: string | undefined;
}

/** An answer. */
interface HttpAnswer {
  readonly status: number;
  /** The other origin to which the server redirects, if it does. */
  readonly redirect: string | undefined;
  /** The values of each `WWW-Authenticate`. */
  readonly challenges: readonly string[];
  /** Cookies by name. */
  readonly cookies: ReadonlyMap<string, string>;
  readonly body: string;
}

/**
 * Sends one request, without following redirects: credentials go to the named server only.
 * @throws CliFailure without an answer within a minute, or for one larger than 16 MiB
 */
async function exchange(question: HttpRequest): Promise<HttpAnswer> {
  try {
    const answer = await send(question);
    return {
      status: answer.statusCode ?? 0,
      redirect: redirectOf(question.url, answer),
      challenges: answer.headersDistinct['www-authenticate'] ?? [],
      cookies: cookiesOf(answer.headersDistinct['set-cookie'] ?? []),
      body: await bodyOf(answer),
    };
  } catch (error) {
    throw error instanceof CliFailure
      ? error
      : new CliFailure(`no answer from ${question.url.origin}: ${(error as Error).message}`);
  }
}

function send({ url, headers, form, ca }: HttpRequest): Promise<IncomingMessage> {
  const body = form === undefined ? undefined : new URLSearchParams(form).toString();
  const type = body === undefined ? {} : { 'Content-Type': 'application/x-www-form-urlencoded' };
  const options = {
    method: body === undefined ? 'GET' : 'POST',
    signal: AbortSignal.timeout(TIMEOUT_MS),
    headers: { ...headers, ...type },
    ...(ca !== undefined && { ca }),
  };
  return new Promise((resolve, reject) => {
    const request = url.protocol === 'https:' ? httpsRequest : httpRequest;
    request(url, options, resolve).on('error', reject).end(body);
  });
}

/** @returns the origin alone: paths and queries may carry secrets */
function redirectOf(requested: URL, { statusCode = 0, headers }: IncomingMessage): string | undefined {
  const { location = '' } = headers;
  if (statusCode < 300 || statusCode >= 400 || !URL.canParse(location, requested.href)) {
    return undefined;
  }
  const { origin } = new URL(location, requested.href);
  return origin === requested.origin ? undefined : origin;
}

async function bodyOf(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer) {
    chunks.push(chunk as Buffer);
    size += (chunk as Buffer).length;
    if (size > MAX_ANSWER_BYTES) {
      answer.destroy();
      throw new CliFailure('an answer is larger than 16 MiB');
    }
  }
  return Buffer.concat(chunks).toString('utf8');
}

function cookiesOf(headers: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    headers.map((header) => {
      const [pair = ''] = header.split(';');
      const [name = '', ...value] = pair.split('=');
      return [name.trim(), value.join('=').trim()];
    }),
  );
}

/** The name and password of an administrator. */
interface LoginAccount {
  readonly name: string;
  readonly password: string;
}

const HASHES: Readonly<Record<string, string>> = { MD5: 'md5', 'SHA-256': 'sha256' };

/** Answers a challenge of HTTP Digest authentication (RFC 7616), with `qop=auth` or without any. */
export class DigestAuthentication {
  readonly #challenge: ReadonlyMap<string, string>;
  readonly #hash: string;
  #count = 0;

  private constructor(challenge: ReadonlyMap<string, string>, hash: string) {
    this.#challenge = challenge;
    this.#hash = hash;
  }

  /**
   * @param header a value of `WWW-Authenticate`
   * @returns undefined if it is no Digest challenge, or one of an unknown algorithm
   */
  static of(header: string): DigestAuthentication | undefined {
    const [, text] = /^\s*Digest\s+(.*)$/is.exec(header) ?? [];
    if (text === undefined) {
      return undefined;
    }
    const parts = text.matchAll(/([\w-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,]+))/g);
    const challenge = new Map(
      [...parts].map(([, name = '', quoted, plain]) => [name.toLowerCase(), quoted ?? plain ?? '']),
    );
    const hash = HASHES[(challenge.get('algorithm') ?? 'MD5').toUpperCase()];
    return hash === undefined ? undefined : new DigestAuthentication(challenge, hash);
  }

  /**
   * @param uri path and query of the request
   * @param clientNonce random text
   * @returns the value of `Authorization` (RFC 7616 §3.4)
   */
  authorize(account: LoginAccount, method: string, uri: string, clientNonce: string): string {
    const { realm = '', nonce = '', opaque, algorithm } = Object.fromEntries(this.#challenge);
    this.#count += 1;
    const count = this.#count.toString(16).padStart(8, '0');
    const secret = this.#digest(`${account.name}:${realm}:${account.password}`);
    const request = this.#digest(`${method}:${uri}`);
    const middle = this.#hasQop ? `${nonce}:${count}:${clientNonce}:auth` : nonce;
    const fields = [
      `username="${quoted(account.name)}"`,
      `realm="${realm}"`,
      `nonce="${nonce}"`,
      `uri="${uri}"`,
      `response="${this.#digest(`${secret}:${middle}:${request}`)}"`,
      ...(algorithm === undefined ? [] : [`algorithm=${algorithm}`]),
      ...(this.#hasQop ? ['qop=auth', `nc=${count}`, `cnonce="${clientNonce}"`] : []),
      ...(opaque === undefined ? [] : [`opaque="${opaque}"`]),
    ];
    return `Digest ${fields.join(', ')}`;
  }

  get #hasQop(): boolean {
    return (this.#challenge.get('qop') ?? '').split(',').some((one) => one.trim() === 'auth');
  }

  #digest(text: string): string {
    return createHash(this.#hash).update(text, 'utf8').digest('hex');
  }
}

function quoted(text: string): string {
  return text.replace(/["\\]/g, '\\$&');
}
