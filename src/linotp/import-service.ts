import { actOf, type Caller } from '../policy/caller.ts';
import type { UserSources } from '../resolvers/user-source.ts';
import type { Vault } from '../keys/vault.ts';
import { ChallengeImport, countChallenges } from './challenge-import.ts';
import { ConfigurationImport } from './configuration-import.ts';
import type { EncryptionKey } from './encryption-key.ts';
import {
  IMPORT_GROUPS,
  type ImportGroup,
  ImportReport,
  type ImportSummary,
  type ReportSink,
} from './import-report.ts';
import { type LinotpInstallation, readInstallation, type TextEncoding } from './installation-reading.ts';
import type { LocalTime } from './local-time.ts';
import { OwnerLogins, TokenImport } from './token-import.ts';
import type { ImportStore, ImportTransaction } from './import-store.ts';
import { importRefused, type LinotpSource } from './linotp-source.ts';
import type { FilePlaces } from './configuration-mapping.ts';

/** The state of an import, for people who wait for it. */
interface ImportProgress {
  readonly group: ImportGroup;
  readonly done: number;
  readonly total: number;
}

export interface ImportRequest {
  readonly source: LinotpSource;
  readonly encryptionKey: EncryptionKey;
  /** Default: all. */
  readonly only?: readonly ImportGroup[] | undefined;
  readonly dryRun: boolean;
  readonly encoding: TextEncoding;
  /** The zone of the old server's clock. */
  readonly localTime: LocalTime;
  readonly places: FilePlaces;
  readonly sink: ReportSink;
  readonly progress: (progress: ImportProgress) => void;
  /** Receives remarks on an unusual database, for people. */
  readonly note: (text: string) => void;
}

/** Takes over a LinOTP installation, for the operator. */
export class LinotpImportService {
  readonly #deps: { readonly target: ImportStore; readonly vault: Vault; readonly sources: UserSources };

  constructor(dependencies: { target: ImportStore; vault: Vault; sources: UserSources }) {
    this.#deps = dependencies;
  }

  /**
   * Imports group by group, each in a transaction: after a failure the groups before are complete, and a repeated
   * import goes on. A repeated import takes the changes of the source since.
   * @throws ServiceError 'import.refused' before anything is written, if the source cannot be read or the key file does
   *   not belong to it
   */
  async run(caller: Caller, request: ImportRequest): Promise<ImportSummary> {
    const { source, encryptionKey, encoding, dryRun } = request;
    const act = actOf(caller, 'import/linotp');
    const installation = await readInstallation(source, encryptionKey, encoding);
    installation.notes.forEach(request.note);
    const report = new ImportReport(request.sink);
    const totals = { tokens: await source.count('Token'), challenges: await countChallenges(source) };
    const groups = IMPORT_GROUPS.filter((group) => request.only?.includes(group) ?? true);
    const steps = groups
      .map((group) => this.#step(group, request, installation, report, totals))
      .map((step) => withClaim(step, encryptionKey));
    if (dryRun) {
      await this.#deps.target.rehearse(async (target) => {
        for (const step of steps) {
          await step(target);
        }
      });
    } else {
      for (const step of steps) {
        await this.#deps.target.transact(act, step);
      }
      await this.#deps.target.renewStatistics();
    }
    return report.summary(dryRun, source.unread);
  }

  #step(
    group: ImportGroup,
    request: ImportRequest,
    installation: LinotpInstallation,
    report: ImportReport,
    totals: Readonly<Record<'tokens' | 'challenges', number>>,
  ): (target: ImportTransaction) => Promise<void> {
    const { source, encryptionKey, localTime, places } = request;
    const { vault, sources } = this.#deps;
    const shared = { source, installation, encryptionKey, vault, report };
    if (group !== 'tokens' && group !== 'challenges') {
      return (target) => new ConfigurationImport({ ...shared, places }).run(group, target);
    }
    const progress = (done: number): void => {
      request.progress({ group, done, total: totals[group] });
    };
    return (target) => {
      progress(0);
      return group === 'tokens'
        ? new TokenImport({ ...shared, localTime, logins: new OwnerLogins(sources), progress }).run(target)
        : new ChallengeImport({ ...shared, localTime, progress }).run(target);
    };
  }
}

/** Two installations cannot be told apart once they are mixed: an import would remove the entries of the other one. */
function withClaim(
  step: (target: ImportTransaction) => Promise<void>,
  encryptionKey: EncryptionKey,
): typeof step {
  return async (target) => {
    if (!(await target.claim(encryptionKey.fingerprint('installation')))) {
      throw importRefused(
        'Another LinOTP installation, with another key file, has been imported here: import this one into a database of its own',
      );
    }
    await step(target);
  };
}
