/** AES-256-GCM with a random IV of 96 bits (NIST SP 800-38D §8.2.2) in front of the ciphertext. */

const IV_LENGTH = 12;

export type Bytes = Uint8Array<ArrayBuffer>;

/** @returns random bytes */
export function randomBytes(length: number): Bytes {
  return crypto.getRandomValues(new Uint8Array(length));
}

/** @returns the bytes of a text in UTF-8 */
export function utf8(text: string): Bytes {
  return new TextEncoder().encode(text);
}

/** @param context the additional data: what is opened with another context fails */
export async function seal(key: CryptoKey, plain: Bytes, context: string): Promise<Bytes> {
  const iv = randomBytes(IV_LENGTH);
  const data = await crypto.subtle.encrypt(
    { name: 'AES-GCM', iv, additionalData: utf8(context) },
    key,
    plain,
  );
  const sealed = new Uint8Array(IV_LENGTH + data.byteLength);
  sealed.set(iv);
  sealed.set(new Uint8Array(data), IV_LENGTH);
  return sealed;
}

/** @returns the plain bytes; null for another key, another context, or changed bytes */
export async function unseal(key: CryptoKey, sealed: Bytes, context: string): Promise<Bytes | null> {
  const iv = sealed.subarray(0, IV_LENGTH);
  try {
    const plain = await crypto.subtle.decrypt(
      { name: 'AES-GCM', iv, additionalData: utf8(context) },
      key,
      sealed.subarray(IV_LENGTH),
    );
    return new Uint8Array(plain);
  } catch {
    return null;
  }
}

/** @returns true if both hold the same bytes. Not for secrets: the time depends on the bytes */
export function sameBytes(left: Bytes, right: Bytes): boolean {
  return left.length === right.length && left.every((byte, place) => byte === right[place]);
}
