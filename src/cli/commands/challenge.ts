import { type Command, Option } from 'commander';
import type { StatusEntry } from '../../challenges/challenge-service.ts';
import { CliFailure } from '../cli-failure.ts';
import { addCommand, type CommandContext } from '../command-context.ts';
import { withProgress } from '../output.ts';
import { CodeReader, writeQrPng } from '../device/qr-code.ts';
import type { Caller } from '../../policy/caller.ts';
import type { Services } from '../../services.ts';

interface ChallengeOptions {
  readonly realm?: string;
  readonly serial?: string;
  readonly device?: true;
  readonly png?: string;
}

/** Adds the commands of `tankeeper challenge`. */
export function addChallengeCommands(program: Command, context: CommandContext): void {
  const challenge = program.command('challenge').description('challenges');
  addIssue(challenge, context);
  addCloseAll(challenge, context);
}

function addCloseAll(challenge: Command, context: CommandContext): void {
  addCommand(
    challenge,
    'close-all',
    'close all open challenges, after a point-in-time recovery or a failover that lost commits: no challenge that was answered before is answered again',
    ['challenge close-all', '--json challenge close-all'],
  ).action(async () => {
    const closed = await context.withServices(({ backups }, caller) =>
      withProgress(context.dependencies.io, 'closing challenges', () => backups.closeChallenges(caller)),
    );
    context.output.done(`${closed} open challenges are closed; what was not answered yet is begun anew`, {
      closed,
    });
  });
}

function addIssue(challenge: Command, context: CommandContext): void {
  addCommand(
    challenge,
    'issue',
    "issue a challenge for a user's token, show its QR code and check the response",
    ['challenge issue anna "Pay 12.50 to Bert?"', 'challenge issue anna --serial LSGO1 --png code.png'],
  )
    .argument('<user>', 'LOGIN or LOGIN@REALM')
    .argument('[text]', 'what the app shows', '')
    .option('--realm <name>', "the user's realm; else what follows the @, or the default realm")
    .option('--serial <serial>', 'which token, of a user with several')
    .option('--device', 'the virtual device (tankeeper device) reads the code in place of a phone')
    .addOption(
      new Option('--png <file>', 'write the QR code to a picture instead of the terminal').conflicts(
        'device',
      ),
    )
    .action((user: string, data: string, options: ChallengeOptions) =>
      issue(context, { user, data }, options),
    );
}

async function issue(
  context: CommandContext,
  { user, data: text }: { readonly user: string; readonly data: string },
  { realm, serial: requested, device, png }: ChallengeOptions,
): Promise<void> {
  const { output } = context;
  const { isInteractive } = context.dependencies.io;
  const reader = new CodeReader(context, device === true);
  await reader.requireDevice();
  await context.withServices(async (services, caller) => {
    const request = { user, data: text, realm, serial: requested };
    const issued = await services.ocra.requestChallenge(caller, request);
    const { serial, transactionId, url, callbackUrl, question, data } = issued;
    if (png === undefined) {
      await (callbackUrl === '' ? new CodeReader(context, false) : reader).show(url);
    } else {
      await writeQrPng(png, url);
    }
    output.done(`transaction ${transactionId} of ${serial} is open`, {
      serial,
      transactionid: transactionId,
      challenge: question,
      data,
      url,
      callbackurl: callbackUrl,
    });
    if (!isInteractive || context.isJson) {
      return;
    }
    const prompt = 'Response (Enter to leave it open): ';
    const outcome = await promptForResponse(context, services, caller, { transactionId, prompt });
    if (outcome !== 'accepted' && outcome !== 'open') {
      throw new CliFailure(CHALLENGE_ENDS[outcome]);
    }
    output.say(outcome === 'accepted' ? 'accepted' : `left open: its response goes to /ocra/check_t`);
  });
}

/** Why a challenge takes no response any more, as the user reads it. */
export const CHALLENGE_ENDS = {
  dropped:
    'the challenge is closed: it was declined, or there were too many wrong responses, or newer challenges',
  expired: 'the challenge has expired',
  disabled: 'the token is disabled',
  removed: 'the challenge is removed',
} as const;

/** The end of the prompt for a response: accepted, also by another way; `open`, nothing was typed; or an end. */
type ResponseOutcome = 'accepted' | 'open' | keyof typeof CHALLENGE_ENDS;

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
