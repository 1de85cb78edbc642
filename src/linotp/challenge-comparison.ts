import type { ImportedChallenge } from './challenge-mapping.ts';
import type { PresentChallenge } from './challenge-import-store.ts';
import { differencesOf } from './token-comparison.ts';

/** @returns the differences, each in words; without question and data, which may be about a payment */
export function compareChallenge(
  there: ImportedChallenge,
  here: PresentChallenge | undefined,
): readonly string[] {
  if (here === undefined) {
    return ['it is missing here'];
  }
  const contents = [
    ...(there.question === here.question ? [] : ['question: differs']),
    ...(there.data === here.data ? [] : ['data: differs']),
  ];
  return [
    ...differencesOf(
      { serial: there.serial, issuedAt: there.issuedAt.toISOString() },
      { serial: here.serial, issuedAt: here.issuedAt.toISOString() },
    ),
    ...contents,
    ...(isSettled(there, here) ? [] : differencesOf(stateOf(there), stateOf(here))),
  ];
}

/**
 * @returns true if it is closed here and no response to it would be accepted in LinOTP either, or LinOTP has forgotten
 */
function isSettled(there: ImportedChallenge, here: PresentChallenge): boolean {
  // A wrong response in LinOTP erases the mark of an earlier right one from all challenges of the token.
  const isForgotten = here.closedBy === 'accepted' && there.receivedTan;
  return here.closedBy !== null && (there.closedBy !== null || isForgotten);
}

type ComparedState = Pick<ImportedChallenge, 'closedBy' | 'wrongCount' | 'receivedTan'>;

function stateOf({
  closedBy,
  wrongCount,
  receivedTan,
}: ComparedState): Record<string, string | number | boolean> {
  return { state: closedBy ?? 'open', wrongCount, receivedTan };
}
