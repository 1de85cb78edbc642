import { countBounds, repeatedCounts } from './reported-counts.ts';
import type { ChallengeStep, ResponseStep, ReportedLedger } from './reported-ledger.ts';

/** Runs one statement on the database under check. @returns its rows */
export type Ask = <Row extends object>(sql: string, values: readonly unknown[]) => Promise<readonly Row[]>;

/** A difference from the clients' answers. */
export interface Finding {
  readonly kind:
    | 'lost acceptance'
    | 'accepted twice'
    | 'accepted unasked'
    | 'right response refused'
    | 'audit differs'
    | 'count below what was told'
    | 'count above what was sent'
    | 'count told twice'
    | 'token missing'
    | 'roll-out lost'
    | 'challenge missing'
    | 'challenge closed for no reason'
    | 'strange answer';
  readonly about: string;
}

/** The result of the comparison with the database. */
export interface ReportedReport {
  readonly findings: readonly Finding[];
  /** Transactions whose response was accepted, by the database. */
  readonly acceptedTransactions: ReadonlySet<string>;
  /** The least difference between a token's fail counter and the least that it must be; below 0: a count was lost. */
  readonly lowestDifference: number;
  /** The number of tokens that must have a fail counter above 0. */
  readonly countedTokens: number;
}

interface TokenRow {
  readonly serial: string;
  readonly active: boolean;
  readonly rollout: string;
  readonly fail_count: number;
}

interface StoredChallenge {
  readonly transaction_id: string;
  readonly serial: string;
  readonly question: string;
  readonly valid_tan: boolean;
  readonly closed_by: 'accepted' | 'exhausted' | 'superseded' | null;
}

/** The limit of open challenges; the default of the installation. */
const MAX_OPEN = 4;
const MAX_WRONG = 3;
/** Outcomes of decisions that raise the fail counter. */
const COUNTING = ['wrong', 'exhausted', 'locked'];

/** All data of the database that clients have answers about. */
class Stored {
  readonly tokens: ReadonlyMap<string, TokenRow>;
  readonly challenges: ReadonlyMap<string, StoredChallenge>;
  /** The outcomes of the decisions in the audit, by request id. */
  readonly decisions: ReadonlyMap<string, readonly string[]>;

  private constructor(
    tokens: readonly TokenRow[],
    challenges: readonly StoredChallenge[],
    audit: readonly { readonly request_id: string; readonly outcome: string }[],
  ) {
    this.tokens = new Map(tokens.map((row) => [row.serial, row]));
    this.challenges = new Map(challenges.map((row) => [row.transaction_id, row]));
    const decisions = new Map<string, string[]>();
    for (const { request_id, outcome } of audit) {
      decisions.set(request_id, [...(decisions.get(request_id) ?? []), outcome]);
    }
    this.decisions = decisions;
  }

  static async read(ask: Ask, serials: readonly string[]): Promise<Stored> {
    const tokens = await ask<TokenRow>(
      'SELECT serial, active, rollout, fail_count FROM tokens WHERE serial = ANY($1::text[])',
      [serials],
    );
    const challenges = await ask<StoredChallenge>(
      `SELECT transaction_id, serial, question, valid_tan, closed_by
       FROM challenges JOIN tokens ON tokens.id = token_id WHERE serial = ANY($1::text[])`,
      [serials],
    );
    const audit = await ask<{ request_id: string; outcome: string }>(
      `SELECT request_id, outcome FROM audit WHERE action = 'ocra/check_t' AND subject = ANY($1::text[])`,
      [serials],
    );
    return new Stored(tokens, challenges, audit);
  }

  isAccepted(transactionId: string): boolean {
    return this.challenges.get(transactionId)?.valid_tan === true;
  }
}

