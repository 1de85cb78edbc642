import type { StatusEntry } from '../../../challenges/challenge-service.ts';
import type { Caller } from '../../../policy/caller.ts';
import type { Services } from '../../../services.ts';
import type { CommandContext } from '../../command-context.ts';

/** Why a challenge takes no response any more, as the user reads it. */
export const CHALLENGE_ENDS = {
  dropped: 'the challenge is closed: there were too many wrong responses, or newer challenges',
  expired: 'the challenge has expired',
  disabled: 'the token is disabled',
  removed: 'the challenge is removed',
} as const;

/** The end of the prompt for a response: accepted, also by another way; `open`, nothing was typed; or an end. */
export type ResponseOutcome = 'accepted' | 'open' | keyof typeof CHALLENGE_ENDS;

/** Prompts for the response to a challenge until it is accepted. Each wrong one counts, as one over HTTP does. */
export async function promptForResponse(
  { dependencies: { io, clock } }: CommandContext,
  { ocra }: Pick<Services, 'ocra'>,
  caller: Caller,
  { transactionId, prompt }: { readonly transactionId: string; readonly prompt: string },
): Promise<ResponseOutcome> {
  for (;;) {
    const pass = (await io.readLine(prompt)).trim();
    if (pass === '') {
      return 'open';
    }
    const act = { client: '', requestId: caller.requestId, action: 'cli/check_t' };
    const { result, failCount } = await ocra.checkTransaction(act, { transactionId, pass });
    if (result) {
      return 'accepted';
    }
    const [state] = await ocra.status(caller, { transactionId });
    const outcome = outcomeOf(state, clock.now());
    if (outcome !== undefined) {
      return outcome;
    }
    const hint = state?.locked === true ? `, which is locked: tankeeper token reset ${state.serial}` : '';
    io.stderr.write(`wrong response; the fail counter of the token is ${failCount}${hint}\n`);
  }
}

/** @returns undefined: it still takes responses */
function outcomeOf(state: StatusEntry | undefined, now: Date): ResponseOutcome | undefined {
  if (state === undefined) {
    return 'removed';
  }
  if (state.validTan) {
    return 'accepted';
  }
  if (state.dropped) {
    return 'dropped';
  }
  if (now >= state.expiresAt) {
    return 'expired';
  }
  return state.active ? undefined : 'disabled';
}
