import request, { type Response } from 'supertest';
import { OPERATOR, type TestApplication } from './test-application.ts';

/** Administrators whose rights are those of one policy each. */
export class BoundedAdministrators {
  readonly #application: TestApplication;
  /** API tokens by the administrator's name. */
  readonly #bearers = new Map<string, string>();

  private constructor(application: TestApplication) {
    this.#application = application;
  }

  /** Leaves all rights to the administrator `admin`. */
  static async of(application: TestApplication): Promise<BoundedAdministrators> {
    const administrators = new BoundedAdministrators(application);
    await administrators.#policy({ name: 'all', action: '*', user: 'admin', realm: '*' });
    return administrators;
  }

  /**
   * @param action a comma list of actions of the scope admin
   * @param realm a comma list of realms, or `*`
   */
  async add(name: string, action: string, realm: string): Promise<void> {
    const { administrators } = this.#application.services;
    await administrators.add(OPERATOR, name, 'correct horse battery');
    const { token } = await administrators.addApiToken(OPERATOR, name, { name: 'test', rights: ['*'] });
    this.#bearers.set(name, token);
    await this.#policy({ name, action, user: name, realm });
  }

  /** Sends a request by GET. */
  async get(name: string, path: string, parameters: Readonly<Record<string, string>>): Promise<Response> {
    return request(this.#application.app)
      .get(path)
      .query(parameters)
      .set('Authorization', `Bearer ${this.#bearers.get(name) ?? ''}`);
  }

  /** Sends a request by POST. */
  async post(name: string, path: string, parameters: Readonly<Record<string, string>>): Promise<Response> {
    return request(this.#application.app)
      .post(path)
      .type('form')
      .send(parameters)
      .set('Authorization', `Bearer ${this.#bearers.get(name) ?? ''}`);
  }

  async #policy(given: { name: string; action: string; user: string; realm: string }): Promise<void> {
    await this.#application.services.policies.set(OPERATOR, {
      scope: 'admin',
      client: '',
      time: '',
      active: true,
      ...given,
    });
  }
}
