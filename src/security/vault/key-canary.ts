import type { RegisteredKey, Sealed } from '../../keys/vault.ts';
import { isServiceError } from '../../kernel/errors.ts';
import type { SecretVault } from './secret-vault.ts';

const CANARY = Buffer.from('tankeeper canary', 'utf8');

/** @returns a known text sealed by the vault's current key: a vault that opens it has that key */
export function sealCanary(vault: SecretVault): Sealed {
  return vault.seal(CANARY, 'probe', canarySubject(vault.currentKeyId));
}

/** @returns whether the vault has the key that the canary was sealed by */
export function opensCanary(vault: SecretVault, { keyId, canary }: RegisteredKey): boolean {
  try {
    return vault.open(canary as Sealed, 'probe', canarySubject(keyId)).equals(CANARY);
  } catch (error) {
    if (isServiceError(error)) {
      return false;
    }
    throw error;
  }
}

function canarySubject(keyId: string): string {
  return `key ${keyId}`;
}
