import type { SecurityModule, Vault } from '../../keys/vault.ts';
import type { Random } from '../../kernel/clock.ts';
import { isServiceError } from '../../kernel/errors.ts';
import { readKeyFile } from './key-file.ts';
import { assertHolds, notReady } from '../pkcs11/module-readiness.ts';
import { SecretVault } from './secret-vault.ts';

/** The key file as the security module of an installation without a hardware module. */
export class KeyFileModule implements SecurityModule {
  readonly #deps: { readonly file: string; readonly keyIds: readonly string[]; readonly random: Random };

  /** @param given.keyIds the keys in use, read at each call */
  constructor(given: { readonly file: string; readonly keyIds: readonly string[]; readonly random: Random }) {
    this.#deps = given;
  }

  async freshVault(): Promise<Pick<Vault, 'open'>> {
    const keys = await this.#readKeys();
    const vault = new SecretVault({ keys, random: this.#deps.random });
    assertHolds(vault, this.#deps.keyIds);
    return vault;
  }

  async #readKeys(): Promise<readonly Buffer[]> {
    try {
      const found = await readKeyFile(this.#deps.file);
      if (found === undefined) {
        throw notReady('the key file is missing', this.#deps.file);
      }
      return found.keys;
    } catch (error) {
      // The message about an unusable key file names its path.
      throw isServiceError(error, 'key.unavailable')
        ? notReady('the key file cannot be used', error.message, error)
        : error;
    }
  }
}
