import type { KeyMaterial, NewKey } from '../../keys/key-administration.ts';
import type { RegisteredKey } from '../../keys/vault.ts';
import type { Random } from '../../kernel/clock.ts';
import { sealCanary } from './key-canary.ts';
import { readKeyFile, unusable } from './key-file.ts';
import { appendKey, removeKey } from './key-file-edit.ts';
import { keyIdOf, SecretVault } from './secret-vault.ts';

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

  /** Prefers an unregistered key of the file, which was added by hand or by an interrupted attempt. */
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
