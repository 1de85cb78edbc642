import type { Vault } from '../keys/vault.ts';
import type { SigningWebhook } from './ports.ts';

/**
 * @returns the secrets that sign for a receiver
 * @throws ServiceError 'key.unavailable', 'secret.unreadable'
 */
export function openSecrets(
  vault: Pick<Vault, 'open'>,
  { name, secrets }: Pick<SigningWebhook, 'name' | 'secrets'>,
): readonly Buffer[] {
  return secrets.map((secret) => vault.open(secret, 'webhook', name));
}
