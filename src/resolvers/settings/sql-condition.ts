import { invalidSetting } from './setting-values.ts';

/** Texts that end the condition, hide a part of it, or have different meanings in PostgreSQL and MySQL. */
const REFUSED: readonly (readonly [RegExp, string])[] = [
  [/;/, 'a semicolon'],
  [/--|\/\*|\*\/|#/, 'a comment'],
  [/\\/, 'a backslash'],
  [/\?/, 'a question mark'],
  [/\$[\p{L}\p{N}_]*\$/u, 'a dollar-quoted text'],
  [/\p{Cc}/u, 'a control character'],
];

/**
 * Checks that a condition cannot end the parentheses around it. An administrator wrote it as SQL, and it runs
 * unchanged, in a read-only transaction.
 * @param quotes the characters that begin and end texts and names
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
