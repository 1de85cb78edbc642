import request, { type Response } from 'supertest';
import { parseQrTanUrl } from '../../../src/ocra/qrtan-url.ts';
import { errorOf, valueOf } from './browser.ts';
import { OPERATOR, TestApplication, wrongResponse } from './test-application.ts';

export const SUITE = 'OCRA-1:HOTP-SHA256-8:QA64';
/** Of every user. */
export const PASSWORD = 'the password of a customer';
/** The actions of the policy for the realm customers. */
export const ALL = 'show, rename, lock, enrol';

/** @returns a server with the realms customers and closed, whose tokens have an address for responses */
export async function openAccounts(): Promise<TestApplication> {
  const application = await TestApplication.open({
    publicUrl: 'https://tan.example.com',
    limits: { loginFailures: 1000 },
  });
  await application.addRealm('customers');
  await application.addRealm('closed');
  await application.services.policies.set(OPERATOR, {
    name: 'address',
    scope: 'authentication',
    action: 'qrtanurl=https://tan.example.com/ocra/check_t',
    realm: '*',
  });
  return application;
}

/** Adds a user. */
export async function addUser(
  { services }: TestApplication,
  login: string,
  resolver = 'customers',
): Promise<void> {
  const names = { givenName: '', surname: '', email: '', phone: '' };
  await services.users.add(OPERATOR, { resolver, login, password: PASSWORD, ...names });
}

/** Sets the policy of the realm customers. */
export async function allow({ services }: TestApplication, action: string, active = true): Promise<void> {
  const policy = { name: 'self-service', scope: 'selfservice', action, realm: 'customers', active };
  await services.policies.set(OPERATOR, policy);
}

/** The browser of a user of the realm customers, at the account page. */
export class Visitor {
  readonly cookies = new Map<string, string>();
  csrf = '';
  readonly #application: TestApplication;
  readonly #user: string;
  #app: TestApplication['app'];

  constructor(application: TestApplication, user: string) {
    this.#application = application;
    this.#user = user;
    this.#app = application.app;
  }

  /** Goes on at another server. */
  at(other: TestApplication): this {
    this.#app = other.app;
    return this;
  }

  post(path: string, parameters: Readonly<Record<string, string>> = {}): Promise<Response> {
    return this.#keep(
      request(this.#app).post(path).type('form').set('X-CSRF-TOKEN', this.csrf).send(parameters),
    );
  }

  get(path: string): Promise<Response> {
    return this.#keep(request(this.#app).get(path));
  }

  async #keep(sent: request.Test): Promise<Response> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await (cookie === '' ? sent : sent.set('Cookie', cookie));
    for (const line of response.get('Set-Cookie') ?? []) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      this.cookies.set(name, value);
    }
    const { csrf_token: csrf } = (valueOf(response) ?? {}) as { csrf_token?: string };
    this.csrf = csrf ?? this.csrf;
    return response;
  }

  async begin(more: Readonly<Record<string, string>> = {}): Promise<Asked> {
    const named = { user: this.#user, realm: 'customers', password: PASSWORD };
    return askedBy(await this.post('/self/sign-in', { ...named, ...more }));
  }

  async signIn(more: Readonly<Record<string, string>> = {}): Promise<this> {
    const asked = await this.begin(more);
    const done = await this.post('/self/sign-in/finish', { response: answerTo(this.#application, asked) });
    if (done.status !== 200) {
      throw new Error(`not signed in: ${JSON.stringify(done.body)}`);
    }
    return this;
  }

  /** @returns the errors of three wrong responses, one after the other */
  async guess(path: string, right: string): Promise<unknown[]> {
    const errors: unknown[] = [];
    while (errors.length < 3) {
      errors.push(errorOf(await this.post(path, { response: wrongResponse(right) })));
    }
    return errors;
  }

  async tokens(): Promise<readonly { serial: string; state: string; present: boolean }[]> {
    const { tokens } = valueOf(await this.get('/self/tokens')) as { tokens: [] };
    return tokens;
  }
}

/** A challenge for a token of the user. */
export interface Asked {
  readonly response: Response;
  readonly transactionId: string;
  readonly data: string;
}

export function askedBy(response: Response): Asked {
  const value = (valueOf(response) ?? {}) as { transactionid?: string; data?: string };
  return { response, transactionId: value.transactionid ?? '', data: value.data ?? '' };
}

/** @returns the response of the app */
export function answerTo(application: TestApplication, { data }: Pick<Asked, 'data'>): string {
  const read = parseQrTanUrl(data);
  return application.respond(SUITE, read.kind === 'req' ? read.question : '');
}
