import type { Command } from 'commander';
import { type Finding, SEVERITIES, type Severity } from '../../doctor/finding.ts';
import { isServiceError } from '../../kernel/errors.ts';
import { safeText } from '../../kernel/text.ts';
import { CliFailure } from '../cli-failure.ts';
import { type CommandContext, examples } from '../command-context.ts';
import { applyStyle } from '../output.ts';
import { untilSignal } from '../../compose/process.ts';

/** The exit code by the worst finding. Scripts rely on it. */
const EXIT_CODE_OF: Readonly<Record<Severity, number>> = { warning: 1, error: 2 };

const COLOUR_OF = { error: 'red', warning: 'yellow' } as const;

/** The width of the column of severities. */
const MARGIN = 9;

const HELP = `
Run it with the environment of the server. It reads only, with or without a running server.
Exit codes: 0 no finding, 1 warnings, 2 errors, also of the configuration itself, 130 ended by Ctrl-C.`;

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
export function reportFindings(
  { output, dependencies: { io } }: CommandContext,
  findings: readonly Finding[],
  reason?: string,
): void {
  const sorted = SEVERITIES.flatMap((severity) => findings.filter((one) => one.severity === severity));
  for (const finding of sorted) {
    output.say(linesOf(finding, io.color));
  }
  const errors = sorted.filter(({ severity }) => severity === 'error').length;
  const warnings = sorted.length - errors;
  const amounts = [countOf(errors, 'error'), countOf(warnings, 'warning')].filter(Boolean).join(', ');
  output.done(amounts === '' ? 'no findings' : amounts, {
    errors,
    warnings,
    findings: sorted.map((finding) => ({ ...finding })),
  });
  const [worst] = sorted;
  if (worst !== undefined) {
    throw new CliFailure(reason ?? `the installation has ${amounts}`, EXIT_CODE_OF[worst.severity]);
  }
}

/** A configuration that cannot be read is the finding of an examination that ends there: scripts get JSON all the same. */
async function examine(context: CommandContext): Promise<void> {
  try {
    const config = await context.configuration();
    const { examineInstallation } = await import('../../compose/examine-installation.ts');
    reportFindings(context, await untilSignal((giveUp) => examineInstallation(config, { giveUp })));
  } catch (error) {
    if (!isServiceError(error, 'configuration.invalid')) {
      throw error;
    }
    const findings = error.message.split('\n').map((text) => ({
      code: 'variables.invalid',
      severity: 'error' as const,
      text,
      remedy: 'correct it; `tankeeper config` tells when all are right',
    }));
    reportFindings(context, findings, error.message);
  }
}

function linesOf({ severity, code, text, remedy }: Finding, isColoured: boolean): string {
  const label = severity.padEnd(MARGIN);
  const shown = applyStyle(COLOUR_OF[severity], label, isColoured);
  const blank = ' '.repeat(MARGIN);
  return `${shown}${code}\n${blank}${safeText(text)}\n${blank}remedy: ${safeText(remedy)}\n`;
}

/** @returns `2 warnings`; nothing of none */
function countOf(number: number, what: Severity): string {
  return number === 0 ? '' : `${number} ${what}${number === 1 ? '' : 's'}`;
}
