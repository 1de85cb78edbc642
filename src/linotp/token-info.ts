/** The object in the column TokenInfo. */
export type TokenInfo = Readonly<Record<string, unknown>>;

/** @returns the object; empty for an empty text, undefined for a text that is no object in JSON */
export function readTokenInfo(text: string): TokenInfo | undefined {
  if (text.trim() === '') {
    return {};
  }
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)
      ? (parsed as TokenInfo)
      : undefined;
  } catch {
    return undefined;
  }
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
  // The database holds neither NUL nor halves of surrogate pairs.
  const storable = (_: string, value: unknown): unknown =>
    typeof value === 'string' ? value.replace(/\0|\p{Surrogate}/gu, '\u{FFFD}') : value;
  return JSON.parse(JSON.stringify(Object.fromEntries(entries), storable)) as TokenInfo;
}
