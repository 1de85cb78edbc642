import type { AuditStore } from '../audit/audit-store.ts';
import type { TransactionRows } from '../audit/audit-store.ts';
import { coversRow, grantedRealms } from '../audit/audit-reading.ts';
import type { Configuration } from '../configuration/configuration.ts';
import type { ConfigurationStore } from '../configuration/configuration-store.ts';
import type { Clock } from '../kernel/clock.ts';
import { ServiceError } from '../kernel/errors.ts';
import type { AccessControl, Grant } from '../policy/access-control.ts';
import type { Caller } from '../policy/caller.ts';
import { isVisible } from '../tokens/token.ts';
import { readOcraSettings } from '../configuration/settings.ts';
import type { StoredTransaction } from './transaction-history.ts';
import type { ChallengeStore } from './challenge-store.ts';
import { type Timeline, timelineOf } from './transaction-history.ts';

interface TransactionDependencies {
  readonly configuration: Pick<ConfigurationStore, 'current'>;
  readonly access: AccessControl;
  readonly challenges: Pick<ChallengeStore, 'findStored'>;
  readonly trail: Pick<AuditStore, 'ofTransaction'>;
  readonly clock: Clock;
}

/** A transaction, and what happened to it. Holds neither key nor question. */
export interface TransactionHistory extends Timeline {
  readonly transactionId: string;
  readonly serial: string;
  /** The token's realms that the caller may see: of now, or, without a stored challenge, of its last event. */
  readonly realms: readonly string[];
  /** False once housekeeping or the removal of the token has removed the challenge. */
  readonly isStored: boolean;
  /** The display data; null if it is no longer stored, or withheld. */
  readonly data: string | null;
  /** True if the data is stored, and the caller has no right to see it. */
  readonly isDataWithheld: boolean;
  /** The number of later events that are left out. */
  readonly more: number;
}

/** The most audit rows of a history: a closed transaction can be replayed for ever. */
const MAX_ROWS = 500;
const MAX_ID_LENGTH = 255;

/** Tells what happened to a transaction, as long as its challenge or its audit rows are kept. */
export class TransactionService {
  readonly #deps: TransactionDependencies;

  constructor(dependencies: TransactionDependencies) {
    this.#deps = dependencies;
  }

  /**
   * Takes the right `admin/transaction`; the display data also takes `admin/transactiondata`. Whether PIN or response was
   * right takes `admin/set`, which sets PINs: to others it would be a way to guess one. Writes nothing.
   * @throws ServiceError 'right.missing', 'parameter.missing', and 'transaction.unknown' for an unknown one and alike
   *   for one of a token that is or was in none of the caller's realms
   */
  async history(caller: Caller, transactionId: string): Promise<TransactionHistory> {
    const { access, clock } = this.#deps;
    const { configuration, grant } = await access.authorizeAdmin(
      this.#deps.configuration,
      caller,
      'transaction',
    );
    if (transactionId === '') {
      throw new ServiceError('parameter.missing', 'No transaction is named', {
        parameters: ['transactionid'],
      });
    }
    const { stored, serial, trail } = await this.#find(grant, transactionId);
    const { challengeTimeout } = readOcraSettings(configuration.settings);
    const pins = access.grantOf(configuration, caller, { scope: 'admin', action: 'set' });
    const isPinWithheld = !coversRow({ realm: realmsOf(stored, trail) }, pins);
    return {
      transactionId,
      serial,
      realms: shownRealms(stored, trail, grant),
      isStored: stored !== undefined,
      ...this.#data(configuration, caller, stored),
      ...timelineOf({ stored, trail, challengeTimeout, now: clock.now(), isPinWithheld }),
      more: trail.more,
    };
  }

  /** @throws ServiceError 'transaction.unknown' */
  async #find(
    grant: Grant,
    transactionId: string,
  ): Promise<{ stored: StoredTransaction | undefined; serial: string; trail: TransactionRows }> {
    const { challenges, trail } = this.#deps;
    const realms = grant.realms === 'all' ? undefined : grant.realms;
    // The challenge first: the rows of all that it shows are then there.
    const stored = await challenges.findStored(transactionId);
    const found = await trail.ofTransaction(transactionId, MAX_ROWS, realms);
    const serial = stored?.serial ?? found?.rows[0]?.subject;
    const isHidden = stored !== undefined && !isVisible(stored, grant);
    if (found === undefined || serial === undefined || isHidden) {
      throw unknownTransaction(transactionId);
    }
    return { stored, serial, trail: found };
  }

  #data(
    configuration: Configuration,
    caller: Caller,
    stored: StoredTransaction | undefined,
  ): Pick<TransactionHistory, 'data' | 'isDataWithheld'> {
    if (stored === undefined) {
      return { data: null, isDataWithheld: false };
    }
    const isShown = this.#maySeeData(configuration, caller, stored);
    return { data: isShown ? stored.data : null, isDataWithheld: !isShown };
  }

  #maySeeData(configuration: Configuration, caller: Caller, stored: StoredTransaction): boolean {
    const right = { scope: 'admin', action: 'transactiondata' } as const;
    const grant = this.#deps.access.grantOf(configuration, caller, right);
    return grant !== undefined && isVisible(stored, grant);
  }
}

function shownRealms(
  stored: StoredTransaction | undefined,
  trail: TransactionRows,
  grant: Grant,
): readonly string[] {
  return grantedRealms({ realm: realmsOf(stored, trail) }, grant);
}

/** @returns the token's realms, of now, or, without a stored challenge, of its last event, comma separated */
function realmsOf(stored: StoredTransaction | undefined, { rows }: TransactionRows): string {
  return stored?.realms.join(',') ?? rows.at(-1)?.realm ?? '';
}

function unknownTransaction(transactionId: string): ServiceError {
  const shown = transactionId.slice(0, MAX_ID_LENGTH);
  return new ServiceError('transaction.unknown', `There is no transaction '${shown}'`);
}
