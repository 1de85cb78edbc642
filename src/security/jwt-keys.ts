import type * as Jose from 'jose';
import type { DerivedKey, KeyDerivation } from '../keys/vault.ts';

/**
 * Keys of JSON Web Tokens, derived from those of the vault for one purpose: every server of an installation reads the
 * tokens of the others. They are derived for each token, as the vault's keys change at run time; a new key is then the
 * current one, and older ones are accepted while the vault has them.
 */
export class JwtKeys {
  readonly #keys: KeyDerivation;
  readonly #purpose: string;

  constructor({ keys, purpose }: { readonly keys: KeyDerivation; readonly purpose: string }) {
    this.#keys = keys;
    this.#purpose = purpose;
  }

  /** The key for new tokens. */
  get current(): DerivedKey {
    const [current] = this.#keys.derive(this.#purpose);
    return current;
  }

  /**
   * @returns the key that the header of a token names
   * @throws JOSEError for an unknown one
   */
  async find({ kid = '' }: { readonly kid?: string }): Promise<Uint8Array> {
    const key = this.#keys.derive(this.#purpose).find(({ keyId }) => keyId === kid);
    if (key === undefined) {
      const { errors } = await loadJose();
      throw new errors.JOSEError('made with an unknown key');
    }
    return key.bytes;
  }
}

/** Loads the library where it is used: a command does not wait for it. */
export function loadJose(): Promise<typeof Jose> {
  return import('jose');
}

/** @returns the result of `read` for a token; undefined for a token that jose refuses */
export async function readToken<Content>(
  read: (jose: typeof Jose) => Promise<Content>,
): Promise<Content | undefined> {
  const jose = await loadJose();
  try {
    return await read(jose);
  } catch (error) {
    if (error instanceof jose.errors.JOSEError) {
      return undefined;
    }
    throw error;
  }
}
