import { writeFile } from 'node:fs/promises';
import { CliFailure } from '../cli-failure.ts';
import { fileErrorText } from '../files.ts';
import { join } from 'node:path';
import type { CommandContext } from '../command-context.ts';
import { safeText } from '../../kernel/text.ts';

/** Light modules around a code, which readers need to find it (ISO/IEC 18004 §6.3.8). */
const QUIET_ZONE = 4;
/** Of a module in a picture. */
const PIXELS = 4;

/**
 * Writes the QR code as a new PNG that only its owner may read: codes of the roll-out hold secrets.
 * @throws CliFailure if it cannot be written, or the file exists: others may be able to read that
 */
export async function writeQrPng(file: string, text: string): Promise<void> {
  const [{ encodeQR }, { PNG: writer }] = await Promise.all([import('qr'), import('pngjs')]);
  const pixels = encodeQR(text, 'raw', { ecc: 'low', border: QUIET_ZONE, scale: PIXELS });
  const picture = new writer({ width: pixels.length, height: pixels.length });
  picture.data = Buffer.from(pixels.flat().map((isDark) => (isDark ? 0 : 255)));
  const png = writer.sync.write(picture, { colorType: 0, inputColorType: 0, inputHasAlpha: false });
  try {
    await writeFile(file, png, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    throw new CliFailure(`cannot write ${file}: ${fileErrorText(error)}`);
  }
}

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

/** Shows QR codes on the terminal, to a phone or to the virtual device. */
export class CodeReader {
  readonly #context: CommandContext;
  readonly #isVirtual: boolean;

  /** @param isVirtual the virtual device reads the codes, and shows its responses */
  constructor(context: CommandContext, isVirtual: boolean) {
    this.#context = context;
    this.#isVirtual = isVirtual;
  }

  /** To be called before a token or a challenge is made. @throws CliFailure if the virtual device cannot keep it */
  async requireDevice(): Promise<void> {
    if (this.#isVirtual) {
      const { requireWritableDevice } = await import('./device-file.ts');
      await requireWritableDevice(defaultDeviceFile(this.#context));
    }
  }

  /** @param activationCode the text that the user types into the app, for the code of the second roll-out phase */
  async show(url: string, activationCode = ''): Promise<void> {
    const { output, dependencies } = this.#context;
    output.say(await drawQrText(url, dependencies.io));
    if (this.#isVirtual) {
      await this.#read(url, activationCode);
    }
  }

  /** Waits until the code is read. */
  async awaitReading(): Promise<void> {
    if (!this.#isVirtual) {
      await this.#context.dependencies.io.readLine('Read the code with the app, then press Enter: ');
    }
  }

  async #read(url: string, activationCode: string): Promise<void> {
    const { deviceScreen, readByDevice } = await import('./virtual-device.ts');
    const answer = await readByDevice(this.#context, defaultDeviceFile(this.#context), url, {
      activationCode: () => Promise.resolve(activationCode),
      ocraPin: (serial) =>
        this.#context.knownSecret(`OCRA PIN of ${safeText(serial)}`, '--ocra-pin-file', undefined),
    });
    this.#context.output.say(deviceScreen(answer));
  }
}

/** @returns the file of the virtual device, unless an option names another one */
export function defaultDeviceFile({ dependencies }: CommandContext): string {
  return join(dependencies.homeFolder, '.tankeeper-device.json');
}
