import type { ResponseStep, Span, ReportedLedger } from './reported-ledger.ts';

/** The bounds of a token's fail counter, by the clients' answers. */
interface CountBounds {
  readonly least: number;
  readonly most: number;
}

/**
 * A reported count holds until a reset: a right response that was accepted or may have been, or a step of the roll-out.
 * An overlapping step may have come later.
 * @returns the bounds for a token's fail counter at the end
 */
export function countBounds(ledger: ReportedLedger, serial: string): CountBounds {
  const responses = responsesOf(ledger, serial);
  const lastReset = largest(resets(ledger, serial, responses).map(({ ended }) => ended));
  const reported = [
    ...responses.map(({ begun, answer }) => ({ begun, failCount: answer?.failCount ?? 0 })),
    ...ledger.statuses.filter((step) => step.serial === serial),
  ].filter(({ begun }) => begun > lastReset);
  return { least: Math.max(0, ...reported.map(({ failCount }) => failCount)), most: mostCounted(responses) };
}

/**
 * @param counts true if the response raised the counter, which responses to closed challenges do not
 * @returns pairs of responses with the same new count although nothing between them reset the counter
 */
export function repeatedCounts(
  ledger: ReportedLedger,
  serial: string,
  counts: (step: ResponseStep) => boolean,
): readonly (readonly [ResponseStep, ResponseStep])[] {
  const responses = responsesOf(ledger, serial);
  const spans = resets(ledger, serial, responses);
  const wrong = responses.filter((step) => step.answer?.accepted === false && counts(step));
  return wrong.flatMap((one, index) =>
    wrong
      .slice(index + 1)
      .filter(({ answer }) => answer?.failCount === one.answer?.failCount)
      .filter((other) => !spans.some((reset) => mayLieBetween(reset, one, other)))
      .map((other): readonly [ResponseStep, ResponseStep] => [one, other]),
  );
}

function responsesOf(ledger: ReportedLedger, serial: string): readonly ResponseStep[] {
  return ledger.responses.filter((step) => step.serial === serial && step.outcome !== 'unsent');
}

function resets(ledger: ReportedLedger, serial: string, responses: readonly ResponseStep[]): readonly Span[] {
  return [
    ...responses.filter(mayHaveReset).map((step) => ({ ...step, ended: lastPossible(step, responses) })),
    ...ledger.enrolments.filter((step) => step.serial === serial && step.outcome !== 'unsent'),
  ];
}

function mayHaveReset({ right, outcome, answer }: ResponseStep): boolean {
  return answer?.accepted === true || (right && outcome === 'unknown');
}

/**
 * Once the same response was answered later, with any result, an earlier one without an answer can no longer be
 * accepted: either one of both was, or the challenge or the token accepts no more.
 */
function lastPossible(step: ResponseStep, responses: readonly ResponseStep[]): number {
  const later = responses.filter(
    ({ transactionId, response, outcome, begun }) =>
      outcome === 'reported' &&
      transactionId === step.transactionId &&
      response === step.response &&
      begun > step.begun,
  );
  return Math.min(step.ended, ...later.map(({ ended }) => ended));
}

function mayLieBetween(reset: Span, one: Span, other: Span): boolean {
  return reset.ended > Math.min(one.begun, other.begun) && reset.begun < Math.max(one.ended, other.ended);
}

/** Counts every response that was not accepted, unless a reported acceptance surely came after it. */
function mostCounted(responses: readonly ResponseStep[]): number {
  const counting = responses.filter(({ answer }) => answer?.accepted !== true);
  const acceptances = responses.filter(({ answer }) => answer?.accepted === true);
  const most = acceptances.map(({ begun }) => counting.filter(({ ended }) => ended > begun).length);
  return Math.min(counting.length, ...most);
}

function largest(numbers: readonly number[]): number {
  return numbers.reduce((found, number) => Math.max(found, number), Number.NEGATIVE_INFINITY);
}
