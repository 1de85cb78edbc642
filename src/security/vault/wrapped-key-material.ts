import type { KeyMaterial, NewKey } from '../../keys/key-administration.ts';
import type { Random } from '../../kernel/clock.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { sealCanary } from './key-canary.ts';
import type { Pkcs11Module } from '../pkcs11/pkcs11-module.ts';
import { KEY_LENGTH, keyIdOf, SecretVault } from './secret-vault.ts';

/** Keys that a hardware module wraps: in the database, and nowhere else. */
export class WrappedKeyMaterial implements KeyMaterial {
  readonly place = 'the database';
  readonly #module: Pick<Pkcs11Module, 'run' | 'name'>;
  readonly #random: Random;

  constructor(parts: { readonly module: Pick<Pkcs11Module, 'run' | 'name'>; readonly random: Random }) {
    this.#module = parts.module;
    this.#random = parts.random;
  }

  async provide(): Promise<NewKey> {
    const bytes = this.#random.bytes(KEY_LENGTH);
    const keyId = keyIdOf(bytes);
    const result = await this.#module.run({ createKey: false, wrap: [{ keyId, bytes }], unwrap: [] });
    const [wrapped] = result.wrapped;
    if (wrapped === undefined) {
      throw new ServiceError('security-module.unavailable', 'The security module wrapped no key');
    }
    return {
      keyId,
      canary: sealCanary(new SecretVault({ keys: [bytes], random: this.#random })),
      wrapped: { bytes: Buffer.from(wrapped.bytes), by: this.#module.name },
      isMade: true,
    };
  }

  remove(keyId: string): Promise<boolean> {
    return Promise.reject(
      new ServiceError(
        'key.refused',
        `The key ${keyId} is in no file, but in the database, wrapped by ${this.#module.name}; it is retired`,
      ),
    );
  }
}
