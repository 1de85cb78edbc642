/** A part of a word: within quotation marks, after a backslash, or plain; an open quotation ends with the line. */
const PART = /'([^']*)(?:'|$)|"((?:[^"\\]|\\.)*)(?:"|$)|\\(.?)|([^\s'"\\]+)|(\s+)/gs;

/**
 * Splits a line as a shell does, and expands nothing in it.
 * @returns its words without quotation; the last one is being typed, and may be empty or have an open quotation
 */
export function splitShellLine(line: string): readonly string[] {
  const words = [''];
  for (const [, single, double, escaped, plain, blank] of line.trimStart().matchAll(PART)) {
    if (blank !== undefined) {
      words.push('');
    } else {
      const text = single ?? double?.replace(/\\(.)/gs, '$1') ?? escaped ?? plain ?? '';
      words.push(`${words.pop() ?? ''}${text}`);
    }
  }
  return words;
}
