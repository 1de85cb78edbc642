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
  const { default: qrcode } = await import('qrcode');
  const { modules } = qrcode.create(text, { errorCorrectionLevel: 'L' });
  const shade = (row: number, column: number): 'dark' | 'light' => {
    const inside = Math.min(row, column) >= 0 && Math.max(row, column) < modules.size;
    return inside && modules.get(row, column) !== 0 ? 'dark' : 'light';
  };
  const side = Array.from({ length: modules.size + 2 * QUIET_ZONE }, (_, index) => index - QUIET_ZONE);
  const lines = side
    .filter((_, index) => index % 2 === 0)
    .map((row) => side.map((column) => BLOCKS[shade(row, column)][shade(row + 1, column)]).join(''));
  return lines.map((line) => (color ? BLACK_ON_WHITE + line + RESET : line)).join('\n');
}
