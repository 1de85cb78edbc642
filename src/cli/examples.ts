import type { AddHelpTextContext, Command } from 'commander';

/**
 * Examples for the end of a command's help, to be given to `addHelpText('after', …)`.
 * @param lines without the program's name; a test parses each of them
 */
export function examples(...lines: readonly string[]): (context: AddHelpTextContext) => string {
  return ({ command }) => {
    const title = styledTitle(command, 'Examples:');
    return ['', title, ...lines.map((line) => `  tankeeper ${line}`)].join('\n');
  };
}

/** Commander styles its own headings only. */
function styledTitle(command: Command, title: string): string {
  return command.createHelp().styleTitle(title);
}
