import { formsOf } from './canary-forms.ts';
import type { Mark, MarkKind } from './canary-marks.ts';

/** A secret that was found. Never shows the bytes around it, which may be another one. */
export interface Finding {
  readonly place: string;
  readonly kind: MarkKind;
  readonly mark: string;
  /** Its encoding. */
  readonly form: string;
}

interface Needle {
  readonly mark: Mark;
  readonly form: string;
  readonly text: Buffer;
}

/** Bytes; shorter ones occur by chance. */
const MIN_LENGTH = 8;
/** A bit for each hash of the first four bytes of a needle. */
const HASH_BITS = 22;

/** Searches for all forms of all marks at once, without regard to case. */
export class CanarySearch {
  /** Needles by their first eight bytes. */
  readonly #needles = new Map<string, Needle[]>();
  /** The filter that passes over most places. */
  readonly #begins = new Uint8Array(2 ** HASH_BITS);

  constructor(marks: readonly Mark[]) {
    for (const mark of marks) {
      for (const { name, text } of mark.pieces.flatMap(formsOf)) {
        if (text.length >= MIN_LENGTH) {
          this.#add({ mark, form: name, text: lowerCase(text) });
        }
      }
    }
  }

  /** @returns each mark that is found, once for each form */
  look(place: string, content: string | Buffer): readonly Finding[] {
    const text = lowerCase(typeof content === 'string' ? Buffer.from(content, 'utf8') : content);
    const found = new Map<string, Finding>();
    let four = 0;
    for (let end = 0; end < text.length; end += 1) {
      four = ((four << 8) | (text[end] ?? 0)) >>> 0;
      if (this.#begins[hashOf(four)] === 1 && end >= 3) {
        const at = end - 3;
        for (const { mark, form, text: needle } of this.#needles.get(beginOf(text, at)) ?? []) {
          if (
            needle.length <= text.length - at &&
            text.compare(needle, 0, needle.length, at, at + needle.length) === 0
          ) {
            const finding = { place, kind: mark.kind, mark: mark.name, form };
            found.set(Object.values(finding).join('|'), finding);
          }
        }
      }
    }
    return [...found.values()];
  }

  #add(needle: Needle): void {
    this.#begins[hashOf(needle.text.readUInt32BE(0))] = 1;
    const begin = beginOf(needle.text, 0);
    const known = this.#needles.get(begin);
    if (known === undefined) {
      this.#needles.set(begin, [needle]);
    } else {
      known.push(needle);
    }
  }
}

function hashOf(four: number): number {
  return Math.imul(four, 0x9e3779b1) >>> (32 - HASH_BITS);
}

function beginOf(text: Buffer, at: number): string {
  return text.toString('latin1', at, Math.min(at + MIN_LENGTH, text.length));
}

/** Lower-cases each byte as if it were a character. */
function lowerCase(bytes: Buffer): Buffer {
  return Buffer.from(bytes.toString('latin1').toLowerCase(), 'latin1');
}
