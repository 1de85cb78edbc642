import type { Checks } from './authenticate.ts';

/** The checks of one request. Each credential is verified once, so that a password is hashed once. */
export class RememberedChecks implements Checks {
  readonly #checks: Checks;
  readonly #known = new Map<string, Promise<unknown>>();

  constructor(checks: Checks) {
    this.#checks = checks;
  }

  /** Made on demand: most requests need no credential. */
  get credentials(): Checks['credentials'] {
    const { credentials } = this.#checks;
    return {
      authenticatePassword: (name, password) =>
        this.#once(['password', name, password], () => credentials.authenticatePassword(name, password)),
      recallPassword: (name, password) => credentials.recallPassword(name, password),
      findSession: (session) => this.#once(['session', session], () => credentials.findSession(session)),
      authenticateApiToken: (token) =>
        this.#once(['api token', token], () => credentials.authenticateApiToken(token)),
    };
  }

  get logins(): Checks['logins'] {
    const { logins } = this.#checks;
    return { authenticate: (token) => this.#once(['login', token], () => logins.authenticate(token)) };
  }

  get guards(): Checks['guards'] {
    return this.#checks.guards;
  }

  /** Forgets all results: a password may have changed, or a session may have ended. */
  forget(): void {
    this.#known.clear();
  }

  /** @param credential its kind and parts, which tell it from all others */
  #once<Found>(credential: readonly string[], check: () => Promise<Found>): Promise<Found> {
    const key = JSON.stringify(credential);
    const found = (this.#known.get(key) as Promise<Found> | undefined) ?? check();
    this.#known.set(key, found);
    return found;
  }
}
