import { type Command, Option } from 'commander';
import type { BackupLock, BackupUnlock } from '../../backup/backup-encryption.ts';
import { total } from '../../backup/backup-format.ts';
import { CliFailure } from '../cli-failure.ts';
import { addCommand, type CommandContext, operatorCaller } from '../command-context.ts';
import { NewFile, PipedFile, readableFile, readSecretText } from '../files.ts';
import { Output, withProgress } from '../output.ts';
import { commandLog, keepHeapSmall, untilSignal } from '../../compose/process.ts';
import type { RestoredBackup, RestoreRequest } from '../../compose/restore-backup.ts';

interface ExportOptions {
  readonly passphraseFile?: string;
  readonly recipient?: readonly string[];
  readonly overwrite?: true;
}

interface RestoreOptions {
  readonly passphraseFile?: string;
  readonly identityFile?: string;
  readonly check?: true;
  readonly token?: string;
}

const PASSPHRASE = 'Passphrase of the backup';

/** Adds `tankeeper export` and `restore`: backups, without the encryption key. */
export function addBackupCommands(program: Command, context: CommandContext): void {
  addExport(program, context);
  addRestore(program, context);
}

function addExport(program: Command, context: CommandContext): void {
  addCommand(
    program,
    'export',
    'write an encrypted backup of the whole database while servers run; the encryption key is not in it: keep a copy of the key file apart',
    ['export tankeeper.age', 'export - --recipient age1…'],
  )
    .argument('<file>', 'a file that is not there yet; - for standard output')
    .option('--passphrase-file <file>', 'a file that holds the passphrase, - for stdin; else it is asked for')
    .addOption(
      new Option(
        '--recipient <age1…>',
        'encrypt for the holder of this age recipient instead; may be given several times',
      )
        .argParser((value: string, before: readonly string[] | undefined) => [...(before ?? []), value])
        .conflicts('passphraseFile'),
    )
    .option('--overwrite', 'replace a file of that name')
    .action(async (path: string, options: ExportOptions) => {
      keepHeapSmall();
      const lock = await lockOf(context, options);
      const { io } = context.dependencies;
      const isPiped = path === '-';
      const file = isPiped ? new PipedFile(io) : await NewFile.begin(path, options.overwrite === true);
      const output = isPiped
        ? new Output({ ...io, stdout: io.stderr }, { json: context.isJson })
        : context.output;
      try {
        const { version } = context.dependencies;
        const { rows, keyIds } = await withProgress(io, 'writing rows', (progress) =>
          context.withServices(({ backups }, caller) =>
            backups.export(caller, { lock, version, write: (bytes) => file.write(bytes), progress }),
          ),
        );
        const { bytes, sha256 } = await file.finish();
        output.done(
          `${isPiped ? 'standard output' : path}: ${total(rows)} rows in ${rows.size} tables, ${bytes} bytes\nSHA-256 ${sha256}\n` +
            `A restore needs the encryption keys ${keyIds.join(', ')}, which are not in it`,
          { file: path, bytes, sha256, rows: total(rows), tables: Object.fromEntries(rows), keys: keyIds },
        );
      } finally {
        await file.discard();
      }
    });
}

function addRestore(program: Command, context: CommandContext): void {
  const { dependencies } = context;
  addCommand(
    program,
    'restore',
    'restore a backup into an empty database: DATABASE_URL, or a new data folder; needs the encryption key it was made with. Open challenges are closed: no response to them is accepted again. A response of HOTP that was accepted after the backup can be given once more, until `tankeeper token resync`',
    ['restore tankeeper.age --check', 'restore tankeeper.age --identity-file identity.txt'],
  )
    .argument('<file>', 'a backup that `tankeeper export` has written')
    .option('--passphrase-file <file>', 'a file that holds the passphrase, - for stdin; else it is asked for')
    .addOption(
      new Option(
        '--identity-file <file>',
        'a file with age identities (AGE-SECRET-KEY-1…), one of which opens the backup; - for stdin',
      ).conflicts('passphraseFile'),
    )
    .addOption(
      new Option(
        '--token <serial>',
        'restore this token alone, into the database that is in use, while servers run; a counter of HOTP is that of the backup: resync it',
      ).conflicts('check'),
    )
    .option('--check', 'only verify the backup and that its keys are here; touch no database')
    .action(async (path: string, options: RestoreOptions) => {
      const onlyToken = options.token;
      const { open, size } = await readableFile(path);
      const unlock = await unlockOf(context, options);
      const checksOnly = options.check === true;
      const result = await withProgress(dependencies.io, 'verifying bytes', (show) => {
        let passes = 0;
        const shown = async function* (): AsyncGenerator<Uint8Array> {
          const doing = (passes += 1) === 1 ? undefined : 'restoring bytes';
          for await (const bytes of open()) {
            show(size.read(), size.all, doing);
            yield bytes;
          }
        };
        return restored(context, { open: shown, unlock, checksOnly, onlyToken });
      });
      report(context, path, { checksOnly, onlyToken }, result);
    });
}

function report(
  { output }: CommandContext,
  path: string,
  { checksOnly, onlyToken }: Pick<RestoreRequest, 'checksOnly' | 'onlyToken'>,
  { rows, createdAt, version }: RestoredBackup,
): void {
  const created = createdAt.toISOString();
  const origin = `of ${created}, written by tankeeper ${version}`;
  const facts = { file: path, restored: !checksOnly, created, version };
  if (onlyToken !== undefined) {
    output.done(`the token ${onlyToken} is restored from the backup ${origin}`, {
      ...facts,
      serial: onlyToken,
    });
    return;
  }
  const state = checksOnly ? 'intact, and its keys are here' : 'restored';
  output.done(`the backup ${origin} is ${state}: ${total(rows)} rows`, {
    ...facts,
    rows: total(rows),
    tables: Object.fromEntries(rows),
  });
}

async function restored(context: CommandContext, request: RestoreRequest): Promise<RestoredBackup> {
  const config = await context.configuration();
  const { restoreBackup } = await import('../../compose/restore-backup.ts');
  const caller = operatorCaller(context.dependencies);
  return untilSignal((giveUp) => restoreBackup(config, commandLog(config), caller, request, giveUp));
}

async function lockOf(
  context: CommandContext,
  { recipient, passphraseFile }: ExportOptions,
): Promise<BackupLock> {
  return recipient === undefined
    ? { passphrase: await context.newSecret(PASSPHRASE, '--passphrase-file', passphraseFile) }
    : { recipients: recipient };
}

async function unlockOf(
  context: CommandContext,
  { identityFile, passphraseFile }: RestoreOptions,
): Promise<BackupUnlock> {
  if (identityFile === undefined) {
    return { passphrase: await context.knownSecret(PASSPHRASE, '--passphrase-file', passphraseFile) };
  }
  const text = await readSecretText(context.dependencies.io, identityFile, 'the identity file');
  const identities = text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
  if (identities.length === 0) {
    throw new CliFailure(`${identityFile} holds no identity`);
  }
  return { identities };
}
