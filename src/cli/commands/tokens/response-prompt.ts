import type { CliServices } from '../../cli-services.ts';
import type { CommandContext } from '../../command-context.ts';
import type { Caller } from '../../../policy/caller.ts';

/**
 * The end of the prompt for a response: `open`, nothing was typed; `closed`, the challenge takes no response any more.
 */
export type ResponseOutcome = 'accepted' | 'open' | 'closed';

/** Prompts for the response to a challenge until it is accepted. Each wrong one counts, as one over HTTP does. */
export async function promptForResponse(
  { dependencies: { io } }: CommandContext,
  { ocra }: Pick<CliServices, 'ocra'>,
  caller: Caller,
  { transactionId, prompt }: { readonly transactionId: string; readonly prompt: string },
): Promise<ResponseOutcome> {
  for (;;) {
    const pass = (await io.readLine(prompt)).trim();
    if (pass === '') {
      return 'open';
    }
    const act = { client: '', requestId: caller.requestId, action: 'cli/check_t' };
    const { known, dropped, result, failCount } = await ocra.checkTransaction(act, { transactionId, pass });
    if (result) {
      return 'accepted';
    }
    if (!known || dropped) {
      return 'closed';
    }
    io.stderr.write(`wrong response; the fail counter of the token is ${failCount}\n`);
  }
}
