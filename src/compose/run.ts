import { runProgram } from '../cli/program.ts';
import { isServiceError } from '../kernel/errors.ts';
import { commandLineDependencies } from './command-line.ts';
import { bearLostTerminal } from './lost-terminal.ts';

/**
 * Runs the `tankeeper` command.
 * @param parameters the command line without the program's own name
 * @returns the exit code
 */
export async function run(parameters: readonly string[]): Promise<number> {
  bearLostTerminal();
  try {
    return await runProgram(parameters, commandLineDependencies());
  } catch (error) {
    if (!isServiceError(error)) {
      throw error;
    }
    process.stderr.write(`${error.message.replace(/^/gm, 'tankeeper: ')}\n`);
    return 1;
  }
}
