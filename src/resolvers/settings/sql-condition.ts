import { invalidSetting } from './setting-values.ts';

/** What would end the condition, hide a part of it, or be read differently by PostgreSQL and MySQL. */
const REFUSED: readonly (readonly [RegExp, string])[] = [
  [/;/, 'a semicolon'],
  [/--|\/\*|\*\/|#/, 'a comment'],
  [/\\/, 'a backslash'],
  [/\?/, 'a question mark'],
  [/\$[\p{L}\p{N}_]*\$/u, 'a dollar-quoted text'],
  [/\p{Cc}/u, 'a control character'],
];

/**
 * A condition is SQL that an administrator wrote, and runs as it is, in a transaction that may only read. This only
 * sees to it that it stays a condition: that it cannot end the parentheses that it is put in.
 * @param quotes what begins and ends texts and names
 * @throws ServiceError 'resolver.invalid' that names the setting
 */
export function assertCondition(name: string, condition: string, quotes: readonly string[]): void {
  const refused = REFUSED.find(([pattern]) => pattern.test(condition));
  if (refused !== undefined) {
    throw invalidSetting(name, `holds ${refused[1]}, which a condition may not`);
  }
  let depth = 0;
  let quote = '';
  for (const character of condition) {
    if (quote !== '') {
      quote = character === quote ? '' : quote;
    } else if (quotes.includes(character)) {
      quote = character;
    } else {
      depth += step(character);
    }
    if (depth < 0) {
      break;
    }
  }
  if (depth !== 0 || quote !== '') {
    throw invalidSetting(name, `has ${quote === '' ? 'parentheses' : 'quotes'} that do not close`);
  }
}

function step(character: string): number {
  if (character === '(') {
    return 1;
  }
  return character === ')' ? -1 : 0;
}