/** Compares the clients' answers with the database, after all requests have ended. */
export async function checkReported(ledger: ReportedLedger, ask: Ask): Promise<ReportedReport> {
  const serials = [...new Set(ledger.enrolments.map(({ serial }) => serial))];
  const stored = await Stored.read(ask, serials);
  const bounds = serials
    .filter((serial) => stored.tokens.has(serial))
    .map((serial) => ({
      serial,
      ...countBounds(ledger, serial),
      is: stored.tokens.get(serial)?.fail_count ?? 0,
    }));
  const findings: Finding[] = [
    ...ledger.strange.map(({ path, text }): Finding => ({
      kind: 'strange answer',
      about: `${path}: ${text}`,
    })),
    ...acceptances(ledger, stored),
    ...decisions(ledger, stored),
    ...bounds.filter(({ is, least }) => is < least).map((found) => about('count below what was told', found)),
    ...bounds.filter(({ is, most }) => is > most).map((found) => about('count above what was sent', found)),
    ...serials.flatMap((serial) => repeated(ledger, stored, serial)),
    ...enrolments(ledger, stored),
    ...challenges(ledger, stored),
  ];
  const accepted = [...stored.challenges.values()].filter(({ valid_tan }) => valid_tan);
  return {
    findings,
    acceptedTransactions: new Set(accepted.map(({ transaction_id }) => transaction_id)),
    lowestDifference: Math.min(...bounds.map(({ is, least }) => is - least)),
    countedTokens: bounds.filter(({ least }) => least > 0).length,
  };
}

function about(kind: Finding['kind'], { serial, ...rest }: { readonly serial: string }): Finding {
  return { kind, about: `${serial} ${JSON.stringify(rest)}` };
}

function acceptances(ledger: ReportedLedger, stored: Stored): Finding[] {
  const reported = new Set([
    ...ledger.accepted.map(({ transactionId }) => transactionId),
    ...ledger.statuses.filter(({ validTan }) => validTan).map(({ transactionId }) => transactionId),
  ]);
  const times = countBy(ledger.accepted.map(({ transactionId }) => transactionId));
  const requested = new Set(ledger.rightResponses.map(({ transactionId }) => transactionId));
  const accepted = [...stored.challenges.values()].filter(({ valid_tan }) => valid_tan);
  return [
    ...[...reported].filter((id) => !stored.isAccepted(id)).map((id) => finding('lost acceptance', id)),
    ...[...times].filter(([, count]) => count > 1).map(([id]) => finding('accepted twice', id)),
    ...accepted
      .filter(({ transaction_id }) => !requested.has(transaction_id))
      .map(({ transaction_id }) => finding('accepted unasked', transaction_id)),
  ];
}

/**
 * Checks that each answer has one row in the audit with the same outcome, and each transaction one acceptance at most.
 */
function decisions(ledger: ReportedLedger, stored: Stored): Finding[] {
  const acceptedRows = countBy(
    ledger.responses.flatMap(({ requestId, transactionId }) =>
      (stored.decisions.get(requestId) ?? []).flatMap((outcome) =>
        outcome === 'accepted' ? [transactionId] : [],
      ),
    ),
  );
  const transactions = [...stored.challenges.keys()];
  const known = new Set(ledger.responses.map(({ requestId }) => requestId));
  return [
    ...ledger.responses.flatMap((step) => decision(ledger, step, stored.decisions.get(step.requestId) ?? [])),
    ...[...stored.decisions.keys()]
      .filter((requestId) => !known.has(requestId))
      .map((requestId) => finding('audit differs', `request ${requestId}, which nobody sent`)),
    ...transactions
      .filter((id) => (acceptedRows.get(id) ?? 0) > 1)
      .map((id) => finding('accepted twice', `${id}, by the audit`)),
    ...transactions
      .filter((id) => (acceptedRows.get(id) ?? 0) !== Number(stored.isAccepted(id)))
      .map((id) => finding('audit differs', `${id}: ${acceptedRows.get(id) ?? 0} rows say accepted`)),
  ];
}

