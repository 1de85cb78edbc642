import { open } from 'node:fs/promises';
import { type Command, InvalidArgumentError } from 'commander';
import type { AuditFinding } from '../../../audit/verification.ts';
import { readExportedTrail } from '../../../audit/export-trail.ts';
import type { InstallationKey } from '../../../audit/signing-key.ts';
import { type TrailVerification, type VerifyRequest, verifyTrail } from '../../../audit/verify-trail.ts';
import { exportedLines } from './audit-export-file.ts';
import { CliFailure } from '../../cli-failure.ts';
import type { CommandContext } from '../../command-context.ts';
import { ProgressBar } from '../../progress-bar.ts';
import { safeText } from '../../../kernel/text.ts';
import { examples } from '../../examples.ts';

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
export function addAuditVerifyCommand(audit: Command, context: CommandContext): void {
  audit
    .command('verify')
    .addHelpText('after', examples('audit verify --checkpoint server.log', 'audit verify --file audit.jsonl'))
    .description('find rows that were changed, removed, inserted or reordered (exit code 1 if there are any)')
    .option('--file <file>', 'verify an export instead, - for standard input; needs no database')
    .option('--key <key>', 'with --file: the public key of the installation, as verify shows it', parseKey)
    .option(
      '--checkpoint <hash>',
      'this checkpoint must be there, as a server has logged it; or a file, such as the log: the last one in it',
    )
    .action(async ({ file, key, checkpoint }: VerifyOptions, command: Command) => {
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
      const output = context.output(command);
      found.forEach((finding) => {
        output.say(safeText(findingText(finding)));
      });
      if (total > found.length) {
        output.say(`… and ${total - found.length} more`);
      }
      output.done(summary(result, keys, isWhole), {
        rows: result.rows,
        records: result.records,
        newest: result.newest,
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
  const bar = new ProgressBar(context.dependencies.io, 'rows');
  const result = await context
    .withServices(({ audit }, caller) =>
      audit.verify(caller, {
        ...request,
        progress: (rows, of) => {
          bar.show(rows, of);
        },
      }),
    )
    .finally(() => {
      bar.clear();
    });
  return { ...result, isWhole: true };
}

async function verifyFile(
  context: CommandContext,
  file: string,
  key: string | undefined,
  request: VerifyRequest,
): Promise<VerifiedInstallation> {
  const lines = exportedLines(context.dependencies.io, file);
  const { snapshot, isWhole, keys: named } = await readExportedTrail(lines);
  // Without a key to compare with, the file's own keys are used, which its author chose.
  const keys = key === undefined ? named : named.filter((one) => keyText(one) === key);
  return { ...(await verifyTrail(snapshot, { ...request, keys, isWhole })), isWhole, keys };
}

function keyText({ publicKey }: InstallationKey): string {
  return publicKey.toString('base64');
}

function summary(
  { rows, records, newest, findings }: TrailVerification,
  keys: readonly InstallationKey[],
  isWhole: boolean,
): string {
  return [
    `${rows} rows, ${records} records of the journal: ${findings === 0 ? 'all as they were written' : `${findings} findings`}`,
    ...(isWhole ? [] : ['this is a part of the trail: rows that are missing cannot be noticed']),
    ...(newest === '' ? [] : [`newest checkpoint: ${newest}`]),
    ...keys.map((key) => `signed for the installation key ${keyText(key)}`),
  ].join('\n');
}

/** One line that names the row. */
function findingText({ kind, of, id, writer, lane, seq, at, reason }: AuditFinding): string {
  const what = of === 'row' ? 'row' : 'record';
  const place = writer === null ? '' : ` (writer ${writer}, lane ${lane ?? 0}, seq ${seq ?? ''})`;
  return `${kind}: ${what}${id === null ? '' : ` ${id}`}${place}${at === null ? '' : ` of ${at}`}: ${reason}`;
}

function parseKey(text: string): string {
  if (Buffer.from(text, 'base64').length !== 32) {
    throw new InvalidArgumentError('It must be 32 bytes in Base64.');
  }
  return text;
}

/**
 * Reads a checkpoint. Records of the journal form a chain, so the last checkpoint covers all before it.
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
