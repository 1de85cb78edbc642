import { formsOf } from './canary-forms.ts';
import type { Mark, MarkKind } from './canary-marks.ts';

/** A secret that was found. Never shows what stands around it: that may be another one. */
export interface Finding {
  readonly place: string;
  readonly kind: MarkKind;
  readonly mark: string;
  /** How it was written. */
  readonly form: string;
}

interface Needle {
  readonly mark: Mark;
  readonly form: string;
  readonly text: Buffer;
}

/** Shorter ones turn up by chance. */
const SHORTEST = 8;

/** Looks for all forms of all marks at once, in any case of letters. */
export class CanarySearch {
  /** By their first three bytes. */
  readonly #needles = new Map<number, Needle[]>();
  /** The pairs of bytes that one begins with: most places are passed over by this. */
  readonly #begins = new Uint8Array(65_536);

  constructor(marks: readonly Mark[]) {
    for (const mark of marks) {
      for (const { name, text } of mark.pieces.flatMap(formsOf)) {
        if (text.length >= SHORTEST) {
          this.#add({ mark, form: name, text: lowerCase(text) });
        }
      }
    }
  }

  /** @returns each mark that is there, once for each form */
  look(place: string, content: string | Buffer): readonly Finding[] {
    const text = lowerCase(typeof content === 'string' ? Buffer.from(content, 'utf8') : content);
    const found = new Map<string, Finding>();
    for (let at = 0; at + SHORTEST <= text.length; at += 1) {
      const first = (text[at] ?? 0) * 256 + (text[at + 1] ?? 0);
      if (this.#begins[first] === 1) {
        for (const { mark, form, text: needle } of this.#needles.get(first * 256 + (text[at + 2] ?? 0)) ??
          []) {
          if (text.compare(needle, 0, needle.length, at, at + needle.length) === 0) {
            const finding = { place, kind: mark.kind, mark: mark.name, form };
            found.set(Object.values(finding).join('|'), finding);
          }
        }
      }
    }
    return [...found.values()];
  }

  #add(needle: Needle): void {
    const [one = 0, two = 0, three = 0] = needle.text;
    const first = one * 256 + two;
    const key = first * 256 + three;
    this.#begins[first] = 1;
    this.#needles.set(key, [...(this.#needles.get(key) ?? []), needle]);
  }
}

/** Of ASCII letters alone, byte by byte. */
function lowerCase(bytes: Buffer): Buffer {
  const lower = Buffer.from(bytes);
  for (let at = 0; at < lower.length; at += 1) {
    const byte = lower[at] ?? 0;
    if (byte >= 0x41 && byte <= 0x5a) {
      lower[at] = byte + 0x20;
    }
  }
  return lower;
}
