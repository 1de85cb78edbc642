import type { AdministratorService } from '../../../src/administrators/administrator-service.ts';

/** Opens a session with the password, just proven. @throws if the password is wrong */
export async function openSession(
  administrators: Pick<AdministratorService, 'authenticatePassword' | 'openSession'>,
  name: string,
  password: string,
): Promise<{ readonly session: string; readonly expiresAt: Date }> {
  const proven = await administrators.authenticatePassword(name, password);
  const opened = proven && (await administrators.openSession(proven));
  if (opened === undefined) {
    throw new Error(`There is no session for ${name}`);
  }
  return opened;
}
