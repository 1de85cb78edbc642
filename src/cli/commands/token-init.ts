import { type Command, Option } from 'commander';
import type { Enrolled, EnrolmentRequest } from '../../challenges/enrolment/enrolment.ts';
import { CliFailure, EXIT_CODES } from '../cli-failure.ts';
import { addCommand, type CommandContext, withConfirmation } from '../command-context.ts';
import { CHALLENGE_ENDS, promptForResponse } from './challenge.ts';
import { CodeReader, drawQrText, writeQrPng } from '../device/qr-code.ts';
import type { Output } from '../output.ts';
import { isServiceError } from '../../kernel/errors.ts';
import type { Caller } from '../../policy/caller.ts';
import type { Services } from '../../services.ts';

/** The options for PINs, of several commands. */
interface PinOptions {
  readonly askPin?: true;
  readonly pinFile?: string;
  readonly askOcraPin?: true;
  readonly ocraPinFile?: string;
}

interface InitOptions extends PinOptions {
  readonly type: string;
  readonly digits?: string;
  readonly hash?: string;
  readonly timeStep?: string;
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
  withConfirmation(
    addPinOptions(
      addCommand(
        token,
        'init',
        'roll a QR-TAN token out, at a terminal with both phases and the first response, or enrol another token',
        [
          'token init --user anna',
          'token init --user anna --device',
          'token init --user anna --png code.png',
          'token init --user anna --type totp',
        ],
      ),
    ),
  )
    .addOption(
      new Option(
        '--type <type>',
        'hmac and totp are for authenticator apps, pw is a fixed text, spass the PIN alone',
      )
        .choices(['ocra', 'hmac', 'totp', 'pw', 'spass'])
        .default('ocra'),
    )
    .option('--digits <number>', 'of hmac and totp: 6 or 8')
    .option('--hash <name>', 'of hmac and totp: sha1, sha256 or sha512')
    .option('--time-step <seconds>', 'of totp: 30 or 60')
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
    .addOption(
      new Option(
        '--device',
        'at a terminal: the virtual device (tankeeper device) reads the codes in place of a phone',
      ).conflicts(['png', 'phase2', 'activationCodeFile', 'generate', 'otpkeyFile']),
    )
    .action((options: InitOptions) => initToken(context, options));
}

async function initToken(context: CommandContext, options: InitOptions): Promise<void> {
  if (options.device === true && !isGuided(context, options)) {
    throw new CliFailure('--device needs a terminal, without --json', EXIT_CODES.usage);
  }
  const reader = new CodeReader(context, options.device === true);
  await reader.requireDevice();
  const request = await toRequest(context, options);
  await context.confirmed({
    // The second phase completes the token of the first.
    foresee: async ({ consequences }) =>
      request.activationcode === undefined ? consequences.ofEnrolment(request) : [],
    act: async (services, caller) => {
      const enrolled = await services.enrolment.init(caller, request);
      if (enrolled.kind === 'phase1' && isGuided(context, options)) {
        const { message } = options;
        await guideRollOut({ context, services, caller, reader, message }, enrolled);
      } else {
        await printEnrolled(context, enrolled, options);
      }
    },
  });
}

/** @returns true if both phases follow at the terminal; scripts and pictures get the code of one phase */
function isGuided({ dependencies: { io }, isJson }: CommandContext, { png }: InitOptions): boolean {
  return io.isInteractive && !isJson && png === undefined;
}

