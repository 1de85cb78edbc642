/** @returns whether a token can have this serial: printable ASCII, 1 to 64 characters, no blank, no asterisk */
export function isSerial(text: string): boolean {
  return /^[\x21-\x29\x2b-\x7e]{1,64}$/.test(text);
}
