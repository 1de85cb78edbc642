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
function mixesScripts(word: string): boolean {
  return !ALLOWED.some((allowed) => allowed.test(word)) || MATHEMATICAL.test(word) || mixesDigits(word);
}

/**
 * Finds words that are wholly in another script and look Latin, in a text that is Latin otherwise: `РОМА` in Cyrillic
 * letters. A text with Cyrillic words that do not look so is bilingual, and all its words are what they seem.
 * @returns a function that is true for such a word of this text
 */
function latinImpostors(words: readonly string[]): (word: string) => boolean {
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

/** A part of a display text. All parts together are the text. */
export interface DisplaySegment {
  readonly text: string;
  /**
   * `plain`: shown as it is. `bidi-control`: changes the order in which other characters are shown. `invisible`: has no
   * form of its own. `look-alike`: a word whose letters may not be what they look like.
   */
  readonly kind: 'plain' | 'bidi-control' | 'invisible' | 'look-alike';
  /** The text in place of controls and invisible characters: `U+202E right-to-left override`. Else empty. */
  readonly name: string;
}

/** The reason why a text could be mistaken for another one. */
export type DisplayFault =
  'bidi-control' | 'invisible' | 'mixed-scripts' | 'latin-impostor' | 'stacked-marks';

/**
 * `faithful`: every segment is plain. `doubtful`: words may not be what they look like, to be marked and confirmed with
 * care, as honest names mix scripts, too (kΩ). `refused`: something changes or covers what is seen.
 */
export type DisplayVerdict = 'faithful' | 'doubtful' | 'refused';

/** A display text, taken apart for a screen on which one signs what one sees. */
export interface DisplayText {
  readonly segments: readonly DisplaySegment[];
  readonly verdict: DisplayVerdict;
  /** Each once, in the order of their first places. */
  readonly reasons: readonly DisplayFault[];
}

const EMOJI = '\\p{Extended_Pictographic}(?:\\uFE0F|\\p{Emoji_Modifier})?';
/** Characters that are invisible elsewhere, where a script or an emoji needs them. */
const NEEDED = [
  // UTS #51 §1.4.9, and keys.
  `${EMOJI}(?:\\u200D${EMOJI})*`,
  '[0-9#*]\\uFE0F?\\u20E3',
  // The non-joiner of Persian between letters, joiner and non-joiner of Indic scripts after a virama (RFC 5892, A.1, A.2).
  '(?<=(?=\\p{L})\\p{Script=Arabic})\\u200C(?=(?=\\p{L})\\p{Script=Arabic})',
  '(?<=[\\u094D\\u09CD\\u0A4D\\u0ACD\\u0B4D\\u0BCD\\u0C4D\\u0CCD\\u0D4D\\u0DCA])[\\u200C\\u200D]',
  // Forms of Chinese characters (UTS #37).
  '(?<=\\p{Script=Han})[\\u{E0100}-\\u{E01EF}]',
].join('|');
/** Unassigned and private characters have no form that two machines agree on. U+2800 is a blank pattern of Braille. */
const INVISIBLE = '(?![\\t\\n\\r])[\\p{C}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}\\u2800]';
const WORD_CHARACTERS = '(?:(?!\\p{Default_Ignorable_Code_Point})[\\p{L}\\p{M}\\p{N}\\p{Pc}])+';
/** Apostrophes and full stops within words count, as in addresses. */
const WORD = `${WORD_CHARACTERS}(?:['’.,@]${WORD_CHARACTERS})*`;
const PIECES = new RegExp(
  `(?:${NEEDED})|(?<bidi>\\p{Bidi_Control})|(?<invisible>${INVISIBLE})|(?<word>${WORD})|[^]`,
  'gu',
);

const DOUBTFUL: ReadonlySet<DisplayFault> = new Set(['mixed-scripts', 'latin-impostor']);

/** More marks on one letter than any language writes cover its neighbours (UTS #39 §5.4). */
const STACKED_MARKS = /[\p{Mn}\p{Me}]{5}/u;

const NAMES: Readonly<Record<number, string>> = {
  0x00ad: 'soft hyphen',
  0x061c: 'Arabic letter mark',
  0x200b: 'zero width space',
  0x200c: 'zero width non-joiner',
  0x200d: 'zero width joiner',
  0x200e: 'left-to-right mark',
  0x200f: 'right-to-left mark',
  0x202a: 'left-to-right embedding',
  0x202b: 'right-to-left embedding',
  0x202c: 'pop directional formatting',
  0x202d: 'left-to-right override',
  0x202e: 'right-to-left override',
  0x2060: 'word joiner',
  0x2066: 'left-to-right isolate',
  0x2067: 'right-to-left isolate',
  0x2068: 'first strong isolate',
  0x2069: 'pop directional isolate',
  0xfeff: 'zero width no-break space',
};

/**
 * Takes a display text apart, so that nothing in it changes how the rest is seen, and nothing stays unseen. Letters
 * that are written from right to left are no fault, nor are line breaks.
 * @param text of any length, also with lone surrogates; the time is linear
 */
export function inspectDisplayText(text: string): DisplayText {
  const pieces = Array.from(text.matchAll(PIECES));
  const isImpostor = latinImpostors(pieces.flatMap(({ groups }) => groups?.word ?? []));
  const segments: DisplaySegment[] = [];
  const reasons = new Set<DisplayFault>();
  let plain = '';
  const flush = (): void => {
    if (plain !== '') {
      segments.push({ text: plain, kind: 'plain', name: '' });
      plain = '';
    }
  };
  for (const { 0: piece, groups = {} } of pieces) {
    const fault = faultOf(groups, isImpostor);
    if (fault === undefined) {
      plain += piece;
    } else {
      flush();
      reasons.add(fault);
      segments.push(segmentOf(piece, fault));
    }
  }
  flush();
  return { segments, verdict: verdictOn([...reasons]), reasons: [...reasons] };
}

function verdictOn(reasons: readonly DisplayFault[]): DisplayVerdict {
  if (reasons.length === 0) {
    return 'faithful';
  }
  return reasons.every((reason) => DOUBTFUL.has(reason)) ? 'doubtful' : 'refused';
}

/** @param groups of `PIECES` */
function faultOf(
  { bidi, invisible, word }: Readonly<Record<string, string | undefined>>,
  isImpostor: (word: string) => boolean,
): DisplayFault | undefined {
  if (bidi !== undefined) {
    return 'bidi-control';
  }
  if (invisible !== undefined) {
    return 'invisible';
  }
  return word === undefined ? undefined : wordFault(word, isImpostor);
}

function wordFault(word: string, isImpostor: (word: string) => boolean): DisplayFault | undefined {
  if (mixesScripts(word)) {
    return 'mixed-scripts';
  }
  if (isImpostor(word)) {
    return 'latin-impostor';
  }
  return STACKED_MARKS.test(word) ? 'stacked-marks' : undefined;
}

function segmentOf(text: string, fault: DisplayFault): DisplaySegment {
  return fault === 'bidi-control' || fault === 'invisible'
    ? { text, kind: fault, name: nameOf(text) }
    : { text, kind: 'look-alike', name: '' };
}

function nameOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const name = NAMES[code];
  return `U+${code.toString(16).toUpperCase().padStart(4, '0')}${name === undefined ? '' : ` ${name}`}`;
}
