import { spawn } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';

/** The input at the prompts of a roll-out and of a challenge, by the text since the last answer. */
const ANSWERS: readonly (readonly [prompt: RegExp, answer: (text: string) => string])[] = [
  [/Activation code \(Enter for a new one/, () => ''],
  [/Response [^\n]*: /, (text) => /response {2}(\d+)/.exec(text)?.[1] ?? 'nothing is shown'],
];

/**
 * Runs a command at a terminal and types at its prompts what docs/guides/getting-started.md says.
 * @returns the content of the terminal
 * @throws with that if the command fails
 */
export function answerAtTerminal(
  command: string,
  cwd: string,
  environment: Readonly<Record<string, string>>,
): Promise<string> {
  const child = spawn('script', ['-qefc', command, '/dev/null'], {
    cwd,
    env: { ...environment, TERM: 'dumb' },
  });
  let shown = '';
  let answered = 0;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    shown += text;
    const rest = stripVTControlCharacters(shown).slice(answered);
    const answer = ANSWERS.find(([prompt]) => prompt.test(rest));
    if (answer !== undefined) {
      answered = stripVTControlCharacters(shown).length;
      child.stdin.write(`${answer[1](rest)}\r`);
    }
  });
  return new Promise((resolve, reject) => {
    child.once('close', (code) => {
      const text = stripVTControlCharacters(shown);
      if (code === 0) {
        resolve(text);
      } else {
        reject(new Error(`${command} ended with ${String(code)}:\n${text}`));
      }
    });
  });
}
