/** The origin of a response. `typed`: by a person. `device`: by the virtual device. */
export type ResponseKind = 'typed' | 'device' | 'altered' | 'repeated';

/** A response that was sent, and the server's answer. */
export interface Attempt {
  readonly at: string;
  readonly kind: ResponseKind;
  readonly failcount: number;
  readonly isAccepted: boolean;
  readonly meaning: AttemptMeaning;
}

/** The meaning of the answer to a response. */
export type AttemptMeaning = 'accepted' | 'replay' | 'closed' | 'wrong' | 'refused';

/** The known state of the transaction before a response was sent. */
export interface TransactionBefore {
  readonly status: { readonly valid_tan: boolean; readonly failcount: number } | undefined;
  readonly isClosed: boolean;
  /** Responses that were sent from this page before. */
  readonly attempts: readonly Pick<Attempt, 'isAccepted'>[];
}

/**
 * @returns the reason why the server answers so: it tells nobody who guesses, so that the reason follows from what was
 *   before. `refused`: not accepted and not counted, as for an expired challenge or a disabled token
 */
export function explainAnswer(
  { failcount, result }: { readonly failcount: number; readonly result: boolean },
  { status, isClosed, attempts }: TransactionBefore,
): AttemptMeaning {
  if (result) {
    return 'accepted';
  }
  if (status?.valid_tan === true || attempts.some(({ isAccepted }) => isAccepted)) {
    return 'replay';
  }
  if (isClosed) {
    return 'closed';
  }
  return failcount > (status?.failcount ?? 0) ? 'wrong' : 'refused';
}

/** @returns another response of the same length, which differs in its last digit */
export function altered(response: string): string {
  return response.replace(/.$/, (last) => String((Number.parseInt(last, 16) + 1) % 10));
}
