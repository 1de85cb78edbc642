import type { DirectoryUser } from '../resolvers/user-source.ts';

/** A user of a managed resolver. */
export interface ManagedUser extends DirectoryUser {
  /** A hash by `PasswordHasher`; null: no password. */
  readonly passwordHash: string | null;
}

declare module '../kernel/errors.ts' {
  interface ErrorPayloads {
    /** The user as the client named them, and the login in it, without a possible realm. */
    'user.unknown': { readonly user: string; readonly login: string };
    'user.exists': NoPayload;
    /** The login, which is not exactly that of any of the users whom it finds. */
    'user.ambiguous': { readonly login: string };
  }
}

/** The user who owns a token, identified by resolver and user id; the login is for display. */
export interface Owner {
  readonly resolverId: string;
  readonly resolver: string;
  /** The user's id in that resolver; stable where the login changes. */
  readonly userId: string;
  readonly login: string;
}

/** What identifies the owner of a token. */
export type OwnerId = Pick<Owner, 'resolverId' | 'userId'>;
