import { createHash, randomBytes, randomInt } from 'node:crypto';

/** The kind of a secret. */
export type MarkKind =
  | 'given'
  | 'token PIN'
  | 'OCRA PIN'
  | 'response'
  | 'wrong response'
  | 'token key'
  | 'fixed text'
  | 'shared secret'
  | 'activation code'
  | 'nonce'
  | 'session'
  | 'login token'
  | 'API token'
  | 'password'
  | 'wrong password'
  | 'key file password'
  | 'resolver password'
  | 'database password'
  | 'encryption key'
  | 'webhook secret'
  | 'misplaced';

/** One secret of the test. */
interface Mark {
  readonly kind: MarkKind;
  readonly name: string;
  /** The evidence: the whole secret, or pieces, each of which is enough. */
  readonly pieces: readonly Buffer[];
}

const LETTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789';

/** Bytes of a text or of bytes that are enough as evidence; fewer could occur by chance. */
const PIECE = 8;

/** The secrets that a test plants, and those that it receives. */
export class CanaryMarks {
  readonly #marks: Mark[] = [];
  readonly #made = new Map<string, string>();

  /** @returns a text for a secret, the same for the same name, with characters that other encodings write in their own way */
  text(kind: MarkKind, name: string): string {
    return `ö"%\\${this.word(kind, name)}'&+ß`;
  }

  /** @returns a text of letters and digits alone, the same for the same name */
  word(kind: MarkKind, name: string): string {
    const known = this.#made.get(`${kind} ${name}`);
    if (known !== undefined) {
      return known;
    }
    const core = Array.from({ length: 16 }, () => LETTERS[randomInt(LETTERS.length)]).join('');
    this.#made.set(`${kind} ${name}`, core);
    this.#add(kind, name, Buffer.from(core, 'ascii'));
    return core;
  }

  /** @returns new bytes for a secret */
  bytes(kind: MarkKind, name: string, size: number): Buffer {
    const bytes = randomBytes(size);
    this.#add(kind, name, bytes);
    return bytes;
  }

  /** Records a secret that the server made, or that is derived from others. @returns the same */
  note<Secret extends string | Buffer>(kind: MarkKind, name: string, secret: Secret): Secret {
    this.#add(kind, name, typeof secret === 'string' ? Buffer.from(secret, 'utf8') : secret);
    return secret;
  }

  /** Records the bytes behind the hexadecimal digits. @returns the digits */
  noteHex(kind: MarkKind, name: string, digits: string): string {
    this.#add(kind, name, Buffer.from(digits, 'hex'));
    return digits;
  }

  all(): readonly Mark[] {
    return this.#marks;
  }

  #add(kind: MarkKind, name: string, secret: Buffer): void {
    if (secret.length < PIECE) {
      throw new Error(`The ${kind} '${name}' is too short to be told from chance`);
    }
    this.#marks.push({ kind, name, pieces: piecesOf(secret) });
  }
}

/** Short ones, and digits alone, are one piece as a whole. */
function piecesOf(secret: Buffer): readonly Buffer[] {
  if (secret.length < 2 * PIECE || /^\d+$/.test(secret.toString('latin1'))) {
    return [secret];
  }
  const starts = Array.from({ length: Math.floor(secret.length / PIECE) }, (_, piece) => piece * PIECE);
  return [...new Set([...starts, secret.length - PIECE])].map((at) => secret.subarray(at, at + PIECE));
}

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** An encoding of bytes, by its name. */
interface CanaryForm {
  readonly name: string;
  readonly text: Buffer;
}

/**
 * @returns the forms of bytes in a text or in other bytes: in clear, and in every encoding, also nested. Encodings that
 *   group bytes appear once for each place of the first byte in its group, without the parts that depend on neighbours
 */
function formsOf(bytes: Buffer): readonly CanaryForm[] {
  const plain: CanaryForm = { name: 'clear', text: bytes };
  const once = encodings(plain);
  const twice = once.flatMap((form) => [...hexForms(form), ...base64Forms(form), ...percentForms(form)]);
  const different = new Map(
    [plain, ...once, ...twice].reverse().map((form) => [form.text.toString('latin1'), form]),
  );
  return [...different.values()];
}

function encodings(form: CanaryForm): readonly CanaryForm[] {
  return [
    ...hexForms(form),
    ...base64Forms(form),
    ...base32Forms(form),
    ...percentForms(form),
    ...numberForms(form),
    { name: `${form.name} backwards`, text: Buffer.from(form.text).reverse() },
  ];
}

function named(form: CanaryForm, encoding: string, text: string): CanaryForm {
  const name = form.name === 'clear' ? encoding : `${form.name} in ${encoding}`;
  return { name, text: Buffer.from(text, 'latin1') };
}

