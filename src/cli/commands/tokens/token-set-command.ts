import type { Command } from 'commander';
import type { CommandContext } from '../../command-context.ts';
import { actOnceConfirmed, withConfirmation } from '../../confirmed-command.ts';
import { wholeNumberOption } from '../../option-values.ts';
import { examples } from '../../examples.ts';

/** The options for PINs, of several commands. */
export interface PinOptions {
  readonly askPin?: true;
  readonly pinFile?: string;
  readonly askOcraPin?: true;
  readonly ocraPinFile?: string;
}

interface SetOptions extends PinOptions {
  readonly description?: string;
  readonly maxFail?: number;
  readonly counterWindow?: number;
  readonly syncWindow?: number;
}

/** Adds `token set`. */
export function addTokenSetCommand(token: Command, context: CommandContext): void {
  addPinOptions(token.command('set'))
    .addHelpText(
      'after',
      examples('token set LSGO1 --max-fail 5', 'token set LSGO1 --ask-pin --description "Spare phone"'),
    )
    .description('change what belongs to a token; what is not given stays')
    .argument('<serial>')
    .option('--description <text>', 'what people read')
    .option('--max-fail <number>', 'so many wrong responses lock it', wholeNumberOption(1, 1_000_000))
    .option('--counter-window <number>', 'how many counters ahead are tried', wholeNumberOption(1, 1_000))
    .option(
      '--sync-window <number>',
      'how many counters ahead are tried to synchronise',
      wholeNumberOption(1, 10_000),
    )
    .action(async (serial: string, options: SetOptions, command: Command) => {
      const { description, maxFail, counterWindow, syncWindow } = options;
      const pins = await readPins(context, options);
      await context.withServices(({ tokens }, caller) =>
        tokens.set(caller, { serial }, { description, maxFail, counterWindow, syncWindow, ...pins }),
      );
      context.output(command).done(`${serial} is changed`, { serial });
    });
}

/** Adds `token remove-pin`. */
export function addRemovePinCommand(token: Command, context: CommandContext): void {
  withConfirmation(token.command('remove-pin'))
    .addHelpText('after', examples('token remove-pin LSGO1', 'token remove-pin LSGO1 --ocra --yes'))
    .description('remove the PIN of a token: responses are then accepted without it')
    .argument('<serial>')
    .option('--ocra', 'the OCRA PIN, in place of the token PIN')
    .action(async (serial: string, { ocra }: { ocra?: true }, command: Command) => {
      const pin = ocra === true ? 'ocraPin' : 'pin';
      const outcome = await actOnceConfirmed(context, command, {
        foresee: ({ consequences }) => consequences.ofPinRemoval(serial, pin),
        act: ({ tokens }, caller) => tokens.removePin(caller, { serial }, pin),
      });
      if (outcome !== undefined) {
        const what = ocra === true ? 'OCRA PIN' : 'PIN';
        context.output(command).done(`${serial} has no ${what} now`, { serial });
      }
    });
}

/** Adds the options that `readPins` reads. */
export function addPinOptions(command: Command): Command {
  return command
    .option('--ask-pin', 'ask for the token PIN, which stands before each response')
    .option('--pin-file <file>', 'a file that holds the token PIN, - for stdin')
    .option('--ask-ocra-pin', 'ask for the OCRA PIN, for suites with P')
    .option('--ocra-pin-file <file>', 'a file that holds the OCRA PIN, - for stdin');
}

/** @returns the PINs, read as the options say */
export async function readPins(
  context: CommandContext,
  { askPin, pinFile, askOcraPin, ocraPinFile }: PinOptions,
): Promise<{ pin?: string; ocraPin?: string }> {
  return {
    ...((askPin === true || pinFile !== undefined) && {
      pin: await context.newPin('Token PIN', '--pin-file', pinFile),
    }),
    ...((askOcraPin === true || ocraPinFile !== undefined) && {
      ocraPin: await context.newPin('OCRA PIN', '--ocra-pin-file', ocraPinFile),
    }),
  };
}
