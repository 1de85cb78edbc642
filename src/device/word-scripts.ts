/*
 * Scripts within a word (Unicode Technical Standard #39 §5.1 and §5.2, "highly restrictive"): one script, or Latin with
 * Chinese, Japanese and Korean writing, which is not confused with it.
 */

/** Recommended scripts (Unicode Standard Annex #31, table 5), and those that were used to deceive. */
// prettier-ignore
const ALONE = [
  'Latin', 'Cyrillic', 'Greek', 'Arabic', 'Armenian', 'Bengali', 'Cherokee', 'Coptic', 'Devanagari',
  'Ethiopic', 'Georgian', 'Gujarati', 'Gurmukhi', 'Hebrew', 'Kannada', 'Khmer', 'Lao', 'Lisu',
  'Malayalam', 'Mongolian', 'Myanmar', 'Oriya', 'Sinhala', 'Syriac', 'Tamil', 'Telugu', 'Thaana',
  'Thai', 'Tibetan',
];
const EAST_ASIAN = ['Han', 'Hiragana', 'Katakana', 'Hangul', 'Bopomofo'];

const classOf = (scripts: readonly string[]): string =>
  scripts.map((script) => `\\p{Script_Extensions=${script}}`).join('');
const COMMON = classOf(['Common', 'Inherited']);
const madeOf = (scripts: readonly string[]): RegExp => new RegExp(`^[${classOf(scripts)}${COMMON}]*$`, 'u');

/** A word of one script, or of allowed ones, matches one of these. */
const ALLOWED: readonly RegExp[] = [
  ...ALONE.map((script) => madeOf([script])),
  madeOf(['Latin', ...EAST_ASIAN]),
  new RegExp(`^[^${classOf([...ALONE, ...EAST_ASIAN])}]*$`, 'u'),
];

/** Letters that stand for others by their form alone: bold, italic, double-struck. */
const MATHEMATICAL = /[\u{1D400}-\u{1D7FF}]/u;
const ASCII_DIGIT = /[0-9]/;
const OTHER_DIGIT = /(?![0-9])\p{Nd}/gu;
/** The digits of each script are in a block of this many code points of their own. */
const DIGIT_BLOCK = 128;

/** Cyrillic and Greek, and those of their letters that look like Latin ones (UTS #39, confusables.txt). */
const LOOKS: readonly { readonly script: RegExp; readonly latin: RegExp }[] = [
  { script: /\p{Script=Cyrillic}/u, latin: /^[АВЕЅІЈКМНОРСТУХҮԌԚԜӀаеѕіјорсухҽһԁԛԝӏүѵѡԍ]+$/u },
  { script: /\p{Script=Greek}/u, latin: /^[ΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹϳαγικνορτυχωϲ]+$/u },
];

/** @returns true if the word mixes scripts or systems of digits, so that a letter may not be what it looks like */
export function mixesScripts(word: string): boolean {
  return !ALLOWED.some((allowed) => allowed.test(word)) || MATHEMATICAL.test(word) || mixesDigits(word);
}

/**
 * Finds words that are wholly in another script and look Latin, in a text that is Latin otherwise: `РОМА` in Cyrillic
 * letters. A text with Cyrillic words that do not look so is bilingual, and all its words are what they seem.
 * @returns a function that is true for such a word of this text
 */
export function latinImpostors(words: readonly string[]): (word: string) => boolean {
  if (!words.some((word) => /\p{Script=Latin}/u.test(word))) {
    return () => false;
  }
  const suspects = LOOKS.filter(({ script, latin }) =>
    words.every((word) => !script.test(word) || latin.test(lettersOf(word))),
  );
  return (word) => suspects.some(({ latin }) => latin.test(lettersOf(word)));
}

function lettersOf(word: string): string {
  return word.replace(/[^\p{L}]/gu, '');
}

function mixesDigits(word: string): boolean {
  const systems = new Set(
    Array.from(word.matchAll(OTHER_DIGIT), ([digit]) =>
      Math.floor((digit.codePointAt(0) ?? 0) / DIGIT_BLOCK),
    ),
  );
  return systems.size > 1 || (systems.size === 1 && ASCII_DIGIT.test(word));
}
