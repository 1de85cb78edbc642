import { type Command, Option } from 'commander';
import { decodePskc, type KeyFileFormat } from '../../tokens/key-file.ts';
import type { KeyFileImportReport } from '../../challenges/enrolment/token-import-service.ts';
import { safeText } from '../../kernel/text.ts';
import { CliFailure } from '../cli-failure.ts';
import { type CommandContext, addCommand } from '../command-context.ts';
import { readFileBytes } from '../files.ts';

interface ImportOptions {
  readonly realm?: string;
  readonly askPassword?: true;
  readonly passwordFile?: string;
  readonly askKey?: true;
  readonly keyFile?: string;
  readonly dryRun?: true;
  readonly verbose?: true;
}

const MAX_FILE_BYTES = 16 * 1024 * 1024;

/** Adds `import pskc` and `import csv`. */
export function addKeyFileImportCommands(group: Command, context: CommandContext): void {
  const pskc = addCommand(
    group,
    'pskc',
    'load the keys of a PSKC file (RFC 6030): all of them or, if one is wrong, none',
    [
      'import pskc keys.xml --ask-password --dry-run',
      'import pskc keys.xml --realm office --key-file transport.key',
    ],
  )
    .argument('<file>')
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
    );
  const csv = addCommand(group, 'csv', 'load the keys of a table: all of them or, if one is wrong, none', [
    'import csv keys.csv --dry-run',
    'import csv keys.csv --realm office',
  ])
    .argument('<file>')
    .addHelpText('after', CSV_HELP);
  for (const [format, command] of [
    ['pskc', pskc],
    ['csv', csv],
  ] as const) {
    command
      .option('--realm <name>', 'the realm of the tokens for which the file names none; else none')
      .option('--verbose', 'print the serials, not only their number')
      .option('--dry-run', 'only report what would be loaded and what would be refused (exit code 1)')
      .action((path: string, options: ImportOptions) => importKeyFile(context, format, path, options));
  }
}

const CSV_HELP = `
Columns, in any order: serial, and key (hexadecimal) or key_base32. Others, which may be absent or empty: type (ocra,
hotp, totp), suite, otplen (6, 8), timestep (30, 60), hashlib (sha1, sha256, sha512), counter, description, pin,
ocra_pin, user, realm. Without a header line, as LinOTP has it: serial,key,hotp|totp,otplen,timestep,hashlib or
serial,key,ocra,suite. The file is UTF-8; the separator is a comma, a semicolon or a tabulator.`;

async function importKeyFile(
  context: CommandContext,
  format: KeyFileFormat,
  path: string,
  options: ImportOptions,
): Promise<void> {
  const file = await readKeyFile(path, format);
  const secrets = await readSecrets(context, options);
  const request = { format, file, realm: options.realm, ...secrets };
  if (options.dryRun === true) {
    const found = await context.withServices(({ tokenImport }, caller) => tokenImport.check(caller, request));
    report(context, found, options);
    return;
  }
  const serials = await context.withServices(({ tokenImport }, caller) => tokenImport.load(caller, request));
  context.output.done([`${serials.length} tokens are loaded`, ...named(serials, options)].join('\n'), {
    serials,
  });
}

/** @returns the lines that name the tokens */
function named(serials: readonly string[], { verbose }: Pick<ImportOptions, 'verbose'>): readonly string[] {
  return verbose === true ? serials : [];
}

/** @throws CliFailure if a key would be refused, and so none loaded */
function report(
  { output }: CommandContext,
  { serials, refused }: KeyFileImportReport,
  options: Pick<ImportOptions, 'verbose'>,
): void {
  const lines = [
    `${serials.length} tokens would be loaded`,
    ...named(serials, options),
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
async function readKeyFile(path: string, format: KeyFileFormat): Promise<string> {
  const bytes = await readFileBytes(path, MAX_FILE_BYTES);
  if (bytes.length > MAX_FILE_BYTES) {
    throw new CliFailure(`${path} is larger than ${MAX_FILE_BYTES} bytes`);
  }
  if (format === 'pskc') {
    return decodePskc(bytes);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new CliFailure(`${path} is not UTF-8 text: a spreadsheet exports it as "CSV UTF-8"`);
  }
}
