import type { Command } from 'commander';
import type { CliDependencies } from '../src/cli/dependencies.ts';
import { buildProgram } from '../src/cli/program.ts';
import { markdownTable } from './markdown-table.ts';

const HEAD = `# Commands

<!-- Written by \`npm run docs:reference\` from the commands in src/cli/. -->

In a checkout, \`tankeeper\` is \`node bin/tankeeper.js\` (or run \`npm link\` once); in the containers it is
\`docker-compose exec tankeeper node bin/tankeeper.js\`.

- Every command works while the server runs, also on the embedded database.
- \`serve\`, \`migrate\`, \`restore\` and \`demo\` create an installation. The other commands need one; without it they report
  where they looked and which variable to set.
- Passwords, PINs and keys come from a prompt or a file, never from the command line.
- Completion by the tabulator: \`source <(tankeeper completion bash)\` in \`.bashrc\`; zsh the same in \`.zshrc\`; fish
  \`tankeeper completion fish | source\`.
- \`config\` alone prints what is configured, secrets masked.
- \`--json\` prints for scripts. \`--help\` shows the options of a command and two examples.

## Commands

`;

/** @returns the text of docs/reference/commands.md */
export function commandsPage(): string {
  const rows = leaves(describedProgram());
  return (
    HEAD +
    markdownTable(
      ['command', 'purpose'],
      rows.map(({ path, command }) => [`\`${path}\``, command.description().replaceAll('|', String.raw`\|`)]),
    )
  );
}

/** A command that runs, and its words without the program's own name. */
interface Leaf {
  readonly path: string;
  readonly command: Command;
}

/** @returns the visible commands below one, in the order of the help */
function leaves(group: Command, above: readonly string[] = []): readonly Leaf[] {
  return group
    .createHelp()
    .visibleCommands(group)
    .filter((command) => command.name() !== 'help')
    .flatMap((command) => {
      const words = [...above, command.name()];
      return command.commands.length === 0 ? [{ path: words.join(' '), command }] : leaves(command, words);
    });
}

/** @returns the program; its declarations use only the width of the terminal and the name of a folder */
function describedProgram(): Command {
  const dependencies = { io: { columns: 80 }, homeFolder: '~', version: '0.0.0' };
  return buildProgram(dependencies as unknown as CliDependencies);
}
