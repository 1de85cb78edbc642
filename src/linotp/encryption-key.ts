import { createDecipheriv, createHmac } from 'node:crypto';

/** Bytes of a slot of the key file: a key of AES-256. */
const SLOT_BYTES = 32;
/** Slots that LinOTP uses: token secrets, configuration values, signatures of challenges. */
const SLOTS = 3;
const BLOCK_BYTES = 16;

/** The slot of a secret in the key file. */
export type KeySlot = 'token' | 'configuration';

const SLOT_NUMBERS: Readonly<Record<KeySlot, number>> = { token: 0, configuration: 1 };

/** A value that the key does not open: another key encrypted it, or it is damaged. It never quotes the value. */
export class UnreadableSecret extends Error {
  override readonly name = 'UnreadableSecret';
}

/** LinOTP's key file (`encKey`): raw keys of 32 bytes, one after the other. */
export class EncryptionKey {
  readonly #slots: readonly Buffer[];

  private constructor(slots: readonly Buffer[]) {
    this.#slots = slots;
  }

  /** @returns the key; undefined for a file that is shorter than three slots, or no whole number of them */
  static fromFile(bytes: Buffer): EncryptionKey | undefined {
    if (bytes.length < SLOTS * SLOT_BYTES || bytes.length % SLOT_BYTES !== 0) {
      return undefined;
    }
    const slots = Array.from({ length: SLOTS }, (_, slot) =>
      bytes.subarray(slot * SLOT_BYTES, (slot + 1) * SLOT_BYTES),
    );
    return new EncryptionKey(slots);
  }

  /**
   * Decrypts AES-256-CBC. The plain text is the data in hexadecimal digits, with one of two paddings: LinOTP up to 3.0
   * appends the bytes 01 02 and zeros, later releases PKCS #7. An upgraded database has both, so each value decides.
   * @param cipher both parameters in hexadecimal digits
   * @returns the data
   * @throws UnreadableSecret
   */
  decrypt(slot: KeySlot, iv: string, cipher: string): Buffer {
    const text = withoutPadding(this.#decryptBlocks(slot, bytesOf(iv), bytesOf(cipher)));
    if (text === undefined || !/^(?:[0-9a-f]{2})*$/.test(text)) {
      throw new UnreadableSecret('wrong key or damaged value');
    }
    return Buffer.from(text, 'hex');
  }

  /** Decrypts a value in the form `iv:cipher`. @throws UnreadableSecret */
  decryptPair(slot: KeySlot, pair: string): Buffer {
    const [iv = '', cipher = '', ...others] = pair.trim().split(':');
    if (others.length > 0) {
      throw new UnreadableSecret('damaged value');
    }
    return this.decrypt(slot, iv, cipher);
  }

  /** @returns 32 bytes that change with the text, and reveal nothing of it to those without the key file */
  fingerprint(text: string): Buffer {
    return createHmac('sha256', Buffer.concat([...this.#slots, Buffer.from('fingerprint')]))
      .update(text)
      .digest();
  }

  #decryptBlocks(slot: KeySlot, iv: Buffer, cipher: Buffer): Buffer {
    const key = this.#slots[SLOT_NUMBERS[slot]];
    if (key === undefined || iv.length !== BLOCK_BYTES || cipher.length % BLOCK_BYTES !== 0) {
      throw new UnreadableSecret('damaged value');
    }
    const decipher = createDecipheriv('aes-256-cbc', key, iv).setAutoPadding(false);
    return Buffer.concat([decipher.update(cipher), decipher.final()]);
  }
}

function bytesOf(hex: string): Buffer {
  if (!/^(?:[0-9a-f]{2})+$/i.test(hex)) {
    throw new UnreadableSecret('damaged value');
  }
  return Buffer.from(hex, 'hex');
}

/** The two paddings cannot be confused: the older one ends in 01 02 or in 00. */
function withoutPadding(padded: Buffer): string | undefined {
  const last = padded.at(-1) ?? 0;
  const isPkcs7 = last >= 1 && last <= BLOCK_BYTES && padded.subarray(-last).every((byte) => byte === last);
  if (isPkcs7) {
    return padded.subarray(0, -last).toString('latin1');
  }
  const trimmed = padded.toString('latin1').replace(/\0{0,15}$/, '');
  return trimmed.endsWith('\x01\x02') ? trimmed.slice(0, -2) : undefined;
}
