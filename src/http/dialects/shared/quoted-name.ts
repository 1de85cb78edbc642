const UNPRINTABLE = /[\p{C}\p{Z}]/u;
const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
};

/**
 * Quotes a name as `repr` of Python 3 does, which the messages of LinOTP 3 and of the published interface contain:
 * single quotes, or double ones around a name with single quotes alone. Backslashes and unprintable characters are
 * escaped.
 * @returns `'mydefrealm'`, `"o'realm"`, `'a\nb'`
 */
export function quotedName(name: string): string {
  const quote = name.includes("'") && !name.includes('"') ? '"' : "'";
  return `${quote}${Array.from(name, (character) => escapeCharacter(character, quote)).join('')}${quote}`;
}

function escapeCharacter(character: string, quote: string): string {
  if (character === quote) {
    return `\\${character}`;
  }
  const short = SHORT_ESCAPES[character];
  if (short !== undefined) {
    return short;
  }
  return character !== ' ' && UNPRINTABLE.test(character)
    ? numericEscape(character.codePointAt(0) ?? 0)
    : character;
}

function numericEscape(codePoint: number): string {
  const digits = codePoint.toString(16);
  if (codePoint <= 0xff) {
    return `\\x${digits.padStart(2, '0')}`;
  }
  return codePoint <= 0xffff ? `\\u${digits.padStart(4, '0')}` : `\\U${digits.padStart(8, '0')}`;
}
