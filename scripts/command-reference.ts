import type { Command } from 'commander';
import type { CliDependencies } from '../src/cli/dependencies.ts';
import { buildProgram } from '../src/cli/program.ts';
import { markdownTable } from './markdown-table.ts';

const HEAD = `# Commands

<!-- Written by \`npm run docs:reference\` from the commands in src/cli/. -->

In a checkout, \`tankeeper\` is \`node bin/tankeeper.js\` (or run \`npm link\` once); in the containers it is
\`docker-compose exec tankeeper node bin/tankeeper.js\`. \`--help\` describes each command, with its options and two examples;
\`--json\` prints for scripts.

- Every command works while the server runs, also on the embedded database.
- Only \`serve\`, \`migrate\`, \`restore\` and \`demo\` create an installation.
- Passwords, PINs and keys come from a prompt or a file, never from the command line.

## Commands

`;

/** @returns the text of docs/reference/commands.md */
export function commandsPage(): string {
  const rows = below(describedProgram()).map((command) => {
    const words = leaves(command).map((path) => `\`${path}\``);
    const group = words.length === 0 ? '' : ` ${words.join(', ')}`;
    return [`\`${command.name()}\`${group}`, command.description().replaceAll('|', String.raw`\|`)];
  });
  return HEAD + markdownTable(['command', 'purpose'], rows);
}

/** @returns the words of the commands that run below a group, in the order of the help */
function leaves(group: Command, above: readonly string[] = []): readonly string[] {
  return below(group).flatMap((command) => {
    const words = [...above, command.name()];
    return command.commands.length === 0 ? [words.join(' ')] : leaves(command, words);
  });
}

function below(group: Command): readonly Command[] {
  return group
    .createHelp()
    .visibleCommands(group)
    .filter((command) => command.name() !== 'help');
}

/** @returns the program; its declarations use only the width of the terminal and the name of a folder */
export function describedProgram(): Command {
  const dependencies = { io: { columns: 80 }, homeFolder: '~', version: '0.0.0' };
  return buildProgram(dependencies as unknown as CliDependencies);
}