function decision(ledger: ReportedLedger, step: ResponseStep, rows: readonly string[]): Finding[] {
  const { outcome, answer, right, requestId, transactionId } = step;
  const agrees =
    outcome === 'reported'
      ? rows.length === 1 && (rows[0] === 'accepted') === answer?.accepted
      : rows.length <= (outcome === 'unknown' ? 1 : 0);
  const description = `${transactionId}, request ${requestId}: ${outcome} ${JSON.stringify(answer)}, audit [${rows.join()}]`;
  return [
    ...(agrees ? [] : [finding('audit differs', description)]),
    ...(right && rows.some((row) => ['wrong', 'exhausted'].includes(row)) && isKeySure(ledger, step)
      ? [finding('right response refused', description)]
      : []),
  ];
}

/** @returns false after a phase 2 without an answer, which may have given the token another key than the device has */
function isKeySure(ledger: ReportedLedger, { serial }: ResponseStep): boolean {
  return !ledger.enrolments.some(
    (other) => other.serial === serial && other.step === 'phase2' && other.outcome === 'unknown',
  );
}

function repeated(ledger: ReportedLedger, stored: Stored, serial: string): Finding[] {
  const counts = ({ requestId }: ResponseStep): boolean =>
    (stored.decisions.get(requestId) ?? []).some((outcome) => COUNTING.includes(outcome));
  return repeatedCounts(ledger, serial, counts).map(([one, other]) =>
    finding(
      'count told twice',
      `${serial}: ${one.answer?.failCount ?? ''} to ${one.requestId} and ${other.requestId}`,
    ),
  );
}

function enrolments(ledger: ReportedLedger, stored: Stored): Finding[] {
  return ledger.enrolments
    .filter(({ outcome }) => outcome === 'reported')
    .flatMap(({ serial, step }) => {
      const row = stored.tokens.get(serial);
      if (row === undefined) {
        return [finding('token missing', `${serial}, told after ${step}`)];
      }
      const done = step === 'completed' || step === 'plain';
      return done && !(row.rollout === 'complete' && row.active)
        ? [finding('roll-out lost', `${serial}: ${row.rollout}, told ${step}`)]
        : [];
    });
}

function challenges(ledger: ReportedLedger, stored: Stored): Finding[] {
  return ledger.challenges.flatMap((step) => {
    if (step.transactionId === undefined) {
      return [];
    }
    const row = stored.challenges.get(step.transactionId);
    if (row === undefined || row.question !== step.question || row.serial !== step.serial) {
      return [finding('challenge missing', `${step.transactionId} of ${step.serial}`)];
    }
    return isExplained(ledger, step, row)
      ? []
      : [
          finding(
            'challenge closed for no reason',
            `${step.transactionId} of ${step.serial}: ${row.closed_by ?? ''}`,
          ),
        ];
  });
}

function isExplained(ledger: ReportedLedger, step: ChallengeStep, { closed_by }: StoredChallenge): boolean {
  switch (closed_by) {
    case null:
    case 'accepted': // Compared with the acceptances.
      return true;
    case 'exhausted':
      return (
        ledger.responses.filter(
          ({ transactionId, outcome, answer }) =>
            transactionId === step.transactionId && outcome !== 'unsent' && answer?.accepted !== true,
        ).length >= MAX_WRONG
      );
    case 'superseded': {
      const later = ({ serial, outcome, ended }: ChallengeStep): boolean =>
        serial === step.serial && outcome !== 'unsent' && ended > step.begun;
      // A repeated phase 2 leaves only its own challenge open.
      const phase2 = ledger.enrolments.some(
        (other) =>
          other.step === 'phase2' &&
          other.serial === step.serial &&
          other.begun !== step.begun &&
          other.ended > step.begun,
      );
      return phase2 || ledger.challenges.filter(later).length > MAX_OPEN;
    }
  }
}

function finding(kind: Finding['kind'], text: string): Finding {
  return { kind, about: text };
}

function countBy(keys: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const key of keys) {
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}
