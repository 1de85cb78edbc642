import type { Checks } from './authenticate.ts';

/** The checks of one request. Each credential is verified once, so that a password is hashed once. */
export class RememberedChecks implements Checks {
  readonly credentials: Checks['credentials'];
  readonly logins: Checks['logins'];
  readonly guards: Checks['guards'];
  readonly #known: Map<string, unknown>[] = [];

  constructor({ credentials, logins, guards }: Checks) {
    this.credentials = {
      authenticatePassword: this.#once((name, password) => credentials.authenticatePassword(name, password)),
      recallPassword: (name, password) => credentials.recallPassword(name, password),
      findSession: this.#once((session) => credentials.findSession(session)),
      authenticateApiToken: this.#once((token) => credentials.authenticateApiToken(token)),
    };
    this.logins = { authenticate: this.#once((token) => logins.authenticate(token)) };
    this.guards = guards;
  }

  /** Forgets all results: a password may have changed, or a session may have ended. */
  forget(): void {
    this.#known.forEach((known) => {
      known.clear();
    });
  }

  #once<Given extends string[], Found>(
    check: (...given: Given) => Promise<Found>,
  ): (...given: Given) => Promise<Found> {
    const known = new Map<string, Promise<Found>>();
    this.#known.push(known);
    return (...given) => {
      const key = JSON.stringify(given);
      const found = known.get(key) ?? check(...given);
      known.set(key, found);
      return found;
    };
  }
}
