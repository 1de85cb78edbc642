import type { AuditFinding, Report } from './verification.ts';
import {
  type JournalGap,
  type JournalRecord,
  type KeyBody,
  type LaneHead,
  type PruneBody,
  readHeads,
  readPrune,
  readRecordBody,
  recordHash,
} from './journal-record.ts';
import { type InstallationKey, SignatureVerifier } from './signatures.ts';
import { NOTHING_BEFORE } from './audit-row.ts';

/** The start and the end of a lane, from records that can be trusted. */
export interface LaneBounds {
  /** The last removed row of the lane; undefined where nothing was removed. */
  readonly cut?: LaneHead;
  /** The last row that a checkpoint names, and the checkpoint's number. */
  readonly head?: LaneHead & { readonly checkpoint: number };
}

/** Content of the journal, as far as it can be trusted. */
export interface JournalFacts {
  /** Trusted writers by number. */
  readonly writers: ReadonlyMap<number, SignatureVerifier>;
  /** Bounds of lanes by `writer/lane`. */
  readonly lanes: ReadonlyMap<string, LaneBounds>;
  readonly records: number;
  /** True if a prune removed rows. */
  readonly isPruned: boolean;
  /** The hash of the last record, hexadecimal; empty where there is none. */
  readonly newest: string;
}

interface Writer {
  readonly record: JournalRecord;
  readonly verifier: SignatureVerifier;
}

/** Checks the journal, record by record in the order of their numbers. */
export class JournalCheck {
  readonly #report: Report;
  readonly #checkpoint: string | undefined;
  readonly #trusted: Map<string, SignatureVerifier>;
  readonly #keys: { readonly record: JournalRecord; readonly body: KeyBody }[] = [];
  readonly #writers = new Map<number, Writer>();
  readonly #heads = new Map<string, LaneHead & { readonly writer: number; readonly checkpoint: number }>();
  readonly #prunes: { readonly by: number; readonly body: PruneBody }[] = [];
  readonly #gaps = new JournalGaps();
  #records = 0;
  #isCheckpointThere = false;

  /**
   * @param keys the trusted keys
   * @param checkpoint the hash of a record that must exist, hexadecimal
   */
  constructor(options: {
    readonly keys: readonly InstallationKey[];
    readonly report: Report;
    readonly checkpoint?: string | undefined;
  }) {
    this.#report = options.report;
    this.#checkpoint = options.checkpoint?.toLowerCase();
    this.#trusted = new Map(
      options.keys.map(({ keyId, publicKey }) => [keyId, new SignatureVerifier(publicKey)]),
    );
  }

  async check(record: JournalRecord): Promise<void> {
    this.#records += 1;
    const isSound = recordHash(record).equals(record.hash) && (await this.#isSigned(record));
    const misplaced = this.#gaps.check(record, isSound);
    if (misplaced !== undefined) {
      this.#report(misplaced);
    }
    if (!isSound) {
      this.#report(journalFinding('changed', record, 'the record does not match its signature'));
      return;
    }
    if (record.hash.toString('hex') === this.#checkpoint) {
      this.#isCheckpointThere = true;
    }
    this.#keep(record);
  }

  /** @returns the facts of the whole journal, after its last record */
  async finish(): Promise<JournalFacts> {
    await this.#trustOlderKeys();
    const certified = await this.#certifiedWriters();
    const prunes = this.#prunes.filter(({ by }) => certified.has(by)).map(({ body }) => body);
    const gaps = prunes.flatMap((prune) => prune.gaps);
    this.#gaps.finish(gaps).forEach((finding) => {
      this.#report(finding);
    });
    this.#isCheckpointThere ||= gaps.some(({ hash }) => hash.toString('hex') === this.#checkpoint);
    if (this.#checkpoint !== undefined && !this.#isCheckpointThere) {
      this.#report(journalFinding('removed', null, `there is no checkpoint ${this.#checkpoint}`));
    }
    return {
      // A pruned writer whose record reappears is no longer trusted.
      writers: new Map([...certified].filter(([number]) => !isIn(gaps, number))),
      lanes: this.#bounds(certified, prunes),
      records: this.#records,
      isPruned: prunes.length > 0,
      newest: this.#records === 0 ? '' : this.#gaps.newest.toString('hex'),
    };
  }

  /** Verifies records of writers at once. Those of the installation's keys are verified when all of these are known. */
  async #isSigned({ writer, kind, hash, signature }: JournalRecord): Promise<boolean> {
    if (kind === 'writer' || kind === 'key') {
      return writer === 0;
    }
    const known = this.#writers.get(writer);
    return known !== undefined && (await known.verifier.verify(hash, signature));
  }

  #keep(record: JournalRecord): void {
    const { kind, number, writer, body } = record;
    try {
      if (kind === 'writer') {
        const { publicKey }: { publicKey?: unknown } = readRecordBody(body);
        // A forged record may hold any value here.
        const verifier = new SignatureVerifier(Buffer.from(String(publicKey), 'base64'));
        this.#writers.set(number, { record, verifier });
      } else if (kind === 'key') {
        this.#keys.push({ record, body: readRecordBody(body) as unknown as KeyBody });
      } else if (kind === 'checkpoint') {
        readHeads(body).forEach((head) => {
          this.#heads.set(`${writer}/${head.lane}`, { ...head, writer, checkpoint: number });
        });
      } else {
        this.#prunes.push({ by: writer, body: readPrune(body) });
      }
    } catch {
      this.#report(journalFinding('changed', record, 'the record cannot be read'));
    }
  }

  /** Trusts each key that a trusted one has signed, so that rows of old keys still verify. */
  async #trustOlderKeys(): Promise<void> {
    let pending = this.#keys;
    for (let before = -1; before !== pending.length;) {
      before = pending.length;
      const left: typeof pending = [];
      for (const { record, body } of pending) {
        if (await this.#isByTrusted(record)) {
          const verifier = new SignatureVerifier(Buffer.from(body.publicKey, 'base64'));
          this.#trusted.set(body.keyId, this.#trusted.get(body.keyId) ?? verifier);
        } else {
          left.push({ record, body });
        }
      }
      pending = left;
    }
    pending.forEach(({ record }) => {
      this.#report(journalFinding('inserted', record, 'a key that no key of this installation vouches for'));
    });
  }

  async #isByTrusted({ keyId, hash, signature }: JournalRecord): Promise<boolean> {
    return (await this.#trusted.get(keyId)?.verify(hash, signature)) === true;
  }

  async #certifiedWriters(): Promise<Map<number, SignatureVerifier>> {
    const certified = new Map<number, SignatureVerifier>();
    for (const [number, { record, verifier }] of this.#writers) {
      if (await this.#isByTrusted(record)) {
        certified.set(number, verifier);
      } else {
        this.#report(
          journalFinding('inserted', record, 'a writer that no key of this installation has certified'),
        );
      }
    }
    return certified;
  }

  #bounds(
    certified: ReadonlyMap<number, SignatureVerifier>,
    prunes: readonly PruneBody[],
  ): Map<string, LaneBounds> {
    const lanes = new Map<string, LaneBounds>();
    for (const [lane, head] of this.#heads) {
      if (certified.has(head.writer)) {
        lanes.set(lane, { head });
      }
    }
    for (const cut of prunes.flatMap(({ cuts }) => cuts)) {
      const lane = `${cut.writer}/${cut.lane}`;
      const known = lanes.get(lane);
      if ((known?.cut?.seq ?? 0) < cut.seq) {
        lanes.set(lane, { ...known, cut });
      }
    }
    return lanes;
  }
}

