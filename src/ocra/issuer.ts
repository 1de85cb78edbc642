/** Who has issued a token, as the signed code of its roll-out says. */
export interface Issuer {
  readonly name: string;
  /** A PNG picture in base64url; empty: none. */
  readonly logo: string;
}

const MAX_NAME_LENGTH = 40;
/** A code with such a logo is still read from a screen. */
const MAX_LOGO_BYTES = 512;
const MIN_SIDE = 16;
const MAX_SIDE = 64;
const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
/** The chunks of a picture alone: others hold texts, colour profiles or further pictures (PNG §4.7). */
const CHUNKS = ['IHDR', 'PLTE', 'tRNS', 'IDAT', 'IEND'];

/** @returns true for a name that fits one line and has nothing that is not seen */
export function isIssuerName(text: string): boolean {
  return (
    text.length <= MAX_NAME_LENGTH &&
    text.trim() === text &&
    /^(?:(?!\p{Default_Ignorable_Code_Point})[\p{L}\p{M}\p{N}\p{P}\p{S} ])+$/u.test(text)
  );
}

/** @returns true for a PNG picture of 16 to 64 pixels a side and 512 bytes at most, in base64url, which holds nothing else */
export function isIssuerLogo(text: string): boolean {
  const bytes = /^[\w-]+$/.test(text) ? fromBase64url(text) : undefined;
  if (
    bytes === undefined ||
    bytes.length > MAX_LOGO_BYTES ||
    SIGNATURE.some((one, at) => bytes[at] !== one)
  ) {
    return false;
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const chunks = chunksOf(view);
  return (
    chunks?.[0] === 'IHDR' &&
    chunks.at(-1) === 'IEND' &&
    chunks.filter((chunk) => chunk === 'IHDR' || chunk === 'IEND').length === 2 &&
    chunks.every((chunk) => CHUNKS.includes(chunk)) &&
    [view.getUint32(16), view.getUint32(20)].every((side) => side >= MIN_SIDE && side <= MAX_SIDE)
  );
}

/** @returns the names of the chunks, each of which follows the one before; undefined where they do not fill the picture */
function chunksOf(view: DataView): readonly string[] | undefined {
  const names: string[] = [];
  let at = SIGNATURE.length;
  while (at + 12 <= view.byteLength) {
    names.push(String.fromCharCode(...[4, 5, 6, 7].map((place) => view.getUint8(at + place))));
    at += 12 + view.getUint32(at);
  }
  return at === view.byteLength ? names : undefined;
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** @param text of its alphabet. @returns undefined where it ends in bits that are no byte */
function fromBase64url(text: string): Uint8Array | undefined {
  const bytes: number[] = [];
  let bits = 0;
  let rest = 0;
  for (const character of text) {
    rest = (rest << 6) | ALPHABET.indexOf(character);
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      bytes.push(rest >> bits);
      rest &= (1 << bits) - 1;
    }
  }
  return rest === 0 && bits < 6 ? Uint8Array.from(bytes) : undefined;
}
