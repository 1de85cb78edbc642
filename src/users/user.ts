import { plainName, readPlainText, requireForm } from '../kernel/text.ts';

/** A user of a managed resolver. */
export interface ManagedUser {
  readonly userId: string;
  readonly login: string;
  readonly givenName: string;
  readonly surname: string;
  readonly email: string;
  readonly phone: string;
  /** A hash by `PasswordHasher`; null: no password. */
  readonly passwordHash: string | null;
}

/** A user of a managed resolver, as given by an administrator. */
export interface UserDraft {
  readonly login: string;
  readonly givenName?: string | undefined;
  readonly surname?: string | undefined;
  readonly email?: string | undefined;
  readonly phone?: string | undefined;
  /** Absent: no password matches. */
  readonly password?: string | undefined;
}

const MAX_TEXT_LENGTH = 255;

/**
 * @returns the user that a draft means, texts trimmed
 * @throws ServiceError 'parameter.invalid'
 */
export function checkUser(draft: UserDraft): Omit<ManagedUser, 'userId' | 'passwordHash'> {
  return {
    login: readLogin(draft.login),
    givenName: readPlainText(draft.givenName ?? '', 'given name', MAX_TEXT_LENGTH),
    surname: readPlainText(draft.surname ?? '', 'surname', MAX_TEXT_LENGTH),
    email: readPlainText(draft.email ?? '', 'e-mail address', MAX_TEXT_LENGTH),
    phone: readPlainText(draft.phone ?? '', 'phone number', MAX_TEXT_LENGTH),
  };
}

/**
 * @returns the login of a managed user as it is kept (see `plainName`)
 * @throws ServiceError 'parameter.invalid'
 */
export function readLogin(text: string): string {
  return requireForm(
    plainName(text),
    /^[^,:*!]{1,255}$/u,
    'A login has 1 to 255 letters, digits, blanks and signs of ASCII, but none of , : * !',
  );
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
