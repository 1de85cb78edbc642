import { open } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { ExportFormat } from '../../audit/export-trail.ts';
import type { InstallationKey } from '../../audit/checkpoint.ts';
import type { AuditFinding, TrailVerification, VerifyRequest } from '../../audit/verification.ts';
import { CliFailure } from '../cli-failure.ts';
import { addCommand, addConfirmedCommand, type CommandContext } from '../command-context.ts';
import type { CliIo } from '../dependencies.ts';
import { withProgress } from '../output.ts';
import { consequence, countText } from '../../consequences/consequence.ts';
import { type Clock, parsePastInstant } from '../../kernel/clock.ts';
import { isServiceError } from '../../kernel/errors.ts';
import { safeText } from '../../kernel/text.ts';

const SINCE = 'from this date or time on, in UTC, or so long ago: 30M, 1H, 2D, 1W';

interface ExportOptions {
  readonly format: ExportFormat;
  readonly output: string;
  readonly since?: OptionInstant;
  readonly until?: OptionInstant;
}

/**
 * The instant of an option. To be read when the services are open: a duration counts from the time of the service, which
 * is not known before.
 */
type OptionInstant = () => Date;

/**
 * @returns a reader of a date, a time or a duration back from now, for an option
 * @param clock tells now
 */
export function pastInstantOption(clock: Clock): (text: string) => OptionInstant {
  return (text) => {
    const read = (): Date => {
      try {
        return parsePastInstant(text, clock.now());
      } catch (error) {
        throw isServiceError(error) ? new InvalidArgumentError(`${error.message}.`) : error;
      }
    };
    read();
    return read;
  };
}

/** Adds the commands of `tankeeper audit` that are no operations: they read or write files, or wait. */
export function addAuditCommands(audit: Command, context: CommandContext): void {
  addAuditVerifyCommand(audit, context);
  addExport(audit, context);
  addPrune(audit, context);
}

function addExport(audit: Command, context: CommandContext): void {
  addCommand(
    audit,
    'export',
    'write the trail as JSON lines that can be verified at another place, or as CSV',
    [
      'audit export --output audit.jsonl',
      'audit export --format csv --since 2026-11-01 --output november.csv',
    ],
  )
    .requiredOption('--output <file>', 'a file that is not there yet, - for standard output')
    .addOption(
      new Option('--format <format>', 'csv: for spreadsheets; cannot be verified')
        .choices(['jsonl', 'csv'])
        .default('jsonl'),
    )
    .option('--since <when>', SINCE, pastInstantOption(context.dependencies.clock))
    .option('--until <when>', 'before this date or time', pastInstantOption(context.dependencies.clock))
    .action(async ({ format, output, since, until }: ExportOptions) => {
      const rows = await context.withServices(async (services, caller) => {
        const target = await openExport(context.dependencies.io, output);
        try {
          const request = { format, since: since?.(), until: until?.() };
          return await services.audit.export(caller, request, (text) => target.write(text));
        } finally {
          await target.close();
        }
      });
      if (output !== '-') {
        context.output.done(`rows exported: ${rows}`, { rows });
      }
    });
}

function addPrune(audit: Command, context: CommandContext): void {
  addConfirmedCommand(
    audit,
    'prune',
    'take away whole months that are over; the trail verifies afterwards as it did before',
    ['audit prune --before 2026-01-01', 'audit prune --before 2026-01-01 --unverified'],
  )
    .requiredOption(
      '--before <date>',
      'the month of this date and all later ones are kept',
      pastInstantOption(context.dependencies.clock),
    )
    .option('--unverified', 'also where the trail does not verify')
    .action(async (options: { readonly before: OptionInstant; readonly unverified?: true }) => {
      const { unverified } = options;
      // Once, for the question and the act, and only after the time of the database is known.
      let date: Date | undefined;
      const before = (): Date => (date ??= options.before());
      await context.confirmed({
        foresee: async (services, caller) => {
          if (before() > context.dependencies.clock.now()) {
            throw new CliFailure('only months that are over can be pruned');
          }
          const months = await services.audit.monthsBefore(caller, before());
          return consequence(
            months > 0,
            'audit.months',
            `${countText(months, 'month')} of the audit ${months === 1 ? 'is' : 'are'} gone for good, but for exports`,
          );
        },
        act: (services, caller) =>
          services.audit.prune(caller, { before: before(), force: unverified === true }),
        report: ({ rows, months }) => {
          const isNothing = rows === 0 && months.length === 0;
          const sentence = isNothing
            ? 'there was nothing to prune'
            : ['pruned', months.join(', ')].join(' ').trim();
          context.output.done(`${sentence} (${rows} rows)`, { rows, months });
        },
      });
    });
}

