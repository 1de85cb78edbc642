import { createHash } from 'node:crypto';
import { type CanaryMarks, type MarkKind } from './canary-marks.ts';
import { CanarySearch, type Finding } from './canary-search.ts';

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
