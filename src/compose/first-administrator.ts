import { type Config, readSecretFile } from '../config/config.ts';
import { isServiceError, ServiceError } from '../kernel/errors.ts';
import type { Services } from '../services.ts';

/** The administrator that a start has created; with the password if it is a random one. */
export interface FirstAdministrator {
  readonly name: string;
  readonly password?: string;
}

/**
 * Creates the first administrator if there is none. To be called when nothing can stop the start any more: a random
 * password is shown only once.
 * @throws ServiceError 'configuration.invalid' if ADMIN_PASSWORD_FILE holds no password that is allowed
 */
export async function createFirstAdministrator(
  { adminPasswordFile }: Config,
  { administrators }: Services,
): Promise<FirstAdministrator | undefined> {
  if (adminPasswordFile === undefined) {
    return administrators.ensureFirstAdministrator();
  }
  const password = readSecretFile('ADMIN_PASSWORD_FILE', adminPasswordFile);
  try {
    return await administrators.ensureFirstAdministrator(password);
  } catch (error) {
    throw isServiceError(error, 'parameter.invalid')
      ? new ServiceError(
          'configuration.invalid',
          `The password in ADMIN_PASSWORD_FILE does not do: ${error.message}`,
          {
            cause: error,
          },
        )
      : error;
  }
}
