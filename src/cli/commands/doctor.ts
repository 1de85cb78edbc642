import type { Command } from 'commander';
import {
  type DoctorReport,
  type Finding,
  findingOf,
  SEVERITIES,
  type Severity,
} from '../../doctor/examination.ts';
import { isServiceError } from '../../kernel/errors.ts';
import { safeText } from '../../kernel/text.ts';
import { CliFailure, EXIT_CODES } from '../cli-failure.ts';
import { type CommandContext, examples } from '../command-context.ts';
import { applyStyle } from '../output.ts';
import { untilSignal } from '../../compose/process.ts';

/** The exit code by the worst finding. Scripts rely on it. */
const EXIT_CODE_OF: Readonly<Record<Severity, number>> = { note: 0, warning: 1, error: 2 };

const COLOUR_OF = { error: 'red', warning: 'yellow', note: 'dim' } as const;

/** The width of the column of severities. */
const MARGIN = 9;

const HELP = `
Run it with the environment of the server. It reads only, with or without a running server.
Exit codes: 0 no finding above a note, 1 warnings, 2 errors, also of the configuration itself, 130 ended by Ctrl-C.`;

/** Adds `tankeeper doctor`. */
export function addDoctorCommand(program: Command, context: CommandContext): void {
  program
    .command('doctor')
    .description(
      'examine the installation: database, keys, resolvers, policies, addresses, audit, backups; each finding with its remedy',
    )
    .addHelpText('after', HELP)
    .addHelpText('after', examples('doctor', '--json doctor'))
    .action(async () => {
      await examine(context);
    });
}

/**
 * @param reason for standard error; by default the amounts
 * @throws CliFailure with the exit code of the worst finding
 */
export function reportExamination(
  { output, dependencies: { io } }: CommandContext,
  { checks, findings }: DoctorReport,
  reason?: string,
): void {
  for (const finding of bySeverity(findings)) {
    output.say(linesOf(finding, io.color));
  }
  const counts = countsOf(findings);
  output.done(summary({ checks, findings }), {
    errors: counts.error,
    warnings: counts.warning,
    notes: counts.note,
    findings: bySeverity(findings).map((finding) => ({ ...finding })),
    checks: checks.map((check) => ({ ...check })),
  });
  const worst = SEVERITIES.find((severity) => counts[severity] > 0) ?? 'note';
  if (EXIT_CODE_OF[worst] > EXIT_CODES.success) {
    throw new CliFailure(reason ?? `the installation has ${amounts(counts)}`, EXIT_CODE_OF[worst]);
  }
}

/** A configuration that cannot be read is the finding of an examination that ends there: scripts get JSON all the same. */
async function examine(context: CommandContext): Promise<void> {
  try {
    const config = await context.configuration();
    const { examineInstallation } = await import('../../compose/examine-installation.ts');
    reportExamination(context, await untilSignal((giveUp) => examineInstallation(config, { giveUp })));
  } catch (error) {
    if (!isServiceError(error, 'configuration.invalid')) {
      throw error;
    }
    const findings = error.message
      .split('\n')
      .map((text) =>
        findingOf(
          'error',
          'variables.invalid',
          text,
          'correct it; `tankeeper config` tells when all are right',
        ),
      );
    reportExamination(context, { checks: [{ name: 'variables', state: 'failed' }], findings }, error.message);
  }
}

/** @returns the findings, errors first; those of one severity keep their order */
function bySeverity(findings: readonly Finding[]): readonly Finding[] {
  return SEVERITIES.flatMap((severity) => findings.filter((finding) => finding.severity === severity));
}

function linesOf({ severity, code, text, remedy }: Finding, isColoured: boolean): string {
  const label = severity.padEnd(MARGIN);
  const shown = applyStyle(COLOUR_OF[severity], label, isColoured);
  const blank = ' '.repeat(MARGIN);
  return `${shown}${code}\n${blank}${safeText(text)}\n${blank}remedy: ${safeText(remedy)}\n`;
}

function summary({ checks, findings }: DoctorReport): string {
  const examined = checks.filter(({ state }) => state === 'done').length;
  const rest = checks.length - examined;
  const found = findings.length === 0 ? 'no findings' : amounts(countsOf(findings));
  return `${examined} checks${rest === 0 ? '' : `, ${rest} more not possible`}: ${found}`;
}

type SeverityCounts = Readonly<Record<Severity, number>>;

function countsOf(findings: readonly Finding[]): SeverityCounts {
  const count = (requested: Severity): number =>
    findings.filter(({ severity }) => severity === requested).length;
  return { error: count('error'), warning: count('warning'), note: count('note') };
}

function amounts(counts: SeverityCounts): string {
  return SEVERITIES.filter((severity) => counts[severity] > 0)
    .map((severity) => `${counts[severity]} ${severity}${counts[severity] === 1 ? '' : 's'}`)
    .join(', ');
}
