import type { Act } from '../../../src/policy/caller.ts';
import type {
  Administrator,
  AdministratorStore,
  ApiToken,
  ProvenPassword,
} from '../../../src/administrators/ports.ts';
import { secretHash } from '../../../src/administrators/session-secrets.ts';
import { ServiceError } from '../../../src/kernel/errors.ts';

interface Session {
  readonly administrator: string;
  readonly expiresAt: Date;
}

/** Administrators without a database, for tests of services. Records the acts. */
export class InMemoryAdministratorStore implements AdministratorStore {
  readonly acts: Act[] = [];
  /** The data that a thief of the database would find. */
  readonly kept = { sessions: new Map<string, Session>(), apiTokens: new Map<string, ApiToken>() };
  readonly #administrators = new Map<string, Administrator>();

  find(name: string): Promise<Administrator | undefined> {
    return Promise.resolve(this.#administrators.get(name));
  }

  list(): Promise<readonly Administrator[]> {
    return Promise.resolve([...this.#administrators.values()]);
  }

  insert(name: string, passwordHash: string, act: Act): Promise<void> {
    if (this.#administrators.has(name)) {
      throw new ServiceError('administrator.exists', `There is an administrator '${name}' already`);
    }
    this.acts.push(act);
    this.#put(name, passwordHash);
    return Promise.resolve();
  }

  async insertFirst(name: string, passwordHash: string, act: Act): Promise<boolean> {
    const isFirst = this.#administrators.size === 0;
    if (isFirst) {
      await this.insert(name, passwordHash, act);
    }
    return isFirst;
  }

  async setPassword(
    name: string,
    passwordHash: string,
    act: Act,
    { revokesApiTokens = false, replaces }: Parameters<AdministratorStore['setPassword']>[3] = {},
  ): Promise<{ apiTokens: number } | undefined> {
    const known = this.#administrators.get(name);
    const isReplaced =
      replaces === undefined || secretHash(known?.passwordHash ?? '').equals(replaces.version);
    if (known === undefined || !isReplaced) {
      return undefined;
    }
    this.acts.push(act);
    this.#put(name, passwordHash);
    const tokens = await this.listApiTokens(name);
    if (revokesApiTokens) {
      await Promise.all(tokens.map((token) => this.removeApiToken(name, token.name, act)));
    }
    return { apiTokens: tokens.length };
  }

  renewHash({ administrator, version }: ProvenPassword, passwordHash: string, act: Act): Promise<boolean> {
    const known = this.#administrators.get(administrator);
    if (known === undefined || !secretHash(known.passwordHash).equals(version)) {
      return Promise.resolve(false);
    }
    this.acts.push(act);
    this.#put(administrator, passwordHash);
    return Promise.resolve(true);
  }

  remove(name: string, act: Act): Promise<boolean> {
    if (this.#administrators.has(name) && this.#administrators.size === 1) {
      return Promise.reject(
        new ServiceError('administrator.invalid', 'The last administrator cannot be removed'),
      );
    }
    this.acts.push(act);
    return Promise.resolve(this.#administrators.delete(name));
  }

  insertApiToken(token: Omit<ApiToken, 'createdAt'>, tokenHash: Buffer, act: Act): Promise<void> {
    if (!this.#administrators.has(token.administrator)) {
      throw new ServiceError('administrator.unknown', `There is no administrator '${token.administrator}'`);
    }
    this.acts.push(act);
    this.kept.apiTokens.set(tokenHash.toString('hex'), { ...token, createdAt: new Date(0) });
    return Promise.resolve();
  }

  listApiTokens(administrator: string): Promise<readonly ApiToken[]> {
    return Promise.resolve(
      [...this.kept.apiTokens.values()].filter((token) => token.administrator === administrator),
    );
  }

  removeApiToken(administrator: string, name: string, act: Act): Promise<boolean> {
    const found = [...this.kept.apiTokens].find(
      ([, token]) => token.administrator === administrator && token.name === name,
    );
    this.acts.push(act);
    return Promise.resolve(found !== undefined && this.kept.apiTokens.delete(found[0]));
  }

  findApiToken(tokenHash: Buffer, now: Date): Promise<ApiToken | undefined> {
    const token = this.kept.apiTokens.get(tokenHash.toString('hex'));
    const holds = token !== undefined && (token.expiresAt === null || token.expiresAt > now);
    return Promise.resolve(holds ? token : undefined);
  }

  insertSession(
    { administrator, version }: ProvenPassword,
    sessionHash: Buffer,
    expiresAt: Date,
  ): Promise<boolean> {
    const known = this.#administrators.get(administrator);
    const holds = known !== undefined && secretHash(known.passwordHash).equals(version);
    if (holds) {
      this.kept.sessions.set(sessionHash.toString('hex'), { administrator, expiresAt });
    }
    return Promise.resolve(holds);
  }

  async findSession(sessionHash: Buffer, now: Date): Promise<string | undefined> {
    return (await this.openSession(sessionHash, now))?.administrator;
  }

  openSession(sessionHash: Buffer, now: Date): Promise<Session | undefined> {
    const session = this.kept.sessions.get(sessionHash.toString('hex'));
    return Promise.resolve(session !== undefined && session.expiresAt > now ? session : undefined);
  }

  revokeSession(sessionHash: Buffer): Promise<boolean> {
    return Promise.resolve(this.kept.sessions.delete(sessionHash.toString('hex')));
  }

  #put(name: string, passwordHash: string): void {
    this.#administrators.set(name, { id: name, name, passwordHash, createdAt: new Date(0) });
  }
}
