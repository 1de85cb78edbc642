import type { Express } from 'express';
import request, { type Response, type Test } from 'supertest';

/** A browser without pages: it keeps cookies, and repeats the CSRF token as a page of the server would. */
export class Browser {
  readonly cookies = new Map<string, string>();
  readonly #app: Express;
  readonly #headers: Readonly<Record<string, string>>;

  /** @param headers that a proxy adds to its requests */
  constructor(app: Express, headers: Readonly<Record<string, string>> = {}) {
    this.#app = app;
    this.#headers = headers;
  }

  /**
   * @param app another server over the same database
   * @returns the same browser at that server
   */
  at(app: Express): Browser {
    const moved = new Browser(app, this.#headers);
    for (const [name, value] of this.cookies) {
      moved.cookies.set(name, value);
    }
    return moved;
  }

  async post(path: string, parameters: Readonly<Record<string, string>> = {}): Promise<Response> {
    const sent = request(this.#app).post(path).type('form').send(parameters);
    const csrf = this.cookies.get('csrf_access_token');
    return this.#keep(csrf === undefined ? sent : sent.set('X-CSRF-TOKEN', csrf));
  }

  async get(path: string, parameters: Readonly<Record<string, string>> = {}): Promise<Response> {
    return this.#keep(request(this.#app).get(path).query(parameters));
  }

  async #keep(sent: Test): Promise<Response> {
    const test = sent.set(this.#headers);
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await (cookie === '' ? test : test.set('Cookie', cookie));
    for (const line of response.get('Set-Cookie') ?? []) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '') {
        this.cookies.delete(name);
      } else {
        this.cookies.set(name, value);
      }
    }
    return response;
  }
}

/** @returns the message of the error in an answer; undefined: it reports success */
export function errorOf({ body }: Response): string | undefined {
  return (body as { result?: { error?: { message: string } } }).result?.error?.message;
}

/** @returns the value in an answer */
export function valueOf({ body }: Response): unknown {
  return (body as { result: { value: unknown } }).result.value;
}

/** @returns the message of the error in an answer, or the value */
export function outcomeOf(answer: Response): unknown {
  return errorOf(answer) ?? valueOf(answer);
}
