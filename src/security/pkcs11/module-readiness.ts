import { ServiceError } from '../../kernel/errors.ts';
import type { SecretVault } from '../vault/secret-vault.ts';

/**
 * @param reason may reach clients
 * @param detail for operators: paths, labels, codes
 * @returns a ServiceError 'security-module.unavailable'
 */
export function notReady(reason: string, detail: string, cause?: unknown): ServiceError {
  return new ServiceError('security-module.unavailable', `The security module is not ready: ${reason}`, {
    detail,
    cause,
  });
}

/** @throws ServiceError 'security-module.unavailable' when a key in use is not among those of the vault */
export function assertHolds({ keyIds }: SecretVault, inUse: readonly string[]): void {
  const missing = inUse.filter((keyId) => !keyIds.includes(keyId));
  if (missing.length > 0) {
    throw notReady('it no longer has a key that is in use', missing.join(', '));
  }
}
