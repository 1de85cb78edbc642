import type { KeyRegistry, SecurityModule, Vault } from '../../keys/vault.ts';
import type { Random } from '../../kernel/clock.ts';
import { assertHolds, notReady } from '../pkcs11/module-readiness.ts';
import { vaultOf, wrappedAmong } from './open-wrapped-vault.ts';
import type { Pkcs11Module } from '../pkcs11/pkcs11-module.ts';

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

interface WrappedKeyParts {
  readonly module: Pick<Pkcs11Module, 'run'>;
  readonly registry: Pick<KeyRegistry, 'registered'>;
  readonly random: Random;
  /** The keys in use, read at each call. */
  readonly keyIds: readonly string[];
}
