import type { Enrolled, EnrolmentRequest } from '../../../challenges/enrolment/enrolment.ts';
import { isServiceError } from '../../../kernel/errors.ts';
import type { Caller } from '../../../policy/caller.ts';
import { CliFailure } from '../../cli-failure.ts';
import type { Services } from '../../../services.ts';
import type { CommandContext } from '../../command-context.ts';
import { CodeReader } from '../../device/code-reader.ts';
import type { Output } from '../../output.ts';
import { CHALLENGE_ENDS, promptForResponse } from './response-prompt.ts';

type Phase1 = Extract<Enrolled, { kind: 'phase1' }>;
type Phase2 = Extract<Enrolled, { kind: 'phase2' }>;

/** A roll-out at the terminal. */
export interface RollOut {
  readonly context: CommandContext;
  readonly services: Pick<Services, 'enrolment' | 'ocra'>;
  readonly caller: Caller;
  readonly output: Output;
  /** The virtual device stands for the phone. */
  readonly isVirtual: boolean;
  /** The text that the app shows with the first challenge. */
  readonly message: string | undefined;
}

/** The answer that puts the second phase off. */
const LATER = '-';

/** Leads from the code of the first phase to the first accepted response. A wrong entry is asked for again. */
export async function guideRollOut(rollOut: RollOut, { serial, appImport }: Phase1): Promise<void> {
  const { context, output, services, caller } = rollOut;
  const reader = new CodeReader(context, output, rollOut.isVirtual);
  output.say(`${serial}, phase 1: this code holds the shared secret, and is shown this once.`);
  await reader.show(appImport);
  await reader.awaitReading();
  for (;;) {
    const begun = await beginPhase2(rollOut, serial);
    if (begun === undefined) {
      output.say(`Next: tankeeper token init --phase2 --serial ${serial}`);
      return;
    }
    const { enrolled, code } = begun;
    requireCallback(enrolled);
    output.say(`${serial}, phase 2: the user types the activation code into the app.`);
    await reader.show(enrolled.appImport, code);
    const prompt = 'Response that the app shows (Enter for another activation code): ';
    const outcome = await promptForResponse(context, services, caller, { ...enrolled, prompt });
    if (outcome === 'accepted') {
      output.say(`accepted: ${serial} is ready`);
      return;
    }
    if (outcome !== 'open') {
      context.dependencies.io.stderr.write(
        `${CHALLENGE_ENDS[outcome]}: another activation code begins phase 2 anew\n`,
      );
    }
  }
}

/** @returns undefined: the second phase is for later */
async function beginPhase2(
  { context, services, caller, output, message }: RollOut,
  serial: string,
): Promise<{ readonly enrolled: Phase2; readonly code: string } | undefined> {
  const { io } = context.dependencies;
  for (;;) {
    const typed = (await io.readLine(`Activation code (Enter for a new one, ${LATER} for later): `)).trim();
    if (typed === LATER) {
      return undefined;
    }
    const code = typed === '' ? await services.ocra.activationCode(caller) : typed;
    const request: EnrolmentRequest = { type: 'ocra', serial, genkey: '1', activationcode: code, message };
    try {
      const enrolled = await services.enrolment.init(caller, request);
      if (enrolled.kind === 'phase2') {
        output.say(`Activation code: ${code}`);
        return { enrolled, code };
      }
    } catch (error) {
      if (!isServiceError(error, 'activation-code.invalid')) {
        throw error;
      }
      io.stderr.write(`${error.message}\n`);
    }
  }
}

function requireCallback({ serial, callbackUrl }: Phase2): void {
  if (callbackUrl === '') {
    throw new CliFailure(
      `${serial}: apps refuse its codes, as no policy says where responses go. Set one, then begin again: ` +
        "tankeeper policy set answers --scope authentication --realm '*' --action qrtanurl=http://HOST:PORT/ocra/check_t",
    );
  }
}
