import type { KeyMaterial, NewKey } from '../../keys/sealing-keys.ts';
import type { RegisteredKey, SecurityModule, Vault } from '../../keys/vault.ts';
import type { Random } from '../../kernel/clock.ts';
import { isServiceError } from '../../kernel/errors.ts';
import { assertHolds, notReady } from '../pkcs11/module-readiness.ts';
import { sealCanary } from './key-canary.ts';
import { readKeyFile, unusable } from './key-file.ts';
import { appendKey, removeKey } from './key-file-edit.ts';
import { keyIdOf, SecretVault } from './secret-vault.ts';

/** The key file as the security module of an installation without a hardware module. */
export class KeyFileModule implements SecurityModule {
  readonly #deps: { readonly file: string; readonly keyIds: readonly string[]; readonly random: Random };

  /** @param options.keyIds the keys in use, read at each call */
  constructor(options: {
    readonly file: string;
    readonly keyIds: readonly string[];
    readonly random: Random;
  }) {
    this.#deps = options;
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

/** Keys of an installation whose security module is the key file. */
export class KeyFileMaterial implements KeyMaterial {
  readonly place: string;
  readonly #file: string;
  readonly #random: Random;

  constructor({ file, random }: { readonly file: string; readonly random: Random }) {
    this.place = `the key file ${file}`;
    this.#file = file;
    this.#random = random;
  }

  /** An unregistered key of the file comes first: it was put there by hand, or by an attempt that was interrupted. */
  async provide(registered: readonly RegisteredKey[]): Promise<NewKey> {
    const found = await readKeyFile(this.#file);
    if (found === undefined) {
      throw unusable(this.#file, 'it is missing');
    }
    const waiting = found.keys.find((key) => registered.every(({ keyId }) => keyId !== keyIdOf(key)));
    const key = waiting ?? (await appendKey(this.#file, this.#random));
    const canary = sealCanary(new SecretVault({ keys: [key], random: this.#random }));
    return { keyId: keyIdOf(key), canary, isMade: waiting === undefined };
  }

  remove(keyId: string): Promise<boolean> {
    return removeKey(this.#file, keyId);
  }
}
