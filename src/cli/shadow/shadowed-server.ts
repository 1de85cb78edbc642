import type { Random } from '../../kernel/clock.ts';
import { parseJsonOrUndefined } from '../../kernel/text.ts';
import { CliFailure } from '../cli-failure.ts';
import { type LoginAccount, DigestAuthentication } from './digest-authentication.ts';
import { exchange, type HttpAnswer } from './http-exchange.ts';

/** The address and the login of a server. */
export interface ServerAddress {
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
