import { actOf, type Caller } from '../policy/caller.ts';
import type { ConfigurationStore } from '../configuration/configuration-store.ts';
import { ServiceError } from '../kernel/errors.ts';
import { lastDayOf, volumeText } from './licence.ts';
import type { LicenceInspection } from './licence-inspection.ts';
import type { LicenceReport } from './outcomes.ts';
import type { LicenceStore } from './licence-store.ts';

export interface LicenceDependencies {
  readonly configuration: Pick<ConfigurationStore, 'current'>;
  readonly inspection: Pick<LicenceInspection, 'report' | 'inspect'>;
  readonly store: LicenceStore;
}

/** A valid licence, with the used part of it. */
type ValidLicence = Extract<LicenceReport, { kind: 'valid' }>;

/** Characters. */
const MAX_LENGTH = 64 * 1024;

/** Shows, installs and removes the licence. */
export class LicenceService {
  readonly #deps: LicenceDependencies;

  constructor(dependencies: LicenceDependencies) {
    this.#deps = dependencies;
  }

  /** @returns the state as in /monitoring/license, with the reasons */
  show(): Promise<LicenceReport> {
    return this.#deps.inspection.report();
  }

  /**
   * Installs a licence in place of the present one. An invalid licence (a wrong signature or form, out of its time, for
   * fewer than there are) is refused, and the present one stays.
   * @param text a JWS in compact form (RFC 7515 §7.1); surrounding blanks are ignored
   * @throws ServiceError 'licence.invalid' that gives the reason
   */
  async install(caller: Caller, text: string): Promise<ValidLicence> {
    const licence = text.trim();
    if (licence.length > MAX_LENGTH) {
      throw refused(`it is longer than ${MAX_LENGTH} characters`);
    }
    const report = await this.#deps.inspection.inspect(licence);
    if (report.kind === 'invalid') {
      throw refused(report.explanation);
    }
    const { licensee = '' } = report.licence.fields;
    const outcome = `installed, ${volumeText(report.licence)} till ${lastDayOf(report.licence)}`;
    await this.#deps.store.put(licence, actOf(caller, 'licence/install'), {
      subject: String(licensee),
      outcome,
    });
    return report;
  }

  /** @throws ServiceError 'licence.unknown' when there is none */
  async remove(caller: Caller): Promise<void> {
    if (!(await this.#deps.store.remove(actOf(caller, 'licence/remove')))) {
      throw new ServiceError('licence.unknown', 'There is no licence to remove');
    }
  }
}

function refused(why: string): ServiceError {
  return new ServiceError('licence.invalid', `The licence is refused: ${why}. Nothing was changed`);
}