interface Span {
  readonly from: number;
  readonly to: number;
}

/** A gap in the numbers of the journal, or a record that does not follow the one that it was signed to follow. */
interface Leap {
  /** The record after the gap. */
  readonly next: Pick<JournalRecord, 'number' | 'at' | 'prevHash'>;
  /** The number that the next record should have. */
  readonly expected: number;
  /** True if the content of the next record can be trusted. */
  readonly isSound: boolean;
}

/**
 * Checks the numbers of the journal: a missing record must be in the signed gaps of a prune. Uses memory only for gaps.
 */
class JournalGaps {
  readonly #leaps: Leap[] = [];
  #last = { number: 0, hash: NOTHING_BEFORE, isSound: true };

  get newest(): Buffer {
    return this.#last.hash;
  }

  /**
   * @param record the next one by number
   * @param isSound true if its content can be trusted
   * @returns a finding about its place, as far as already known
   */
  check(record: JournalRecord, isSound: boolean): AuditFinding | undefined {
    const { number, hash, prevHash } = record;
    const last = this.#last;
    const expected = last.number + 1;
    if (number < expected) {
      return astray(record);
    }
    if (number > expected) {
      this.#leaps.push({ next: record, expected, isSound });
    }
    this.#last = { number, hash, isSound };
    const follows = number > expected || !isSound || !last.isSound || prevHash.equals(last.hash);
    return follows ? undefined : astray(record);
  }

  /**
   * @param gaps gaps of the prunes that can be trusted
   * @returns the other records that are missing, and pruned ones that reappear
   */
  finish(gaps: readonly JournalGap[]): readonly AuditFinding[] {
    const leaps = this.#leaps.map(({ expected, next }) => ({ from: expected, to: next.number - 1 }));
    const present = without([{ from: 1, to: this.#last.number }], leaps);
    const back = without(present, without(present, gaps));
    return [
      ...this.#leaps.flatMap((leap) => missingAt(leap, gaps)),
      ...back.map((span) => {
        const first = { number: span.from, at: null };
        return journalFinding('inserted', first, `${named(span)} was pruned, and is there`);
      }),
    ];
  }
}

function missingAt({ next, expected, isSound }: Leap, gaps: readonly JournalGap[]): readonly AuditFinding[] {
  const lost = without([{ from: expected, to: next.number - 1 }], gaps);
  if (lost.length > 0) {
    return lost.map((span) =>
      journalFinding('removed', null, `${named(span)} of the journal before record ${next.number}`),
    );
  }
  const before = gaps.filter(({ to }) => to === next.number - 1);
  return isSound && before.every(({ hash }) => !hash.equals(next.prevHash)) ? [astray(next)] : [];
}

function astray(record: Pick<JournalRecord, 'number' | 'at'>): AuditFinding {
  return journalFinding('reordered', record, 'the record follows another one than it was signed to');
}

function isIn(spans: readonly Span[], number: number): boolean {
  return spans.some(({ from, to }) => from <= number && number <= to);
}

function without(spans: readonly Span[], taken: readonly Span[]): readonly Span[] {
  return taken.reduce<readonly Span[]>(
    (left, { from, to }) =>
      left.flatMap((span) => [
        ...(span.from < from ? [{ from: span.from, to: Math.min(span.to, from - 1) }] : []),
        ...(span.to > to ? [{ from: Math.max(span.from, to + 1), to: span.to }] : []),
      ]),
    spans,
  );
}

function named({ from, to }: Span): string {
  return from === to ? `record ${from}` : `records ${from} to ${to}`;
}

function journalFinding(
  kind: AuditFinding['kind'],
  record: { readonly number: number; readonly at: string | null } | null,
  reason: string,
): AuditFinding {
  return {
    kind,
    of: 'journal',
    id: record === null ? null : String(record.number),
    writer: null,
    lane: null,
    seq: null,
    at: record?.at ?? null,
    reason,
  };
}
