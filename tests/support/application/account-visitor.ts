import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import request, { type Response } from 'supertest';
import { questionOf } from '../values/asked-question.ts';
import { errorOf, valueOf } from './browser.ts';
import { OPERATOR, TestApplication, wrongResponse } from './test-application.ts';

export const SUITE = 'OCRA-1:HOTP-SHA256-8:QA64';
/** Of every user. */
export const PASSWORD = 'the password of a customer';
/** The actions of the policy for the realm customers. */
export const ALL = 'show, rename, lock, enrol';

export const REFUSED = 'Wrong user name or password, or no token that can confirm the sign-in';
export const ENDED = 'This sign-in has ended: begin again with the password';

/** The server of the tests of a file: with the realms customers and closed, whose tokens have an address for responses. */
export let application: TestApplication;
/** The user of the test that runs, with one phone: so that none sees the tokens and limits of another. */
export let user: string;

/** Opens the server of a file, with a user for each of its tests. */
export function openAccounts(): void {
  let number = 0;
  beforeAll(async () => {
    application = await TestApplication.open({
      publicUrl: 'https://tan.example.com',
      limits: { loginFailures: 1000 },
    });
    await application.addRealm('customers');
    await application.addRealm('closed');
    await application.setPolicy('address', 'authentication', 'qrtanurl=https://tan.example.com/ocra/check_t');
  });
  afterAll(() => application.close());
  beforeEach(async () => {
    number += 1;
    user = `anna${number}`;
    await addUser(user);
    const phone = { user, realm: 'customers', description: 'my phone' };
    await application.enrolPlain(`${user}-phone`, SUITE, phone);
    await allow(ALL);
  });
}

export async function addUser(login: string, resolver = 'customers'): Promise<void> {
  await application.addUser(login, resolver, PASSWORD);
}

export async function allow(action: string, active = true): Promise<void> {
  const policy = { name: 'self-service', scope: 'selfservice', action, realm: 'customers', active };
  await application.services.policies.set(OPERATOR, policy);
}

/** @returns the browser of the user of this test */
export function someone(): Visitor {
  return new Visitor();
}

export function failureOf(response: Response): unknown {
  return [response.status, errorOf(response)];
}

/** @returns the newest rows of an action */
export function auditOf(action: string): Promise<{ actor: string; subject: string; outcome: string }[]> {
  return application.rows(
    'SELECT actor, subject, outcome FROM audit WHERE action = $1 ORDER BY id DESC LIMIT 5',
    [action],
  );
}

/** The browser of a user of the realm customers, at the account page. */
export class Visitor {
  readonly cookies = new Map<string, string>();
  csrf = '';
  readonly #user = user;
  #app = application.app;

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
    const done = await this.post('/self/sign-in/finish', { response: answerTo(asked) });
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

  async tokens(): Promise<readonly { serial: string; state: string; is_sign_in_token: boolean }[]> {
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
export function answerTo({ data }: Pick<Asked, 'data'>): string {
  return application.respond(SUITE, questionOf(data));
}
