import { readOcraSettings } from '../configuration/settings.ts';
import { isStorable } from '../kernel/text.ts';
import type { ImportedChallenges, ImportTransaction } from './import-store.ts';
import {
  type ChallengeContext,
  type ImportedChallenge,
  type PresentChallenge,
  type PresentChallengedToken,
  mapChallenge,
} from './challenge-mapping.ts';
import type { ImportReport, Mapped } from './import-report.ts';
import type { LinotpInstallation } from './installation-reading.ts';
import { CHALLENGE_TABLES, type LinotpSource, textOf, type LocalTime } from './linotp-source.ts';

interface ChallengeReading extends Pick<ChallengeContext, 'localTime' | 'maxChallengeRequests'> {
  readonly source: LinotpSource;
  readonly installation: LinotpInstallation;
  /** Those of this server. */
  readonly here: ImportedChallenges;
}

/** A challenge of LinOTP, with the same and its token of this server, if they are here. */
interface ReadChallenge {
  readonly mapped: Mapped<ImportedChallenge>;
  readonly known: PresentChallenge | undefined;
  readonly token: PresentChallengedToken | undefined;
}

interface ChallengeImportDependencies extends Pick<ChallengeReading, 'source' | 'installation'> {
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

/** Reads all challenges of LinOTP, in batches. */
export async function* readChallenges(reading: ChallengeReading): AsyncIterable<readonly ReadChallenge[]> {
  const { source, here, localTime, maxChallengeRequests } = reading;
  const { repair, repairBinary } = reading.installation;
  for (const table of CHALLENGE_TABLES) {
    for await (const rows of source.rows(table)) {
      const serials = rows.map((row) => repair(textOf(row, 'tokenserial')));
      const tokens = await here.tokens([...new Set(serials)].filter((serial) => isStorable(serial)));
      const tokenOf = (serial: string): PresentChallengedToken | undefined => tokens.get(serial);
      const context = { table, repair, repairBinary, maxChallengeRequests, localTime, tokenOf };
      const mapped = rows.map((row) => mapChallenge(row, context));
      const present = await here.find(mapped.map(({ name }) => name).filter((name) => isStorable(name)));
      yield mapped.map((one, index) => ({
        mapped: one,
        known: present.get(one.name),
        token: tokens.get(serials[index] ?? ''),
      }));
    }
  }
}

/** Imports the challenges of imported tokens, in one transaction. */
export class ChallengeImport {
  readonly #deps: ChallengeImportDependencies;

  constructor(parts: ChallengeImportDependencies) {
    this.#deps = parts;
  }

  async run(target: ImportTransaction): Promise<void> {
    this.#deps.report.open('challenges');
    const { maxChallengeRequests } = readOcraSettings((await target.present()).settings);
    const reading = { ...this.#deps, here: target.challenges, maxChallengeRequests };
    let done = 0;
    for await (const challenges of readChallenges(reading)) {
      await this.#store(target, challenges);
      done += challenges.length;
      this.#deps.progress(done);
    }
  }

  async #store(target: ImportTransaction, challenges: readonly ReadChallenge[]): Promise<void> {
    const added: (ImportedChallenge & { tokenId: string })[] = [];
    const changed = new Map<string, ImportedChallenge>();
    for (const { mapped, known, token } of challenges) {
      const { value } = mapped;
      if (value !== undefined && known === undefined) {
        added.push({ ...value, tokenId: token?.id ?? '' });
      } else if (value !== undefined && known !== undefined && isNewer(value, known)) {
        changed.set(known.id, value);
      }
      await this.#report(mapped, known);
    }
    if (added.length > 0) {
      await target.challenges.insert(added);
    }
    await target.challenges.update(changed);
    const audited = [...added, ...changed.values()];
    await target.audit(audited.map(({ transactionId }) => ({ subject: transactionId, outcome: 'imported' })));
  }

  #report(mapped: Mapped<ImportedChallenge>, known: PresentChallenge | undefined): Promise<void> {
    const { report } = this.#deps;
    const { value } = mapped;
    if (value === undefined) {
      return report.left('challenges', mapped, ...mapped.reasons);
    }
    if (known !== undefined && !isSame(value, known)) {
      return report.left('challenges', mapped, 'another challenge has this transaction id here');
    }
    return known !== undefined && !isNewer(value, known)
      ? report.unchanged('challenges', mapped)
      : report.stored('challenges', mapped);
  }
}

function isSame(value: ImportedChallenge, known: PresentChallenge): boolean {
  return known.serial === value.serial && known.question === value.question;
}

/** @returns true if the source has counted more since. One that is further here, or closed, stays as it is */
function isNewer(value: ImportedChallenge, known: PresentChallenge): boolean {
  const isReceived = value.wrongCount === known.wrongCount && value.receivedTan && !known.receivedTan;
  const isAhead = value.wrongCount > known.wrongCount || isReceived || value.closedBy !== null;
  return isSame(value, known) && known.closedBy === null && isAhead;
}
