import type { Act } from '../../../src/policy/caller.ts';
import type { ManagedUser, ManagedUserStore } from '../../../src/resolvers/ports.ts';
import type { PasswordHasher } from '../../../src/users/ports.ts';
import { matchesUser } from '../../../src/resolvers/user-search.ts';
import type { UserSearch } from '../../../src/resolvers/ports.ts';
import { ServiceError } from '../../../src/kernel/errors.ts';

/** Managed users without a database, for tests of services. Records the acts. */
export class InMemoryUserStore implements ManagedUserStore {
  readonly acts: Act[] = [];
  readonly #users = new Map<string, ManagedUser>();

  /** Adds a user that a test starts with. */
  with(resolverId: string, login: string, more: Partial<ManagedUser> = {}): this {
    const userId = `${login}-id`;
    this.#users.set(`${resolverId}/${userId}`, {
      userId,
      login,
      givenName: '',
      surname: '',
      email: '',
      phone: '',
      passwordHash: null,
      ...more,
    });
    return this;
  }

  async findByLogin(resolverId: string, login: string): Promise<ManagedUser | undefined> {
    return (await this.list(resolverId)).find((user) => user.login === login);
  }

  findById(resolverId: string, userId: string): Promise<ManagedUser | undefined> {
    return Promise.resolve(this.#users.get(`${resolverId}/${userId}`));
  }

  list(resolverId: string, search?: UserSearch): Promise<readonly ManagedUser[]> {
    const found = [...this.#users].filter(([key]) => key.startsWith(`${resolverId}/`));
    const users = found.map(([, user]) => user);
    return Promise.resolve(
      search === undefined
        ? users
        : users.filter((user) => matchesUser(user, search.conditions)).slice(0, search.limit),
    );
  }

  async count(resolverId: string): Promise<number> {
    return (await this.list(resolverId)).length;
  }

  async insert(resolverId: string, user: Omit<ManagedUser, 'userId'>, act: Act): Promise<ManagedUser> {
    if ((await this.findByLogin(resolverId, user.login)) !== undefined) {
      throw new ServiceError('user.exists', `There is a user '${user.login}' already`);
    }
    this.acts.push(act);
    this.with(resolverId, user.login, user);
    return { ...user, userId: `${user.login}-id` };
  }

  async setPassword(
    resolverId: string,
    userId: string,
    passwordHash: string | null,
    act: Act,
  ): Promise<boolean> {
    const user = await this.findById(resolverId, userId);
    if (user !== undefined) {
      this.acts.push(act);
      this.#users.set(`${resolverId}/${userId}`, { ...user, passwordHash });
    }
    return user !== undefined;
  }

  remove(resolverId: string, userId: string, act: Act): Promise<boolean> {
    this.acts.push(act);
    return Promise.resolve(this.#users.delete(`${resolverId}/${userId}`));
  }
}

/** Hashes that a test can read, with counts of both ways of verifying. */
export class ReadableHasher implements PasswordHasher {
  verified = 0;
  verifiedNothing = 0;

  hash(password: string): Promise<string> {
    return Promise.resolve(`hash of ${password}`);
  }

  verify(hash: string, password: string): Promise<boolean> {
    this.verified += 1;
    return Promise.resolve(hash === `hash of ${password}`);
  }

  isForeign(hash: string): boolean {
    return !hash.startsWith('hash of ');
  }

  verifyNothing(): Promise<false> {
    this.verifiedNothing += 1;
    return Promise.resolve(false);
  }
}
