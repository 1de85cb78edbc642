import { createHash, createDecipheriv, createHmac } from 'node:crypto';
import { parseJsonObject, storableForm } from '../kernel/text.ts';
import { type SourceRow, textOf } from './linotp-source.ts';
import { checkPin } from '../tokens/token-settings.ts';

/** Bytes of a slot of the key file: a key of AES-256. */
const SLOT_BYTES = 32;
/** Slots that LinOTP uses: token secrets, configuration values, signatures of challenges. */
const SLOTS = 3;
const BLOCK_BYTES = 16;

/** The slot of a secret in the key file. */
type KeySlot = 'token' | 'configuration';

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

/** The object in the column TokenInfo. */
export type TokenInfo = Readonly<Record<string, unknown>>;

/** @returns the object; empty for an empty text, undefined for a text that is no object in JSON */
export function readTokenInfo(text: string): TokenInfo | undefined {
  return text.trim() === '' ? {} : parseJsonObject(text);
}

/** @returns the text of an entry, which may be a number; empty if it is absent */
export function infoText(info: TokenInfo, key: string): string {
  const value = info[key];
  return typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
}

/** Entries that are secrets, and stored as such. */
const SECRET_ENTRIES = ['sharedSecret', 'nonce'];

/** @returns the entries that are no secrets */
export function publicInfo(info: TokenInfo): TokenInfo {
  const entries = Object.entries(info).filter(([key]) => !SECRET_ENTRIES.includes(key));
  return storableValue(Object.fromEntries(entries)) as TokenInfo;
}

/** @returns the value with the storable form of each text, keys included */
function storableValue(value: unknown): unknown {
  if (typeof value === 'string') {
    return storableForm(value);
  }
  if (Array.isArray(value)) {
    return value.map(storableValue);
  }
  return typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value).map((entry) => entry.map(storableValue)))
    : value;
}

/**
 * The form of a token's key: `key` its bytes, `text` the text of a token of the type pw, or a key that is not hexadecimal,
 * as it was typed, `crypt` a hash of the text, as crypt(3) writes it, `none` for types without one.
 */
export type KeyForm = 'key' | 'text' | 'crypt' | 'none';

/** The secrets of a token, in clear. */
export interface PlainTokenSecrets {
  readonly keyForm: KeyForm;
  readonly seed: Buffer | null;
  readonly sharedSecret: Buffer | null;
  readonly nonce: Buffer | null;
  /** The verifier of the PIN, see `pinVerifier`; null: there is none, or LinOTP's is empty. */
  readonly pin: Buffer | null;
  readonly userPin: Buffer | null;
  readonly soPin: Buffer | null;
}

export type SecretName = Exclude<keyof PlainTokenSecrets, 'keyForm'>;

/** IV and text of a password token whose password is hashed and not encrypted: the text `:1:`. */
const HASHED_PASSWORD_IV = '3a313a';
const PIN_VERSION = 1;
const SALT_BYTES = 16;
const ENCRYPTED_PIN = '@@';

/**
 * Opens the secrets of a token.
 * @param reasons gets what is changed
 * @throws UnreadableSecret if the key or the shared secret cannot be read; a PIN that cannot be read matches no input
 */
export function openTokenSecrets(
  type: string,
  row: SourceRow,
  info: TokenInfo,
  encryptionKey: EncryptionKey,
  reasons: string[],
): PlainTokenSecrets {
  const key = openSeed(type, row, encryptionKey);
  if (key.keyForm === 'text' && type !== 'pw') {
    reasons.push('its key is not hexadecimal: kept as it was typed');
  }
  const sharedSecret = infoText(info, 'sharedSecret');
  const nonce = infoText(info, 'nonce');
  return {
    ...key,
    sharedSecret:
      sharedSecret === '' ? null : bytesOfHexText(encryptionKey.decryptPair('token', sharedSecret)),
    nonce: nonce === '' ? null : bytesOfHexText(Buffer.from(nonce, 'latin1')),
    pin: withoutEmpty(openPin(row, encryptionKey, reasons)),
    userPin: openTypePin(row, 'linotptokenpinuser', 'user PIN', encryptionKey, reasons),
    soPin: openTypePin(row, 'linotptokenpinso', 'SO PIN', encryptionKey, reasons),
  };
}

