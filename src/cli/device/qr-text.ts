/** Light modules around a code, which readers need to find it (ISO/IEC 18004 §6.3.8). */
const QUIET_ZONE = 4;

/** One character shows two modules: the upper and the lower one, dark or light. */
const BLOCKS = { dark: { dark: '█', light: '▀' }, light: { dark: '▄', light: ' ' } } as const;

const BLACK_ON_WHITE = '\u001b[30;107m';
const RESET = '\u001b[0m';

/**
 * Draws a QR code on the terminal.
 * @param options.color uses colours: then dark is dark on every terminal; otherwise dark modules have the terminal's
 *   text colour, so the code is inverted on a dark one, which most apps can read, too
 * @returns lines of block characters, two rows of the code a line
 */
export async function drawQrText(text: string, { color }: { color: boolean }): Promise<string> {
  // Loaded on use, as every other command would wait for the library, too.
  const { encodeQR } = await import('qr');
  const modules = encodeQR(text, 'raw', { ecc: 'low', border: QUIET_ZONE });
  const shade = (row: number, column: number): 'dark' | 'light' =>
    modules[row]?.[column] === true ? 'dark' : 'light';
  const side = [...modules.keys()];
  const lines = side
    .filter((row) => row % 2 === 0)
    .map((row) => side.map((column) => BLOCKS[shade(row, column)][shade(row + 1, column)]).join(''));
  return lines.map((line) => (color ? BLACK_ON_WHITE + line + RESET : line)).join('\n');
}
