import { EqualityFilter, type Filter, FilterParser } from 'ldapts';
import { LdapFault } from './ldap-fault.ts';

const PLACE = '%s';
const MAX_FILTER_LENGTH = 8192;

/** @returns a value escaped for a filter, where it matches itself only (RFC 4515 §3) */
function escapeFilterValue(value: string): string {
  return value.replaceAll(
    /[\0()*\\]/g,
    (character) => `\\${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
}

/**
 * @param text a filter (RFC 4515), also without its outer parentheses; of several in a row, the form of LinOTP's search
 *   filters (`(uid=*)(objectClass=person)`), all must match
 * @param setting the name of the setting, for the message
 * @throws LdapFault 'settings'
 */
export function readFilter(text: string, setting: string): Filter {
  try {
    const trimmed = decodeEscapes(text.trim()).replaceAll(/(\)|\([&|!])\s+(?=[()])/g, '$1');
    if (trimmed === '' || text.length > MAX_FILTER_LENGTH || !isBalanced(trimmed)) {
      throw new Error('empty, too long, or with parentheses that do not match');
    }
    return FilterParser.parseString(`(&${trimmed.startsWith('(') ? trimmed : `(${trimmed})`})`);
  } catch (cause) {
    throw new LdapFault('settings', `${setting} is no LDAP filter`, { cause });
  }
}

/**
 * @param text a filter with `%s` in the place of a value
 * @returns a function that makes the filter for a value, which it escapes
 * @throws LdapFault 'settings'
 */
export function readFilterFor(text: string, setting: string): (value: string) => Filter {
  const items = text.split('(').filter((item) => item.includes(PLACE));
  if (items.length === 0 || !items.every((item) => /^[^=]+=.*%s/s.test(item.slice(0, endOfPlace(item))))) {
    throw new LdapFault(
      'settings',
      `${setting} needs ${PLACE} in the place of the login, as in (uid=${PLACE})`,
    );
  }
  const fill = (value: string): Filter =>
    readFilter(
      text.replaceAll(PLACE, () => escapeFilterValue(value)),
      setting,
    );
  fill('login');
  return fill;
}

/** @returns the filter for entries whose attribute is this value, which may be bytes */
export function equals(attribute: string, value: string | Buffer): Filter {
  return new EqualityFilter({ attribute, value });
}

/** Parentheses in values are escaped, so every literal one is counted. ldapts adds missing ones at the end. */
function isBalanced(filter: string): boolean {
  let depth = 0;
  for (const [parenthesis] of filter.matchAll(/[()]/g)) {
    depth += parenthesis === '(' ? 1 : -1;
    if (depth < 0) {
      return false;
    }
  }
  return depth === 0;
}

function endOfPlace(item: string): number {
  return item.indexOf(PLACE) + PLACE.length;
}

/** ldapts reads `\c3\bc` as two characters: escapes beyond ASCII are therefore replaced by their characters. */
function decodeEscapes(text: string): string {
  return text.replaceAll(/(?:\\[0-9a-f]{2})+/gi, (run) => {
    const bytes = Buffer.from(run.replaceAll('\\', ''), 'hex');
    return bytes.every((byte) => byte < 0x80)
      ? run
      : escapeFilterValue(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
  });
}
