import { readFile, writeFile } from 'node:fs/promises';
import jsqr from 'jsqr';
import { PNG } from 'pngjs';
import qrcode from 'qrcode';
import { CliFailure } from '../cli-failure.ts';
import { fileErrorText } from '../secret-input.ts';

const LARGEST_FILE = 16 * 1024 * 1024;
const LARGEST_SIDE = 4096;
const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');

/**
 * Reads the QR code in a picture.
 * @param file a PNG of at most 4096 by 4096 pixels
 * @returns the text of the code
 * @throws CliFailure when it is no such picture or holds no readable code
 */
export async function readQrPng(file: string): Promise<string> {
  const bytes = await readPicture(file);
  const { data, width, height } = decodePng(bytes, file);
  const pixels = new Uint8ClampedArray(data.buffer, data.byteOffset, data.length);
  const code = jsqr.default(pixels, width, height);
  if (code === null || code.data === '') {
    throw new CliFailure(`${file}: there is no readable QR code in it`);
  }
  return code.data;
}

/**
 * @param options.color whether colours may be used: then dark is dark on every terminal
 * @returns the QR code as block characters, two rows of it a line, to be read from the screen
 */
export async function drawQrCode(text: string, { color }: { color: boolean }): Promise<string> {
  const options = { errorCorrectionLevel: 'L', margin: 2 } as const;
  const drawn = await (color
    ? qrcode.toString(text, { ...options, type: 'terminal', small: true })
    : qrcode.toString(text, { ...options, type: 'utf8' }));
  return drawn.trimEnd();
}

/**
 * Writes the QR code as a new PNG that only its owner may read: codes of the roll-out hold secrets.
 * @throws CliFailure when it cannot be written, or there is such a file: others may be able to read that
 */
export async function writeQrPng(file: string, text: string): Promise<void> {
  const picture = await qrcode.toBuffer(text, { errorCorrectionLevel: 'L' });
  try {
    await writeFile(file, picture, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    throw new CliFailure(`cannot write ${file}: ${fileErrorText(error)}`);
  }
}

async function readPicture(file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (error) {
    throw new CliFailure(`cannot read ${file}: ${fileErrorText(error)}`);
  }
}

function decodePng(bytes: Buffer, file: string): PNG {
  // The header first: a small file may claim a picture that fills the memory.
  if (bytes.length > LARGEST_FILE || bytes.length < 24 || !bytes.subarray(0, 8).equals(SIGNATURE)) {
    throw new CliFailure(`${file} is not a PNG picture of at most 16 MiB`);
  }
  if (bytes.readUInt32BE(16) > LARGEST_SIDE || bytes.readUInt32BE(20) > LARGEST_SIDE) {
    throw new CliFailure(`${file}: the picture is larger than ${LARGEST_SIDE} by ${LARGEST_SIDE} pixels`);
  }
  try {
    return PNG.sync.read(bytes);
  } catch {
    throw new CliFailure(`${file} is not a PNG picture that can be read`);
  }
}
