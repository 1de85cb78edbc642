import type { Clock } from '../kernel/clock.ts';
import { isServiceError, ServiceError } from '../kernel/errors.ts';
import { actOf, type Caller } from '../policy/caller.ts';
import {
  type LicenceSignature,
  exceeds,
  lastDayOf,
  type Licence,
  readLicence,
  volumeText,
} from './licence.ts';
import type { LicenceStore } from './licence-store.ts';
import type { LicenceReport } from './reports.ts';
import type { TokenCountStore } from './token-count-store.ts';

export interface LicenceInspectionDependencies {
  readonly store: Pick<LicenceStore, 'installed'>;
  /** Undefined: no key is configured, so that no licence can be verified. */
  readonly signature: Pick<LicenceSignature, 'read'> | undefined;
  readonly counts: Pick<TokenCountStore, 'snapshot'>;
  readonly clock: Clock;
}

type InvalidLicence = Extract<LicenceReport, { kind: 'invalid' }>;
type VerifiedLicence = InvalidLicence | { readonly kind: 'verified'; readonly licence: Licence };

const NO_KEY = 'there is no key to verify it with: LICENCE_PUBLIC_KEY_FILE is not set';

/**
 * Checks a licence against its signature, the clock and the present counts, in this order: an unsigned text is not read
 * further. The signature is verified once for as long as the text stays the same; the key stays while the server runs.
 */
export class LicenceInspection {
  readonly #deps: LicenceInspectionDependencies;
  #last: { readonly text: string; readonly verified: VerifiedLicence } | undefined;

  constructor(dependencies: LicenceInspectionDependencies) {
    this.#deps = dependencies;
  }

  /** @returns the state of the installed licence */
  async report(): Promise<LicenceReport> {
    const text = await this.#deps.store.installed();
    return text === undefined ? { kind: 'none' } : this.inspect(text);
  }

  /** @returns the state that a licence would have if it were installed */
  async inspect(text: string): Promise<Exclude<LicenceReport, { kind: 'none' }>> {
    const verified = await this.#verify(text);
    if (verified.kind === 'invalid') {
      return verified;
    }
    const { licence } = verified;
    return outOfTime(licence, this.#deps.clock.now()) ?? this.#checkVolume(licence);
  }

  async #verify(text: string): Promise<VerifiedLicence> {
    if (this.#last?.text !== text) {
      this.#last = { text, verified: await verify(this.#deps.signature, text) };
    }
    return this.#last.verified;
  }

  async #checkVolume(licence: Licence): Promise<Exclude<LicenceReport, { kind: 'none' }>> {
    const active = await this.#active(licence);
    if (!exceeds(active, licence)) {
      return { kind: 'valid', licence, active };
    }
    const found =
      licence.unit === 'user' ? `${active} users own active tokens` : `${active} tokens are active`;
    const explanation = `it is for ${volumeText(licence)}, but ${found}`;
    return { kind: 'invalid', reason: 'exceeded', explanation, licence, active };
  }

  async #active({ unit }: Licence): Promise<number> {
    const { tokens, activeUsers } = await this.#deps.counts.snapshot();
    if (unit === 'user') {
      return activeUsers.reduce((sum, { users }) => sum + users, 0);
    }
    return tokens.reduce((sum, row) => sum + (row.active ? row.tokens : 0), 0);
  }
}

function outOfTime(licence: Licence, now: Date): InvalidLicence | undefined {
  if (now >= licence.endsAt) {
    const explanation = `it was valid till ${lastDayOf(licence)}`;
    return { kind: 'invalid', reason: 'expired', explanation, licence };
  }
  const { startsAt } = licence;
  if (startsAt !== undefined && now < startsAt) {
    const explanation = `it is not valid before ${startsAt.toISOString()}`;
    return { kind: 'invalid', reason: 'early', explanation, licence, startsAt };
  }
  return undefined;
}

async function verify(
  signature: LicenceInspectionDependencies['signature'],
  text: string,
): Promise<VerifiedLicence> {
  if (signature === undefined) {
    return unverified(NO_KEY);
  }
  const read = await signature.read(text);
  if (read.kind === 'unverified') {
    return unverified(read.why);
  }
  if (read.kind === 'unreadable') {
    return unreadable(read.why);
  }
  try {
    return { kind: 'verified', licence: readLicence(read.claims) };
  } catch (error) {
    if (isServiceError(error, 'licence.invalid')) {
      return unreadable(error.message);
    }
    throw error;
  }
}

function unreadable(explanation: string): InvalidLicence {
  return { kind: 'invalid', reason: 'unreadable', explanation };
}

function unverified(explanation: string): InvalidLicence {
  return { kind: 'invalid', reason: 'unverified', explanation };
}

interface LicenceDependencies {
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
