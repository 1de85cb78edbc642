import { styleText } from 'node:util';

/** A style of text on a terminal. */
export type TextStyle = 'bold' | 'cyan' | 'dim' | 'red' | 'green' | 'yellow';

/**
 * @param color as `CliIo` says: it knows the terminal, NO_COLOR and FORCE_COLOR
 * @returns the text with its style, or as it is where there are no colours
 */
export function applyStyle(style: TextStyle, text: string, color: boolean): string {
  // Later versions of Node would look at the standard output of the process by themselves.
  return color ? styleText(style, text, { validateStream: false }) : text;
}