const HASH = /^[0-9a-fA-F]{64}$/;
/** The checkpoint in a line of the log, as JSON or for people. */
const CHECKPOINT_LINE = /^(?=.*Audit checkpoint).*\bcheckpoint\W{1,4}([0-9a-f]{64})\b/;

/** The most findings that are listed one by one. */
const MAX_FINDINGS = 1_000;

interface VerifyOptions {
  readonly file?: string;
  readonly key?: string;
  readonly checkpoint?: string;
}

/** Adds `tankeeper audit verify`. */
function addAuditVerifyCommand(audit: Command, context: CommandContext): void {
  addCommand(
    audit,
    'verify',
    'find rows that were changed, removed or inserted since they were sealed (exit code 1 if there are any)',
    ['audit verify --checkpoint server.log', 'audit verify --file audit.jsonl'],
  )
    .option('--file <file>', 'verify an export instead, - for standard input; needs no database')
    .option('--key <key>', 'with --file: the public key of the installation, as verify shows it', parseKey)
    .option(
      '--checkpoint <hash>',
      'this checkpoint must be there, as a server has logged it; or a file, such as the log: the last one in it',
    )
    .action(async ({ file, key, checkpoint }: VerifyOptions) => {
      const found: AuditFinding[] = [];
      let total = 0;
      const report = (finding: AuditFinding): void => {
        total += 1;
        if (found.length < MAX_FINDINGS) {
          found.push(finding);
        }
      };
      const request: VerifyRequest = {
        report,
        checkpoint: checkpoint === undefined ? undefined : await readCheckpoint(checkpoint),
      };
      const { isWhole, keys, ...result } =
        file === undefined
          ? await verifyDatabase(context, request)
          : await verifyFile(context, file, key, request);
      const output = context.output;
      found.forEach((finding) => {
        output.say(safeText(findingText(finding)));
      });
      if (total > found.length) {
        output.say(`… and ${total - found.length} more`);
      }
      output.done(summary(result, keys, isWhole), {
        rows: result.rows,
        unsealed: result.unsealed,
        checkpoints: result.checkpoints,
        newest_checkpoint: result.newestCheckpoint,
        whole: isWhole,
        total,
        keys: keys.map((one) => keyText(one)),
        findings: found.map((finding) => ({ ...finding })),
      });
      if (total > 0) {
        throw new CliFailure(
          `the audit trail does not verify: ${total} ${total === 1 ? 'finding' : 'findings'}`,
        );
      }
    });
}

interface VerifiedInstallation extends TrailVerification {
  readonly isWhole: boolean;
  readonly keys: readonly InstallationKey[];
}

async function verifyDatabase(
  context: CommandContext,
  request: VerifyRequest,
): Promise<VerifiedInstallation> {
  const result = await withProgress(context.dependencies.io, 'verifying rows', (progress) =>
    context.withServices(({ audit }, caller) => audit.verify(caller, { ...request, progress })),
  );
  return { ...result, isWhole: true };
}

async function verifyFile(
  context: CommandContext,
  file: string,
  key: string | undefined,
  request: VerifyRequest,
): Promise<VerifiedInstallation> {
  const { readExportedTrail } = await import('../../audit/export-trail.ts');
  const { verifyTrail } = await import('../../audit/verification.ts');
  const lines = exportedLines(context.dependencies.io, file);
  const { trail, keys: named } = await readExportedTrail(lines);
  // Without a key to compare with, the file's own keys are used, which its author chose.
  const keys = key === undefined ? named : named.filter((one) => keyText(one) === key);
  return { ...(await verifyTrail(trail, { ...request, keys })), isWhole: trail.isWhole, keys };
}

