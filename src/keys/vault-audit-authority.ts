import type { AuditAuthority, InstallationKey } from '../audit/signing-key.ts';
import { type SigningKey, signingKeyFromSeed } from '../audit/signing-key.ts';
import type { DerivedKey, KeyDerivation } from './vault.ts';

const PURPOSE = 'audit writers';

interface AuthorityKey extends InstallationKey {
  readonly key: SigningKey;
}

/**
 * Certifies writers by Ed25519 keys that are derived from the vault's, the same on every server. Their public halves
 * reveal nothing of the vault. The keys are derived at each call, as the vault's keys change at run time.
 */
export class VaultAuditAuthority implements AuditAuthority {
  readonly #vault: KeyDerivation;

  constructor({ vault }: { readonly vault: KeyDerivation }) {
    this.#vault = vault;
  }

  keys(): readonly [AuthorityKey, ...AuthorityKey[]] {
    const [current, ...older] = this.#vault.derive(PURPOSE);
    return [authorityKey(current), ...older.map(authorityKey)];
  }

  sign(hash: Uint8Array): Buffer {
    return this.keys()[0].key.sign(hash);
  }
}

function authorityKey({ keyId, bytes }: DerivedKey): AuthorityKey {
  const key = signingKeyFromSeed(bytes);
  return { keyId, key, publicKey: key.publicKey };
}
