import type { ManagedUserStore } from '../../users/managed-user-store.ts';
import type { ManagedUser } from '../../users/user-draft.ts';
import type { DirectoryUser, Examination, UserSearch, UserSource } from '../user-source.ts';
import type { PasswordHasher } from '../../users/password-hash.ts';

/** The users of a managed resolver, in this server's own database. */
export class ManagedUsers implements UserSource {
  readonly #resolverId: string;
  readonly #users: ManagedUserStore;
  readonly #hasher: PasswordHasher;

  constructor(dependencies: { resolverId: string; users: ManagedUserStore; hasher: PasswordHasher }) {
    this.#resolverId = dependencies.resolverId;
    this.#users = dependencies.users;
    this.#hasher = dependencies.hasher;
  }

  async findByLogin(login: string): Promise<DirectoryUser | undefined> {
    return toDirectoryUser(await this.#users.findByLogin(this.#resolverId, login));
  }

  async findById(userId: string): Promise<DirectoryUser | undefined> {
    return toDirectoryUser(await this.#users.findById(this.#resolverId, userId));
  }

  async list(search?: UserSearch): Promise<readonly DirectoryUser[]> {
    const users = await this.#users.list(this.#resolverId, search);
    return users.map(withoutHash);
  }

  count(): Promise<number> {
    return this.#users.count(this.#resolverId);
  }

  async examine(): Promise<Examination> {
    const users = await this.count();
    return { entries: users, users, withoutId: 0, withoutLogin: 0, sharingId: 0 };
  }

  /** Takes the same time for a user who does not exist or has no password. */
  async checkPassword(userId: string, password: string): Promise<boolean> {
    const passwordHash = (await this.#users.findById(this.#resolverId, userId))?.passwordHash ?? null;
    return passwordHash === null
      ? this.#hasher.verifyNothing(password, `${this.#resolverId} ${userId}`)
      : this.#hasher.verify(passwordHash, password);
  }
}

function toDirectoryUser(user: ManagedUser | undefined): DirectoryUser | undefined {
  return user === undefined ? undefined : withoutHash(user);
}

function withoutHash({ userId, login, givenName, surname, email, phone }: ManagedUser): DirectoryUser {
  return { userId, login, givenName, surname, email, phone };
}