function hexForms(form: CanaryForm): readonly CanaryForm[] {
  const digits = bytesOf(form).map((byte) => byte.toString(16).padStart(2, '0'));
  return ['', ' ', ':', '\\x', '\\u00', '&#x'].map((between) =>
    named(form, between === '' ? 'hex' : `hex by '${between}'`, digits.join(between)),
  );
}

/** Bytes as printed by JSON, and by PostgreSQL's escapes. */
function numberForms(form: CanaryForm): readonly CanaryForm[] {
  const bytes = bytesOf(form);
  const octal = bytes.map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
  return [named(form, 'numbers', bytes.join(',')), named(form, 'numbers', bytes.join(', '))].concat(
    named(form, 'octal', octal),
  );
}

/** Percent encoding of all characters, and of those alone that require it. */
function percentForms(form: CanaryForm): readonly CanaryForm[] {
  const all = bytesOf(form).map((byte) => `%${byte.toString(16).padStart(2, '0')}`);
  const some = encodeURIComponent(form.text.toString('latin1'));
  return [named(form, 'percent', all.join('')), named(form, 'percent', some)];
}

function base64Forms(form: CanaryForm): readonly CanaryForm[] {
  return [0, 1, 2].flatMap((offset) => {
    const padded = Buffer.concat([Buffer.alloc(offset), form.text]);
    // Only characters whose bits are all of the secret.
    const from = Math.ceil((offset * 8) / 6);
    const until = Math.floor((padded.length * 8) / 6);
    return [
      named(form, 'base64', padded.toString('base64').slice(from, until)),
      named(form, 'base64url', padded.toString('base64url').slice(from, until)),
    ];
  });
}

function base32Forms(form: CanaryForm): readonly CanaryForm[] {
  const bits = bytesOf(form)
    .map((byte) => byte.toString(2).padStart(8, '0'))
    .join('');
  return [0, 1, 2, 3, 4].map((skipped) => {
    const groups = bits.slice(skipped).match(/.{5}/g) ?? [];
    return named(form, 'base32', groups.map((group) => BASE32[Number.parseInt(group, 2)]).join(''));
  });
}

function bytesOf({ text }: CanaryForm): readonly number[] {
  return [...text];
}

/** A secret that was found. Never shows the bytes around it, which may be another one. */
interface Finding {
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

/** A permitted place of a secret. */
export interface CanaryException {
  /** Matches the places. */
  readonly place: RegExp;
  readonly kinds: readonly MarkKind[];
  readonly because: string;
}

/** The result of the search. */
export interface CanaryVerdict {
  readonly leaks: readonly Finding[];
  /** Exceptions without a finding: they are superfluous. */
  readonly unused: readonly CanaryException[];
  /** Bytes searched, by the first word of the place. */
  readonly searched: Readonly<Record<string, number>>;
}

/** All output of an installation: answers, prints, files and rows. */
export class CanaryEvidence {
  readonly #pieces: { readonly place: string; readonly content: string | Buffer }[] = [];
  readonly #known = new Set<string>();

  /** @param place of the content; its first word is its kind: `answer`, `log`, `table` … */
  add(place: string, content: string | Buffer): void {
    // Repeated content is searched once only.
    const digest = createHash('sha256').update(place).update('\0').update(content).digest('base64');
    if (!this.#known.has(digest)) {
      this.#known.add(digest);
      this.#pieces.push({ place, content });
    }
  }

  /** @returns all content of the places that the pattern matches, as text */
  textOf(place: RegExp): string {
    return this.#pieces
      .filter((piece) => place.test(piece.place))
      .map(({ content }) => String(content))
      .join('\n');
  }

  placesOf(place: RegExp): readonly string[] {
    return this.#pieces.map((piece) => piece.place).filter((name) => place.test(name));
  }

  /** Searches all content for every mark. */
  judge(marks: CanaryMarks, exceptions: readonly CanaryException[]): CanaryVerdict {
    const search = new CanarySearch(marks.all());
    const leaks = new Map<string, Finding>();
    const used = new Set<CanaryException>();
    const searched: Record<string, number> = {};
    for (const { place, content } of this.#pieces) {
      const [what = ''] = place.split(' ');
      searched[what] = (searched[what] ?? 0) + Buffer.byteLength(content);
      for (const finding of search.look(place, content)) {
        const excused = exceptions.filter((one) => one.place.test(place) && one.kinds.includes(finding.kind));
        for (const exception of excused) {
          used.add(exception);
        }
        if (excused.length === 0) {
          leaks.set(Object.values(finding).join('|'), finding);
        }
      }
    }
    return {
      leaks: [...leaks.values()],
      unused: exceptions.filter((exception) => !used.has(exception)),
      searched,
    };
  }
}
