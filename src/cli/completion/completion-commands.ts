import { Argument, type Command } from 'commander';
import { type CommandContext, operatorCaller } from '../command-context.ts';
import type { NameKind } from './completed-word.ts';
import { examples } from '../examples.ts';

/** Adds `completion`, and the hidden `complete` that its scripts call. */
export function addCompletionCommands(program: Command, context: CommandContext): void {
  const { io } = context.dependencies;
  program
    .command('completion')
    .addHelpText('after', examples('completion bash', 'completion fish'))
    .description('print the completion script of a shell: source <(tankeeper completion bash)')
    .addArgument(new Argument('<shell>', 'the shell').choices(['bash', 'zsh', 'fish']))
    .action(async (shell: string) => {
      const { completionScript, SHELLS } = await import('./completion-scripts.ts');
      io.stdout.write(completionScript(SHELLS.find((known) => known === shell) ?? 'bash'));
    });
  program
    .command('complete', { hidden: true })
    .description('print what may stand in the place of the last word of a line')
    .requiredOption('--line <text>', 'the line up to the cursor')
    .action(async ({ line }: { line: string }) => {
      const found = await complete(program, context, line);
      io.stdout.write(found.map((word) => `${word}\n`).join(''));
    });
}

async function complete(program: Command, context: CommandContext, line: string): Promise<readonly string[]> {
  const { splitShellLine } = await import('./shell-words.ts');
  const { completedWord } = await import('./completed-word.ts');
  const typed = splitShellLine(line).slice(1);
  const current = typed.at(-1) ?? '';
  const { words, names } = completedWord(program, typed);
  const found = names === undefined ? [] : await findNames(context, names, current);
  // A line end in a name would make two of it.
  return [...words, ...found].filter((word) => word.startsWith(current) && !/\p{Cc}/u.test(word));
}

async function findNames(
  { dependencies }: CommandContext,
  kind: NameKind,
  prefix: string,
): Promise<readonly string[]> {
  const { knownNames } = await import('./known-names.ts');
  const caller = operatorCaller(dependencies);
  return (
    (await dependencies
      .glance((services) => knownNames(kind, prefix, services, caller))
      .catch(() => undefined)) ?? []
  );
}
