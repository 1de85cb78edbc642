import { Option, type Command } from 'commander';
import type { Enrolled, EnrolmentRequest } from '../../../challenges/enrolment/enrolment.ts';
import { CliFailure, EXIT_CODES } from '../../cli-failure.ts';
import type { CommandContext } from '../../command-context.ts';
import { actOnceConfirmed, withConfirmation } from '../../confirmed-command.ts';
import { writeQrPng } from '../../device/qr-image.ts';
import { drawQrText } from '../../device/qr-text.ts';
import type { Output } from '../../output.ts';
import { addPinOptions, type PinOptions, readPins } from './token-set-command.ts';
import { examples } from '../../examples.ts';

interface InitOptions extends PinOptions {
  readonly serial?: string;
  readonly user?: string;
  readonly realm?: string;
  readonly suite?: string;
  readonly description?: string;
  readonly phase2?: true;
  readonly activationCodeFile?: string;
  readonly message?: string;
  readonly generate?: true;
  readonly otpkeyFile?: string;
  readonly png?: string;
  readonly device?: true;
}

/** Adds `token init`. */
export function addTokenInitCommand(token: Command, context: CommandContext): void {
  withConfirmation(addPinOptions(token.command('init')))
    .addHelpText(
      'after',
      examples(
        'token init --user anna',
        'token init --user anna --device',
        'token init --user anna --png code.png',
      ),
    )
    .description(
      'roll a QR-TAN token out, at a terminal with both phases and the first response, or enrol a plain OCRA token',
    )
    .option('--serial <serial>', 'its serial; else one is made')
    .option('--user <login>', 'whose it is: LOGIN or LOGIN@REALM')
    .option('--realm <name>', "the user's realm, or without a user the token's")
    .option('--suite <suite>', 'its OCRA suite; else the one of the configuration')
    .option('--description <text>', 'what people read')
    .option('--phase2', 'the second phase: needs the activation code, asked for or from a file')
    .option(
      '--activation-code-file <file>',
      'a file that holds the activation code, - for stdin; implies --phase2',
    )
    .option('--message <text>', 'what the app shows with its first challenge, in the second phase')
    .addOption(
      new Option('--generate', 'a plain token with a key that is made now').conflicts([
        'phase2',
        'activationCodeFile',
        'otpkeyFile',
      ]),
    )
    .addOption(
      new Option(
        '--otpkey-file <file>',
        'a plain token with the key of this file, in hexadecimal, - for stdin',
      ).conflicts(['phase2', 'activationCodeFile']),
    )
    .option('--png <file>', 'write the QR code to a picture instead of the terminal')
    .addOption(deviceOption())
    .action(async (options: InitOptions, command: Command) => {
      refuseIdleDevice(context, options, command);
      const request = await toRequest(context, options);
      const output = context.output(command);
      await actOnceConfirmed(context, command, {
        // The second phase completes the token of the first.
        foresee: async ({ consequences }) =>
          request.activationcode === undefined ? consequences.ofEnrolment(request) : [],
        act: async (services, caller) => {
          const enrolled = await services.enrolment.init(caller, request);
          if (enrolled.kind === 'phase1' && isGuided(context, options, command)) {
            const { guideRollOut } = await import('./guided-roll-out.ts');
            const { device, message } = options;
            const isVirtual = device === true;
            await guideRollOut({ context, services, caller, output, isVirtual, message }, enrolled);
          } else {
            await printEnrolled(output, enrolled, context, options);
          }
        },
      });
    });
}

function deviceOption(): Option {
  return new Option(
    '--device',
    'at a terminal: the virtual device (tankeeper device) reads the codes in place of a phone',
  ).conflicts(['png', 'phase2', 'activationCodeFile', 'generate', 'otpkeyFile']);
}

function refuseIdleDevice(context: CommandContext, options: InitOptions, command: Command): void {
  if (options.device === true && !isGuided(context, options, command)) {
    throw new CliFailure('--device needs a terminal, without --json', EXIT_CODES.usage);
  }
}