function openSeed(
  type: string,
  row: SourceRow,
  encryptionKey: EncryptionKey,
): Pick<PlainTokenSecrets, 'keyForm' | 'seed'> {
  const cipher = textOf(row, 'linotpkeyenc').trim();
  const iv = textOf(row, 'linotpkeyiv').trim();
  if (cipher === '') {
    return { keyForm: 'none', seed: null };
  }
  if (iv.toLowerCase() === HASHED_PASSWORD_IV) {
    return { keyForm: 'crypt', seed: Buffer.from(cipher, 'hex') };
  }
  const typed = encryptionKey.decrypt('token', iv, cipher);
  if (type === 'pw' && typed.length === 0) {
    return { keyForm: 'none', seed: null };
  }
  const key = type === 'pw' ? undefined : hexText(typed);
  return key === undefined ? { keyForm: 'text', seed: typed } : { keyForm: 'key', seed: key };
}

/** @returns the bytes of a text in hexadecimal digits; undefined for another text, and an empty one */
function hexText(text: Buffer): Buffer | undefined {
  const digits = text.toString('latin1');
  return /^(?:[0-9a-f]{2})+$/i.test(digits) ? Buffer.from(digits, 'hex') : undefined;
}

function bytesOfHexText(text: Buffer): Buffer {
  const bytes = hexText(text);
  if (bytes === undefined) {
    throw new UnreadableSecret('a secret of the roll-out is not hexadecimal');
  }
  return bytes;
}

/** The PIN: none, encrypted (`@@…`), or SHA-256 of the PIN and the salt in the column Seed. */
function openPin(row: SourceRow, encryptionKey: EncryptionKey, reasons: string[]): Buffer | null {
  const stored = textOf(row, 'linotppinhash').trim();
  const salt = textOf(row, 'linotpseed').trim();
  if (stored === '') {
    return null;
  }
  if (stored.startsWith(ENCRYPTED_PIN)) {
    return openEncryptedPin(stored.slice(ENCRYPTED_PIN.length), salt, encryptionKey, reasons);
  }
  if (!/^[0-9a-f]{64}$/i.test(stored) || !/^[0-9a-f]{32}$/i.test(salt)) {
    reasons.push('its PIN has an unknown form and matches no input: set a new one');
    return unmatchable();
  }
  return Buffer.concat([Buffer.of(PIN_VERSION), Buffer.from(salt, 'hex'), Buffer.from(stored, 'hex')]);
}

/** LinOTP has a hash of the empty PIN, too. */
function withoutEmpty(verifier: Buffer | null): Buffer | null {
  return verifier !== null && checkPin(verifier, '') ? null : verifier;
}

function openEncryptedPin(
  pair: string,
  salt: string,
  encryptionKey: EncryptionKey,
  reasons: string[],
): Buffer {
  try {
    const pin = encryptionKey.decryptPair('token', Buffer.from(pair, 'hex').toString('latin1'));
    // The IV is random: it also serves as salt, so that a repeated import gives the same verifier.
    const bytes = /^[0-9a-f]{32}$/i.test(salt) ? Buffer.from(salt, 'hex') : Buffer.alloc(SALT_BYTES);
    const hash = createHash('sha256').update(pin).update(bytes).digest();
    return Buffer.concat([Buffer.of(PIN_VERSION), bytes, hash]);
  } catch (error) {
    if (error instanceof UnreadableSecret) {
      reasons.push('its encrypted PIN does not decrypt and matches no input: set a new one');
      return unmatchable();
    }
    throw error;
  }
}

/**
 * Opens a PIN of some token types, which is encrypted in a column of its own.
 * @param what its name, for the reason
 */
function openTypePin(
  row: SourceRow,
  column: string,
  what: string,
  encryptionKey: EncryptionKey,
  reasons: string[],
): Buffer | null {
  const cipher = textOf(row, column).trim();
  if (cipher === '') {
    return null;
  }
  try {
    return encryptionKey.decrypt('token', textOf(row, `${column}iv`).trim(), cipher);
  } catch (error) {
    if (error instanceof UnreadableSecret) {
      reasons.push(`its ${what} does not decrypt and matches no input: set a new one`);
      // Not null, which would be the empty PIN. Derived from the cipher: a repeated import gives the same.
      return Buffer.from(encryptionKey.fingerprint(`${what} ${cipher}`).toString('hex'));
    }
    throw error;
  }
}

/** A verifier that no PIN has. An absent one would match the empty PIN. */
function unmatchable(): Buffer {
  return Buffer.concat([Buffer.of(PIN_VERSION), Buffer.alloc(SALT_BYTES), Buffer.alloc(32)]);
}
