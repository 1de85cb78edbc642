import type { KeyMaterial, NewKey } from '../../keys/sealing-keys.ts';
import type { KeyRegistry, SecurityModule, Vault } from '../../keys/vault.ts';
import type { Random } from '../../kernel/clock.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { assertHolds, notReady } from '../pkcs11/module-readiness.ts';
import type { Pkcs11Module } from '../pkcs11/pkcs11-module.ts';
import { sealCanary } from './key-canary.ts';
import { vaultOf, wrappedAmong } from './open-wrapped-vault.ts';
import { KEY_LENGTH, keyIdOf, SecretVault } from './secret-vault.ts';

interface WrappedKeyParts {
  readonly module: Pick<Pkcs11Module, 'run'>;
  readonly registry: Pick<KeyRegistry, 'registered'>;
  readonly random: Random;
  /** The keys that are in use, asked for each time. */
  readonly keyIds: readonly string[];
}

/** The hardware module behind a vault whose keys it wrapped. */
export class WrappedKeyModule implements SecurityModule {
  readonly #deps: WrappedKeyParts;
  #running: Promise<Pick<Vault, 'open'>> | undefined;

  constructor(parts: WrappedKeyParts) {
    this.#deps = parts;
  }

  /** Shares a request in progress with further callers: the module gets one at a time. */
  freshVault(): Promise<Pick<Vault, 'open'>> {
    this.#running ??= this.#unwrap().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #unwrap(): Promise<Pick<Vault, 'open'>> {
    const registered = await this.#deps.registry.registered();
    const unwrap = wrappedAmong(registered);
    if (unwrap.length === 0) {
      throw notReady('there is nothing for it to unwrap', 'the table encryption_keys has no wrapped key');
    }
    const { unwrapped } = await this.#deps.module.run({ createKey: false, wrap: [], unwrap });
    const vault = vaultOf(unwrapped, registered, this.#deps.random);
    assertHolds(vault, this.#deps.keyIds);
    return vault;
  }
}

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
