import { readOcraSettings } from '../challenges/ocra-settings.ts';
import { isStorable } from '../kernel/storable-text.ts';
import { type ChallengeContext, type ImportedChallenge, mapChallenge } from './challenge-mapping.ts';
import type { ImportReport } from './import-report.ts';
import type { LinotpInstallation } from './installation-reading.ts';
import type { LocalTime } from './local-time.ts';
import type { Mapped } from './mapped.ts';
import {
  CHALLENGE_TABLES,
  type LinotpSource,
  type PresentChallenge,
  type TargetTransaction,
} from './ports.ts';
import { type SourceRow, textOf } from './source-row.ts';

interface ChallengeImportDependencies {
  readonly source: LinotpSource;
  readonly installation: LinotpInstallation;
  readonly localTime: LocalTime;
  readonly report: ImportReport;
  readonly progress: (done: number) => void;
}

export async function countChallenges(source: LinotpSource): Promise<number> {
  let challenges = 0;
  for (const table of CHALLENGE_TABLES) {
    challenges += await source.count(table);
  }
  return challenges;
}

/** Imports the challenges of imported tokens, in one transaction. */
export class ChallengeImport {
  readonly #deps: ChallengeImportDependencies;

  constructor(parts: ChallengeImportDependencies) {
    this.#deps = parts;
  }

  async run(target: TargetTransaction): Promise<void> {
    const { source, report, progress } = this.#deps;
    report.open('challenges');
    const { maxChallengeRequests } = readOcraSettings(await target.settings());
    let done = 0;
    for (const table of CHALLENGE_TABLES) {
      for await (const rows of source.rows(table)) {
        await this.#store(target, { table, rows }, maxChallengeRequests);
        done += rows.length;
        progress(done);
      }
    }
  }

  async #store(
    target: TargetTransaction,
    { table, rows }: { table: string; rows: readonly SourceRow[] },
    maxChallengeRequests: number,
  ): Promise<void> {
    const { repair, repairBinary } = this.#deps.installation;
    const serials = new Set(rows.map((row) => repair(textOf(row, 'tokenserial'))));
    const tokens = await target.importedTokens([...serials].filter((serial) => isStorable(serial)));
    const context: ChallengeContext = {
      table,
      repair,
      repairBinary,
      maxChallengeRequests,
      localTime: this.#deps.localTime,
      tokenOf: (serial) => tokens.get(serial),
    };
    const mapped = rows.map((row) => mapChallenge(row, context));
    const present = await target.findChallenges(
      mapped.map(({ name }) => name).filter((name) => isStorable(name)),
    );
    const added: (ImportedChallenge & { tokenId: string })[] = [];
    const changed = new Map<string, ImportedChallenge>();
    for (const one of mapped) {
      const known = present.get(one.name);
      const outcome = compare(one, known);
      if (one.value !== undefined && outcome === 'add') {
        added.push({ ...one.value, tokenId: tokens.get(one.value.serial)?.id ?? '' });
      } else if (one.value !== undefined && outcome === 'change' && known !== undefined) {
        changed.set(known.id, one.value);
      }
      await this.#report(one, outcome);
    }
    if (added.length > 0) {
      await target.insertChallenges(added);
    }
    await target.updateChallenges(changed);
    const audited = [...added, ...changed.values()];
    await target.audit(audited.map(({ transactionId }) => ({ subject: transactionId, outcome: 'imported' })));
  }

  #report(
    { name, row, reasons, remarks = [] }: Mapped<ImportedChallenge>,
    outcome: Comparison,
  ): Promise<void> {
    const entry = { group: 'challenges', name, row } as const;
    const all = [...reasons, ...remarks];
    const { report } = this.#deps;
    switch (outcome) {
      case 'leave':
        return report.add({ ...entry, outcome: 'left', reasons });
      case 'other':
        return report.add({
          ...entry,
          outcome: 'left',
          reasons: ['another challenge has this transaction id here'],
        });
      case 'same':
        return report.add({ ...entry, outcome: 'unchanged', reasons: all });
      case 'add':
      case 'change':
        return report.add({ ...entry, outcome: reasons.length === 0 ? 'taken' : 'changed', reasons: all });
    }
  }
}

type Comparison = 'leave' | 'other' | 'add' | 'same' | 'change';

/** A challenge that is further here, or closed, stays as it is. */
function compare({ value }: Mapped<ImportedChallenge>, known: PresentChallenge | undefined): Comparison {
  if (value === undefined) {
    return 'leave';
  }
  if (known === undefined) {
    return 'add';
  }
  if (known.serial !== value.serial || known.question !== value.question) {
    return 'other';
  }
  return known.closedBy === null && isAhead(value, known) ? 'change' : 'same';
}

/** @returns true if the source has counted more since */
function isAhead(value: ImportedChallenge, known: PresentChallenge): boolean {
  const isReceived = value.wrongCount === known.wrongCount && value.receivedTan && !known.receivedTan;
  return value.wrongCount > known.wrongCount || isReceived || value.closedBy !== null;
}
