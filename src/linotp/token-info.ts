import { parseJsonObject, storableForm } from '../kernel/text.ts';

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
