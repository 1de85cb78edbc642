import type { ManagedUser } from '../../../src/users/user.ts';

/** @returns a user of a managed resolver without a password, with the given changes */
export function managedUser(login: string, changes: Partial<ManagedUser> = {}): Omit<ManagedUser, 'userId'> {
  return { login, givenName: '', surname: '', email: '', phone: '', passwordHash: null, ...changes };
}
