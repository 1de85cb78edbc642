import type { Endpoint } from '../../../../src/http/endpoint-spec.ts';
import { Browser } from '../../../support/application/browser.ts';
import type { TestApplication } from '../../../support/application/test-application.ts';
import { headersOf, PASSWORD } from './audited-sign-ins.ts';
import type { ActRequest, RequestValues } from './audited-act.ts';

/** What a browser says of an address that it opens. */
const LINK: RequestValues = { 'Sec-Fetch-Site': 'none', 'Sec-Fetch-Mode': 'navigate' };
/** And of other requests; clients that are no browsers, and old ones, say nothing. */
const FETCHED: readonly RequestValues[] = [
  LINK,
  { 'Sec-Fetch-Site': 'none' },
  { 'Sec-Fetch-Site': 'same-origin' },
  { 'Sec-Fetch-Site': 'same-origin', 'Sec-Fetch-Mode': 'navigate' },
  { 'Sec-Fetch-Site': 'same-origin', 'Sec-Fetch-Mode': 'no-cors', 'Sec-Fetch-Dest': 'image' },
  { 'Sec-Fetch-Site': 'same-site' },
  {},
];
const METHODS = ['get', 'post'] as const;

/** Requests of a browser with a login or a session, to one endpoint. */
export class CookieRequests {
  readonly #application: TestApplication;
  readonly #endpoint: Endpoint;
  readonly #values: RequestValues;
  /** The cookies, and the CSRF value of a login. */
  readonly #headers: RequestValues;

  private constructor(
    application: TestApplication,
    endpoint: Endpoint,
    { values, headers = {} }: Pick<ActRequest, 'values' | 'headers'>,
  ) {
    this.#application = application;
    this.#endpoint = endpoint;
    this.#values = values;
    this.#headers = headers;
  }

  /** @param asked a request that succeeds; without cookies of its own, it gets those of a confirmed login of `admin` */
  static async of(
    application: TestApplication,
    endpoint: Endpoint,
    asked: ActRequest,
  ): Promise<CookieRequests> {
    if (asked.headers?.Cookie !== undefined) {
      return new CookieRequests(application, endpoint, asked);
    }
    const headers = await confirmedLogin(application);
    return new CookieRequests(application, endpoint, { values: asked.values, headers });
  }

  /** @returns the statuses of requests that a link or a page elsewhere can cause */
  async forged(): Promise<readonly number[]> {
    const cookies = without(this.#headers, 'X-CSRF-TOKEN');
    const others = without(this.#values, 'session');
    const statuses: number[] = [];
    for (const method of METHODS) {
      // Whatever a browser says of a request, it is refused by a method that the endpoint does not have.
      const isServed = this.#endpoint.methods.includes(method === 'get' ? 'GET' : 'POST');
      const all = isServed ? FETCHED : [{}];
      for (const fetched of all.filter((headers) => !this.#isOfProgram(method, headers))) {
        statuses.push(await this.#send(method, others, { ...cookies, ...fetched }));
      }
      statuses.push(await this.#send(method, this.#values, { ...this.#headers, ...LINK }));
    }
    return statuses;
  }

  /** @returns the status of the request with the value that repeats the cookie */
  repeating(): Promise<number> {
    const method = this.#endpoint.methods.includes('GET') ? 'get' : 'post';
    return this.#send(method, this.#values, { ...this.#headers, 'Sec-Fetch-Site': 'same-origin' });
  }

  /** A program may log out by the cookie alone. */
  #isOfProgram(method: 'get' | 'post', fetched: RequestValues): boolean {
    return this.#endpoint.endsLogin === true && method === 'get' && Object.keys(fetched).length === 0;
  }

  async #send(method: 'get' | 'post', values: RequestValues, headers: RequestValues): Promise<number> {
    return (await this.#application.send(this.#endpoint.path, { ...values }, method).set({ ...headers }))
      .status;
  }
}

async function confirmedLogin(application: TestApplication): Promise<RequestValues> {
  const browser = new Browser(application.app);
  await browser.post('/admin/login', { username: 'admin', password: PASSWORD });
  await browser.post('/admin/confirmation', { password: PASSWORD });
  return headersOf(browser);
}

function without(values: RequestValues, name: string): RequestValues {
  return Object.fromEntries(Object.entries(values).filter(([key]) => key !== name));
}