async function toRequest(context: CommandContext, options: InitOptions): Promise<EnrolmentRequest> {
  const { type, serial, user, realm, suite, description, message } = options;
  const { pin, ocraPin } = await readPins(context, options);
  return {
    type,
    otplen: options.digits,
    hashlib: options.hash,
    timestep: options.timeStep,
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
  { type, phase2, activationCodeFile, generate, otpkeyFile }: InitOptions,
): Promise<Pick<EnrolmentRequest, 'genkey' | 'otpkey' | 'sharedsecret' | 'activationcode'>> {
  if (phase2 === true || activationCodeFile !== undefined) {
    const code = await context.knownSecret('Activation code', '--activation-code-file', activationCodeFile);
    return { genkey: '1', activationcode: code };
  }
  if (otpkeyFile !== undefined) {
    return { otpkey: (await context.knownSecret('Key', '--otpkey-file', otpkeyFile)).trim() };
  }
  if (type !== 'ocra') {
    return type === 'pw'
      ? { otpkey: await context.newPin('Text of the token', '--otpkey-file', undefined) }
      : { genkey: '1' };
  }
  return generate === true ? { genkey: '1' } : { genkey: '1', sharedsecret: '1' };
}

async function printEnrolled(
  { output, dependencies: { io } }: CommandContext,
  enrolled: Enrolled,
  { png, generate }: InitOptions,
): Promise<void> {
  if (enrolled.kind === 'plain') {
    printPlain(output, enrolled, generate === true);
    return;
  }
  const code = enrolled.kind === 'pass' ? enrolled.keyUri : enrolled.appImport;
  if (code !== undefined && png !== undefined) {
    await writeQrPng(png, code);
  } else if (code !== undefined) {
    output.say(await drawQrText(code, io));
  }
  if (enrolled.kind === 'pass') {
    printPass(output, enrolled);
  } else if (enrolled.kind === 'phase1') {
    printPhase1(output, enrolled);
  } else {
    printPhase2(output, enrolled);
  }
}

type Phase1 = Extract<Enrolled, { kind: 'phase1' }>;
type Phase2 = Extract<Enrolled, { kind: 'phase2' }>;

function printPhase1(output: Output, { kind, serial, sharedSecret, appImport }: Phase1): void {
  output.done(
    [
      appImport,
      `${serial}: phase 1 is done. The code above holds the shared secret; it is shown this once.`,
      `Next: tankeeper token init --phase2 --serial ${serial}`,
    ].join('\n'),
    { kind, serial, sharedsecret: sharedSecret, app_import: appImport },
  );
}

function printPhase2(output: Output, enrolled: Phase2): void {
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

function printPass(output: Output, { kind, serial, keyUri }: Extract<Enrolled, { kind: 'pass' }>): void {
  const sentence =
    keyUri === undefined
      ? `${serial} is enrolled`
      : `${serial} is enrolled: scan the code with an authenticator app. It is shown this once`;
  output.done(sentence, { kind, serial, key_uri: keyUri ?? null });
}

/** Adds the options that `readPins` reads. */
function addPinOptions(command: Command): Command {
  return command
    .option('--ask-pin', 'ask for the token PIN, which stands before each response')
    .option('--pin-file <file>', 'a file that holds the token PIN, - for stdin')
    .option('--ask-ocra-pin', 'ask for the OCRA PIN, for suites with P')
    .option('--ocra-pin-file <file>', 'a file that holds the OCRA PIN, - for stdin');
}

/** @returns the PINs, read as the options say */
async function readPins(
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

/** A roll-out at the terminal. */
interface RollOut {
  readonly context: CommandContext;
  readonly services: Pick<Services, 'enrolment' | 'ocra'>;
  readonly caller: Caller;
  readonly reader: CodeReader;
  /** The text that the app shows with the first challenge. */
  readonly message: string | undefined;
}

/** The answer that puts the second phase off. */
const LATER = '-';

/** Leads from the code of the first phase to the first accepted response. A wrong entry is asked for again. */
async function guideRollOut(rollOut: RollOut, { serial, appImport }: Phase1): Promise<void> {
  const { context, services, caller, reader } = rollOut;
  const { output } = context;
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
  { context, services, caller, message }: RollOut,
  serial: string,
): Promise<{ readonly enrolled: Phase2; readonly code: string } | undefined> {
  const { output, dependencies } = context;
  const { io, random } = dependencies;
  for (;;) {
    const typed = (await io.readLine(`Activation code (Enter for a new one, ${LATER} for later): `)).trim();
    if (typed === LATER) {
      return undefined;
    }
    const code =
      typed === '' ? (await import('../../ocra/key-derivation.ts')).randomActivationCode(random) : typed;
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