function keyText({ publicKey }: InstallationKey): string {
  return publicKey.toString('base64');
}

function summary(
  { rows, unsealed, checkpoints, newestCheckpoint: newest, findings }: TrailVerification,
  keys: readonly InstallationKey[],
  isWhole: boolean,
): string {
  return [
    `${rows} rows, ${checkpoints} checkpoints: ${findings === 0 ? 'all as they were sealed' : `${findings} findings`}`,
    ...(unsealed === 0 ? [] : [`not sealed yet: ${unsealed} of these rows`]),
    ...(isWhole ? [] : ['this is a part of the trail: rows that are missing cannot be noticed']),
    ...(newest === '' ? [] : [`newest checkpoint: ${newest}`]),
    ...keys.map((key) => `signed by the installation key ${keyText(key)}`),
  ].join('\n');
}

/** One line that names the row or checkpoint. */
function findingText({ kind, target: of, id, at, reason }: AuditFinding): string {
  return `${kind}: ${of}${id === null ? '' : ` ${id}`}${at === null ? '' : ` of ${at}`}: ${reason}`;
}

function parseKey(text: string): string {
  if (Buffer.from(text, 'base64').length !== 32) {
    throw new InvalidArgumentError('It must be 32 bytes in Base64.');
  }
  return text;
}

/**
 * Reads a checkpoint. They form a chain, so the last one covers all before it.
 * @param text a hash, or the path of a file: a log, which is searched for checkpoint lines, or a hash alone
 * @throws CliFailure
 */
async function readCheckpoint(text: string): Promise<string> {
  if (HASH.test(text)) {
    return text;
  }
  let last: string | undefined;
  const handle = await open(text, 'r').catch(() => {
    throw new CliFailure('--checkpoint must be 64 hexadecimal digits, or a file that can be read');
  });
  try {
    for await (const line of handle.readLines()) {
      const [, hash] = CHECKPOINT_LINE.exec(line) ?? [];
      last = hash ?? (HASH.test(line.trim()) ? line.trim() : last);
    }
  } finally {
    await handle.close();
  }
  if (last === undefined) {
    throw new CliFailure(`there is no checkpoint in ${text}`);
  }
  return last;
}

/** The target of an export. */
interface ExportTarget {
  write(text: string): Promise<void>;
  close(): Promise<void>;
}

/**
 * @param file a path without a file, or `-` for standard output
 * @throws CliFailure if the file exists or cannot be created
 */
async function openExport(io: CliIo, file: string): Promise<ExportTarget> {
  if (file === '-') {
    return {
      write: (text) => {
        io.stdout.write(text);
        return Promise.resolve();
      },
      close: () => Promise.resolve(),
    };
  }
  // The trail holds personal data: only its owner may read the file.
  const handle = await open(file, 'wx', 0o600).catch((error: unknown) => {
    const { code = '' } = error as NodeJS.ErrnoException;
    throw new CliFailure(
      code === 'EEXIST' ? `${file} is there already` : `${file} cannot be written: ${code}`,
    );
  });
  return {
    write: async (text) => {
      await handle.writeFile(text);
    },
    close: () => handle.close(),
  };
}

/**
 * @returns the lines of a file, or of standard input for `-`
 * @throws CliFailure when it cannot be read
 */
async function* exportedLines(io: CliIo, file: string): AsyncGenerator<string> {
  if (file === '-') {
    yield* createInterface({ input: Readable.from(io.stdin), crlfDelay: Infinity });
    return;
  }
  const handle = await open(file, 'r').catch((error: unknown) => {
    throw new CliFailure(`${file} cannot be read: ${(error as NodeJS.ErrnoException).code ?? ''}`);
  });
  try {
    yield* handle.readLines();
  } finally {
    await handle.close();
  }
}
