import type { FoundUser } from '../../../users/user-service.ts';
import { resolverClass } from './resolver-class.ts';

/**
 * The users in LinOTP's documented form. There is no recording of it. Resolvers here have one phone number, and no
 * descriptions.
 */
export function userObjects(users: readonly FoundUser[]): readonly Record<string, string>[] {
  return users.map(({ login, userId, givenName, surname, email, phone, resolver, kind }) => ({
    username: login,
    userid: userId,
    givenname: givenName,
    surname,
    email,
    phone,
    mobile: '',
    description: '',
    useridresolver: resolverClass(resolver, kind),
  }));
}
