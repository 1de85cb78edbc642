/** Parts of an installation that are imported one after the other, each all or nothing, in this order. */
export const IMPORT_GROUPS = [
  'resolvers',
  'realms',
  'policies',
  'settings',
  'administrators',
  'tokens',
  'challenges',
] as const;

export type ImportGroup = (typeof IMPORT_GROUPS)[number];

/**
 * The outcome of a row: `taken` as it was, `changed` taken with a difference, `updated` taken over what an earlier
 * import stored, `left` not taken, `unchanged` at the source since an earlier import, `removed` because the source has
 * it no longer.
 */
type ImportOutcome = 'taken' | 'changed' | 'updated' | 'left' | 'unchanged' | 'removed';

export interface ImportEntry {
  readonly group: ImportGroup;
  readonly outcome: ImportOutcome;
  /** A serial, the name of a realm, a transaction id. */
  readonly name: string;
  /** The place of the row in the source, such as `Token 17`. */
  readonly row: string;
  /** Empty only for `taken`, `updated` and `unchanged`. Never a secret. */
  readonly reasons: readonly string[];
}

const NONE: OutcomeCounts = { taken: 0, changed: 0, updated: 0, left: 0, unchanged: 0, removed: 0 };

type OutcomeCounts = Readonly<Record<ImportOutcome, number>>;

export interface ImportSummary {
  readonly dryRun: boolean;
  readonly groups: Readonly<Partial<Record<ImportGroup, OutcomeCounts>>>;
  /** Tokens that were read, by type. */
  readonly tokenTypes: Readonly<Record<string, number>>;
  /** Those of them that are kept and counted, and not checked. */
  readonly keptTypes: Readonly<Record<string, number>>;
  /** The names of tables of the source that are not read. */
  readonly unread: readonly string[];
}

/** Takes each entry, in order; a report file. */
export interface ReportSink {
  write(entry: ImportEntry): Promise<void>;
}

/** Counts the outcomes and passes the entries on, before their group is committed. */
export class ImportReport {
  readonly #sink: ReportSink;
  readonly #groups = new Map<ImportGroup, Record<ImportOutcome, number>>();
  readonly #tokenTypes = new Map<string, number>();
  readonly #keptTypes = new Map<string, number>();

  constructor(sink: ReportSink) {
    this.#sink = sink;
  }

  async add(entry: ImportEntry): Promise<void> {
    this.open(entry.group)[entry.outcome] += 1;
    await this.#sink.write(entry);
  }

  /** Notes a row that was stored, with its reasons and remarks. @param isRepeated an earlier import has stored it */
  stored(group: ImportGroup, mapped: Mapped<unknown>, isRepeated: boolean): Promise<void> {
    const outcome = mapped.reasons.length === 0 ? 'taken' : 'changed';
    return this.#addMapped(group, mapped, isRepeated ? 'updated' : outcome);
  }

  unchanged(group: ImportGroup, mapped: Mapped<unknown>): Promise<void> {
    return this.#addMapped(group, mapped, 'unchanged');
  }

  left(
    group: ImportGroup,
    { name, row }: Pick<Mapped<unknown>, 'name' | 'row'>,
    ...reasons: readonly string[]
  ): Promise<void> {
    return this.add({ group, name, row, outcome: 'left', reasons });
  }

  /** Makes the group appear in the summary, even without any row. */
  open(group: ImportGroup): Record<ImportOutcome, number> {
    const counts = this.#groups.get(group) ?? { ...NONE };
    this.#groups.set(group, counts);
    return counts;
  }

  /** @param isKept it is kept and counted, and not checked */
  countType(type: string, isKept: boolean): void {
    for (const types of [this.#tokenTypes, ...(isKept ? [this.#keptTypes] : [])]) {
      types.set(type, (types.get(type) ?? 0) + 1);
    }
  }

  #addMapped(
    group: ImportGroup,
    { name, row, reasons, remarks = [] }: Mapped<unknown>,
    outcome: ImportOutcome,
  ): Promise<void> {
    return this.add({ group, name, row, outcome, reasons: [...reasons, ...remarks] });
  }

  summary(dryRun: boolean, unread: readonly string[]): ImportSummary {
    return {
      dryRun,
      groups: Object.fromEntries(this.#groups),
      tokenTypes: inOrder(this.#tokenTypes),
      keptTypes: inOrder(this.#keptTypes),
      unread,
    };
  }
}

function inOrder(types: ReadonlyMap<string, number>): Readonly<Record<string, number>> {
  return Object.fromEntries([...types].sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** A row of the source in the form in which it is stored; without a value it is left. */
export interface Mapped<Value> {
  readonly name: string;
  /** The place of the row in the source. */
  readonly row: string;
  readonly value: Value | undefined;
  /** The change, or the reason why it is left. Never a secret. */
  readonly reasons: readonly string[];
  /** The facts that are unusual and yet stored as they were. */
  readonly remarks?: readonly string[];
}
