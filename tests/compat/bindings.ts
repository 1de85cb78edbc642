/**
 * The places of random values in answers: the text before, and their form. The same value stands in several
 * places, and everywhere for the same.
 */
const RANDOM_VALUES: readonly RegExp[] = [
  /"transactionid": "(\d{12})"/g,
  /(?:tr=|tr%3D)(\d{12})/g,
  /\b(OCRA\d{4}[0-9A-F]{4})\b/g,
  /(?:sh=|sh%3D|"sharedsecret": "|sharedsecret">)([0-9a-f]{40})\b/g,
  /(?:no=|"nonce": ")([0-9a-f]{128})/g,
  /(?:si=|si%3D|"signature": ")([0-9a-f]{40,128})/g,
  /seed:\/\/([0-9a-f]{40})\b/g,
];

/** RFC 6287 Q: what it shows of the display data, then `0000`, then random characters. */
const QUESTION = /(?:ch=|ch%3D|"challenge": ")([0-9A-Za-z]{4,64})/g;

/** The values that differ from answer to answer and are never referred to. */
const PASSING_VALUES: readonly (readonly [pattern: RegExp, mask: string])[] = [
  [/"timestamp": "\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}"/g, '"timestamp": "<time>"'],
  [/"id": \d+, (?=\n *"valid_tan")/g, '"id": <row>, '],
  [/base64,(?:PNG|iVBORw0KGgo[A-Za-z0-9+/=]+)(?=\\?")/g, 'base64,<png>'],
];

/** Which random value of this run stands for which recorded one. */
export class Bindings {
  readonly #ours = new Map<string, string>();
  readonly #recorded = new Map<string, string>();

  /**
   * Takes the random values of two answers for the same, in the order in which they stand.
   * @param withData true if the questions must show some display data, both the same
   */
  learn(recorded: string, ours: string, withData: boolean): void {
    for (const pattern of RANDOM_VALUES) {
      this.#learn(pattern, recorded, ours, () => true);
    }
    this.#learn(QUESTION, recorded, ours, (theirs, value) => !withData || showTheSame(theirs, value));
  }

  #learn(
    pattern: RegExp,
    recorded: string,
    ours: string,
    areAlike: (recorded: string, ours: string) => boolean,
  ): void {
    const theirs = valuesOf(recorded, pattern);
    valuesOf(ours, pattern).forEach((value, index) => {
      const counterpart = theirs[index];
      if (counterpart !== undefined && areAlike(counterpart, value)) {
        this.#bind(counterpart, value);
      }
    });
  }

  /** The first binding counts: a value that changes later is not the same value. */
  #bind(recorded: string, ours: string): void {
    if (recorded.length === ours.length && !this.#ours.has(recorded) && !this.#recorded.has(ours)) {
      this.#ours.set(recorded, ours);
      this.#recorded.set(ours, recorded);
    }
  }

  /** @returns the value of this run */
  ours(recorded: string): string {
    return this.#ours.get(recorded) ?? recorded;
  }

  /** @returns a recorded text with the values of this run in it */
  translate(text: string): string {
    let translated = text;
    for (const [recorded, ours] of this.#ours) {
      translated = translated
        .replaceAll(recorded, ours)
        .replaceAll(recorded.toLowerCase(), ours.toLowerCase());
    }
    return translated;
  }
}

/** The common beginning of the questions must reach to the random characters. */
function showTheSame(one: string, other: string): boolean {
  const end = Array.from(one).findIndex((character, index) => character !== other[index]);
  return end === -1 || one.slice(0, end).includes('0000');
}

/** @returns the text without what is random and never referred to */
export function masked(text: string): string {
  return PASSING_VALUES.reduce((result, [pattern, mask]) => result.replace(pattern, mask), text);
}

function valuesOf(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, value = '']) => value);
}
