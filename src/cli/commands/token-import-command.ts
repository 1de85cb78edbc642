import { open } from 'node:fs/promises';
import { Option, type Command } from 'commander';
import type { ImportReport } from '../../challenges/enrolment/token-import-service.ts';
import { safeText } from '../../kernel/terminal-text.ts';
import { CliFailure } from '../cli-failure.ts';
import type { CommandContext } from '../command-context.ts';
import type { Output } from '../output.ts';
import { fileErrorText } from '../secret-input.ts';

interface ImportOptions {
  readonly realm?: string;
  readonly askPassword?: true;
  readonly passwordFile?: string;
  readonly askKey?: true;
  readonly keyFile?: string;
  readonly dryRun?: true;
}

interface ResyncOptions {
  readonly challenge1?: string;
  readonly challenge2?: string;
  readonly otp1File?: string;
  readonly otp2File?: string;
}

const LARGEST_FILE = 16 * 1024 * 1024;

/** Adds `token import`. */
export function addTokenImportCommand(token: Command, context: CommandContext): void {
  token
    .command('import')
    .description('load the keys of a PSKC file (RFC 6030): all of them or, if one is wrong, none')
    .argument('<file>')
    .option('--realm <name>', 'the realm of the tokens; else none')
    .option('--ask-password', 'ask for the password that the file is encrypted with')
    .option('--password-file <file>', 'a file that holds the password, - for stdin')
    .addOption(
      new Option('--ask-key', 'ask for the pre-shared key that the file is encrypted with').conflicts([
        'askPassword',
        'passwordFile',
      ]),
    )
    .addOption(
      new Option(
        '--key-file <file>',
        'a file that holds the pre-shared key in hexadecimal, - for stdin',
      ).conflicts(['askPassword', 'passwordFile']),
    )
    .option('--dry-run', 'only report what would be loaded and what would be refused (exit code 1)')
    .action(async (path: string, options: ImportOptions, command: Command) => {
      const file = await readKeyFile(path);
      const secrets = await readSecrets(context, options);
      const request = { file, realm: options.realm, ...secrets };
      if (options.dryRun === true) {
        const found = await context.withServices(({ tokenImport }, caller) =>
          tokenImport.check(caller, request),
        );
        report(context.output(command), found);
        return;
      }
      const serials = await context.withServices(({ tokenImport }, caller) =>
        tokenImport.load(caller, request),
      );
      const sentence = `${serials.length} tokens are loaded:\n${serials.join('\n')}`;
      context.output(command).done(sentence, { serials });
    });
}

/** @throws CliFailure if a key would be refused, and so none loaded */
function report(output: Output, { serials, refused }: ImportReport): void {
  const lines = [
    `${serials.length} tokens would be loaded:`,
    ...serials,
    ...(refused.length === 0 ? [] : [`${refused.length} keys would be refused:`]),
    // Serials of the file, of any characters.
    ...refused.map(({ serial, reason }) => safeText(`${serial}: ${reason}`)),
  ];
  output.done(lines.join('\n'), {
    serials,
    refused: refused.map(({ serial, reason }) => ({ serial, reason })),
  });
  if (refused.length > 0) {
    throw new CliFailure('the file has keys that would be refused: an import would load none');
  }
}

/** Adds `token resync`. */
export function addTokenResyncCommand(token: Command, context: CommandContext): void {
  token
    .command('resync')
    .description('bring a token back in step by two responses that it gave one after the other')
    .argument('<serial>')
    .option('--challenge1 <question>', 'what the first response answers; else the last challenge but one')
    .option('--challenge2 <question>', 'what the second response answers; else the last challenge')
    .option('--otp1-file <file>', 'a file that holds the first response, - for stdin; else it is asked for')
    .option('--otp2-file <file>', 'a file that holds the second response, - for stdin; else it is asked for')
    .action(async (serial: string, options: ResyncOptions, command: Command) => {
      const { challenge1, challenge2, otp1File, otp2File } = options;
      const otp1 = await context.knownSecret('First response', '--otp1-file', otp1File);
      const otp2 = await context.knownSecret('Second response', '--otp2-file', otp2File);
      const request = { serial, otp1: otp1.trim(), otp2: otp2.trim(), challenge1, challenge2 };
      const done = await context.withServices(({ resynchronisation }, caller) =>
        resynchronisation.resync(caller, request),
      );
      if (!done) {
        throw new CliFailure(
          `${serial} is not in step: the two responses were not found one after the other`,
        );
      }
      context.output(command).done(`${serial} is in step again`, { serial });
    });
}

async function readSecrets(
  context: CommandContext,
  { askPassword, passwordFile, askKey, keyFile }: ImportOptions,
): Promise<{ password?: string; preSharedKey?: string }> {
  if (askPassword === true || passwordFile !== undefined) {
    return { password: await context.knownSecret('Password', '--password-file', passwordFile) };
  }
  if (askKey === true || keyFile !== undefined) {
    const key = await context.knownSecret('Pre-shared key', '--key-file', keyFile);
    return { preSharedKey: key.trim() };
  }
  return {};
}

/** Reads only as much as it needs to detect a file that is too large. */
async function readKeyFile(path: string): Promise<string> {
  const bytes = await readBytes(path);
  if (bytes.length > LARGEST_FILE) {
    throw new CliFailure(`${path} is larger than ${LARGEST_FILE} bytes`);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new CliFailure(`${path} is not UTF-8 text`);
  }
}

async function readBytes(path: string): Promise<Buffer> {
  try {
    const file = await open(path);
    try {
      const chunks: Buffer[] = [];
      for await (const chunk of file.createReadStream({ end: LARGEST_FILE, autoClose: false })) {
        chunks.push(chunk as Buffer);
      }
      return Buffer.concat(chunks);
    } finally {
      await file.close();
    }
  } catch (error) {
    throw new CliFailure(`cannot read ${path}: ${fileErrorText(error)}`);
  }
}
