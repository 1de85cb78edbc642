import type { Clock } from '../kernel/clock.ts';
import { describeFault, type Log } from '../kernel/log.ts';
import { composed } from '../kernel/text.ts';
import type { AuditEntry } from './audit-row.ts';
import type { AuditStore } from './audit-store.ts';
import type { Act } from '../policy/caller.ts';

/** A refused request. There is no act whose transaction could include its row. */
export interface Refusal extends Act {
  /** One or two words. Never text of the client. */
  readonly outcome: string;
  /** Bounded text that follows the outcome in a row of its own. Never text of the client. */
  readonly detail?: string | undefined;
  /** The object of the request: a serial, a realm's name. */
  readonly subject?: string;
  readonly realm?: string;
  /** The account name of the login attempt, as received: the row names it only where such an administrator exists. */
  readonly account?: string | undefined;
}

export type RefusalNotes = Pick<RefusalTrail, 'note'>;

/** The period for which refusals are counted. */
const MINUTE_MS = 60_000;
/** Maximum number of rows a minute for the same refusal of the same endpoint and client. */
const MAX_ALIKE = 5;
/** Maximum number of rows a minute in all: a flood fills neither the disk nor the database's write-ahead log. */
const MAX_ROWS = 30;
const MAX_LENGTH = 64;

/** Refusals without a row of their own. */
interface Folded {
  readonly entry: AuditEntry;
  readonly count: number;
}

/**
 * Writes refusals to the audit trail: each in a row of its own while there are few; the others are counted, in one row
 * a minute for each endpoint and outcome. A refusal stands even where its row cannot be written; it is then counted,
 * and written later.
 */
export class RefusalTrail {
  readonly #deps;
  readonly #alike = new Map<string, number>();
  #folded = new Map<string, Folded>();
  #rows = 0;
  #began = 0;
  #isFailing = false;

  constructor(dependencies: {
    readonly store: Pick<AuditStore, 'writeRefusals'>;
    readonly administrators: { find(name: string): Promise<{ readonly name: string } | undefined> };
    readonly clock: Clock;
    readonly log: Log;
  }) {
    this.#deps = dependencies;
  }

  /** Never fails. */
  async note({ account, ...refusal }: Refusal): Promise<void> {
    const now = this.#deps.clock.now().getTime();
    if (now - this.#began >= MINUTE_MS || now < this.#began) {
      this.#alike.clear();
      this.#rows = 0;
      this.#began = now;
    }
    const key = `${refusal.action} ${refusal.outcome} ${refusal.client}`;
    const alike = this.#alike.get(key) ?? 0;
    if (this.#rows >= MAX_ROWS || alike >= MAX_ALIKE) {
      this.#fold({ entry: entryOf(refusal), count: 1 });
      return;
    }
    this.#rows += 1;
    this.#alike.set(key, alike + 1);
    await this.#write(
      async () => [entryOf(withDetail(await this.#withAccount(refusal, account)))],
      [{ entry: entryOf(refusal), count: 1 }],
    );
  }

  /** Writes the counted refusals. Called about once a minute, and at the end. Never fails. */
  async flush(): Promise<void> {
    const folded = [...this.#folded.values()];
    this.#folded = new Map();
    if (folded.length > 0) {
      const entries = folded.map(({ entry, count }) => ({
        ...entry,
        outcome: count === 1 ? entry.outcome : `${entry.outcome}, ${count} times`,
      }));
      await this.#write(() => Promise.resolve(entries), folded);
    }
  }

  /** Records only names of existing administrators: any other input may be a password. */
  async #withAccount(refusal: Refusal, account: string | undefined): Promise<Refusal> {
    if (account === undefined) {
      return refusal;
    }
    const known = await this.#deps.administrators.find(composed(account));
    return known === undefined
      ? { ...refusal, outcome: `${refusal.outcome}, unknown name` }
      : { ...refusal, subject: known.name };
  }

  /** @param folded is counted again where the rows cannot be written */
  async #write(make: () => Promise<readonly AuditEntry[]>, folded: readonly Folded[]): Promise<void> {
    try {
      await this.#deps.store.writeRefusals(await make());
      this.#isFailing = false;
    } catch (error) {
      folded.forEach((one) => {
        this.#fold(one);
      });
      if (!this.#isFailing) {
        this.#isFailing = true;
        this.#deps.log.warn('Cannot write refusals to the audit; they are counted, and written later', {
          component: 'audit',
          ...describeFault(error),
        });
      }
    }
  }

  /** Counts a refusal under its endpoint and outcome. There are few of both, so memory is bounded. */
  #fold({ entry, count }: Folded): void {
    const key = `${entry.action} ${entry.outcome}`;
    const before = this.#folded.get(key);
    const common = Object.entries<string>({ ...(before?.entry ?? entry) }).map(([name, value]) => [
      name,
      entry[name as keyof AuditEntry] === value ? value : '',
    ]);
    this.#folded.set(key, {
      entry: Object.fromEntries(common) as AuditEntry,
      count: (before?.count ?? 0) + count,
    });
  }
}

function withDetail({ detail, outcome, ...refusal }: Refusal): Refusal {
  return { ...refusal, outcome: detail === undefined ? outcome : `${outcome}, ${detail}` };
}

function entryOf({
  actor,
  action,
  client,
  requestId,
  outcome,
  subject = '',
  realm = '',
  transaction = '',
}: Refusal): AuditEntry {
  const about = { subject: subject.slice(0, MAX_LENGTH), realm: realm.slice(0, MAX_LENGTH) };
  return { actor, action, client, requestId, transaction, outcome: `refused: ${outcome}`, ...about };
}
