import type { Command } from 'commander';
import type { Consequence } from '../consequences/consequence.ts';
import { safeText } from '../kernel/text.ts';
import type { Caller } from '../policy/caller.ts';
import { CliFailure, EXIT_CODES } from './cli-failure.ts';
import type { Services } from '../services.ts';
import type { CommandContext } from './command-context.ts';

/** An act that may have consequences. */
export interface ConfirmedAct<Result> {
  /** The consequences; none: the act needs no question. */
  readonly foresee: (services: Services, caller: Caller) => Promise<readonly Consequence[]>;
  readonly act: (services: Services, caller: Caller) => Promise<Result>;
}

/** Adds `--yes` and `--dry-run`. */
export function withConfirmation(command: Command): Command {
  return command
    .option('--yes', 'go on without a question, for scripts')
    .option('--dry-run', 'say what follows, and change nothing');
}

/**
 * Says what follows from an act and asks, then acts. `--yes` answers the question; `--dry-run` only says what follows.
 * @returns its result; undefined: it was not done
 * @throws CliFailure where the answer is no; with the exit code of wrong usage where there is no terminal to ask at
 */
export async function actOnceConfirmed<Result>(
  context: CommandContext,
  command: Command,
  { foresee, act }: ConfirmedAct<Result>,
): Promise<{ readonly result: Result } | undefined> {
  const { yes, dryRun } = command.opts<{ yes?: true; dryRun?: true }>();
  return context.withServices(async (services, caller) => {
    // Scripts that confirm do not wait for what nobody reads.
    const consequences = yes === true && dryRun !== true ? [] : await foresee(services, caller);
    if (dryRun === true) {
      context.output(command).done(dryRunText(consequences), {
        dry_run: true,
        consequences: consequences.map(({ code, text }) => ({ code, text })),
      });
      return undefined;
    }
    if (consequences.length > 0) {
      await confirmOrFail(context, clauses(consequences), '--yes confirms it');
    }
    return { result: await act(services, caller) };
  });
}

/**
 * Asks whether to go on.
 * @param what the consequences, a clause
 * @param how the option that answers for scripts
 * @throws CliFailure where the answer is no; with the exit code of wrong usage where there is no terminal to ask at
 */
export async function confirmOrFail(
  { dependencies: { io } }: CommandContext,
  what: string,
  how: string,
): Promise<void> {
  if (!io.isInteractive) {
    throw new CliFailure(
      `${what}. Nothing was changed: without a terminal to ask at, ${how}`,
      EXIT_CODES.usage,
    );
  }
  const answer = await io.readLine(`${safeText(what)}. Go on? [y/N] `);
  if (!/^y(?:es)?$/i.test(answer.trim())) {
    throw new CliFailure('nothing was changed');
  }
}

function dryRunText(consequences: readonly Consequence[]): string {
  return consequences.length === 0
    ? 'nothing else follows; nothing was changed'
    : `${clauses(consequences)}; nothing was changed`;
}

function clauses(consequences: readonly Consequence[]): string {
  return consequences.map(({ text }) => text).join('; ');
}