/** @returns true if both phases follow at the terminal; scripts and pictures get the code of one phase */
function isGuided({ dependencies: { io } }: CommandContext, { png }: InitOptions, command: Command): boolean {
  const { json } = command.optsWithGlobals<{ json?: true }>();
  return io.isInteractive && json !== true && png === undefined;
}

async function toRequest(context: CommandContext, options: InitOptions): Promise<EnrolmentRequest> {
  const { serial, user, realm, suite, description, message } = options;
  const { pin, ocraPin } = await readPins(context, options);
  return {
    type: 'ocra',
    serial,
    user,
    realm,
    description,
    message,
    pin,
    ocrasuite: suite,
    ocrapin: ocraPin,
    ...(await keySource(context, options)),
  };
}

/** @returns the source of the key: phase 2, a plain token, else phase 1 */
async function keySource(
  context: CommandContext,
  { phase2, activationCodeFile, generate, otpkeyFile }: InitOptions,
): Promise<Pick<EnrolmentRequest, 'genkey' | 'otpkey' | 'sharedsecret' | 'activationcode'>> {
  if (phase2 === true || activationCodeFile !== undefined) {
    const code = await context.knownSecret('Activation code', '--activation-code-file', activationCodeFile);
    return { genkey: '1', activationcode: code };
  }
  if (otpkeyFile !== undefined) {
    return { otpkey: (await context.knownSecret('Key', '--otpkey-file', otpkeyFile)).trim() };
  }
  return generate === true ? { genkey: '1' } : { genkey: '1', sharedsecret: '1' };
}

async function printEnrolled(
  output: Output,
  enrolled: Enrolled,
  { dependencies: { io } }: CommandContext,
  { png, generate }: InitOptions,
): Promise<void> {
  if (enrolled.kind === 'plain') {
    printPlain(output, enrolled, generate === true);
    return;
  }
  if (png !== undefined) {
    await writeQrPng(png, enrolled.appImport);
  } else {
    output.say(await drawQrText(enrolled.appImport, io));
  }
  if (enrolled.kind === 'phase1') {
    printPhase1(output, enrolled);
  } else {
    printPhase2(output, enrolled);
  }
}

function printPhase1(
  output: Output,
  { kind, serial, sharedSecret, appImport }: Extract<Enrolled, { kind: 'phase1' }>,
): void {
  output.done(
    [
      appImport,
      `${serial}: phase 1 is done. The code above holds the shared secret; it is shown this once.`,
      `Next: tankeeper token init --phase2 --serial ${serial}`,
    ].join('\n'),
    { kind, serial, sharedsecret: sharedSecret, app_import: appImport },
  );
}

function printPhase2(output: Output, enrolled: Extract<Enrolled, { kind: 'phase2' }>): void {
  const { kind, serial, nonce, transactionId, question, callbackUrl, signature, appImport } = enrolled;
  const warning =
    callbackUrl === ''
      ? ['The app will refuse this code: no policy of the scope authentication says qrtanurl for this token.']
      : [];
  output.done(
    [
      appImport,
      ...warning,
      `${serial}: phase 2 has begun. The first right response to transaction ${transactionId} completes it.`,
    ].join('\n'),
    {
      kind,
      serial,
      nonce,
      transactionid: transactionId,
      challenge: question,
      url: callbackUrl,
      signature,
      app_import: appImport,
    },
  );
}

/** Prints the result; a given key is not shown again. */
function printPlain(
  output: Output,
  { kind, serial, otpkey }: Extract<Enrolled, { kind: 'plain' }>,
  isGenerated: boolean,
): void {
  const sentence = isGenerated
    ? `${serial} is enrolled. Its key, shown this once: ${otpkey}`
    : `${serial} is enrolled`;
  output.done(sentence, { kind, serial, otpkey: isGenerated ? otpkey : null });
}
