/**
 * Encodes text for a form (application/x-www-form-urlencoded) in UTF-8: a blank becomes `+`, and all but letters,
 * digits and `_.-` is escaped. Apps compute signatures over this exact text, so `~` and `*`, which other encoders keep,
 * are escaped too.
 */
export function formEncode(text: string): string {
  // Encoded and decoded as UTF-8: half a surrogate pair becomes U+FFFD, where encodeURIComponent would throw.
  return encodeURIComponent(new TextDecoder().decode(new TextEncoder().encode(text)))
    .replace(/[!~*'()]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%20', '+');
}

/** @returns the text, or undefined where the escapes are broken or are not UTF-8 */
export function formDecode(encoded: string): string | undefined {
  try {
    return decodeURIComponent(encoded.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}
