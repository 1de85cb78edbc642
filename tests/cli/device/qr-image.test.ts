import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { PNG } from 'pngjs';
import { drawQrText, writeQrPng } from '../../../src/cli/device/qr-code.ts';
import { readQrCode } from '../../support/values/qr-code.ts';
import { temporaryFolder } from '../../support/values/temporary-folder.ts';

const temporary = temporaryFolder();

const [MAX_LENGTH = ''] = (
  await readFile(new URL('../../vectors/linotp-lseqr-url.jsonl', import.meta.url), 'utf8')
)
  .trim()
  .split('\n')
  .map((line) => (JSON.parse(line) as { data: string }).data)
  .sort((left, right) => right.length - left.length);

it.each(['lseqr://req?me=%C3%9C&u=x&ch=1&tr=2&si=3', MAX_LENGTH])(
  'a QR code is written as a picture: %s',
  async (text) => {
    const file = join(temporary, `${text.length}.png`);
    await writeQrPng(file, text);
    expect(readQrCode(await readFile(file))).toBe(text);
  },
);

describe('a QR code on the terminal', () => {
  it('is black on white where colours may be used, line by line', async () => {
    const plain = await drawQrText('lseqr://x', { color: false });
    const colored = await drawQrText('lseqr://x', { color: true });
    expect(colored).toBe(
      plain
        .split('\n')
        .map((line) => `\u001b[30;107m${line}\u001b[0m`)
        .join('\n'),
    );
  });

  it('can be read back from its block characters', async () => {
    const drawn = await drawQrText(MAX_LENGTH, { color: false });
    expect(readQrCode(PNG.sync.write(pictureOf(drawn)))).toBe(MAX_LENGTH);
  });
});

/** Turns each half of a block character into four by four pixels. */
function pictureOf(drawn: string): PNG {
  const lines = drawn.split('\n');
  const rows = lines.flatMap((line) => [
    Array.from(line).map((block) => block === '█' || block === '▀'),
    Array.from(line).map((block) => block === '█' || block === '▄'),
  ]);
  const side = (Math.max(...rows.map(({ length }) => length)) + 8) * 4;
  const picture = new PNG({ width: side, height: side });
  picture.data.fill(255);
  rows.forEach((row, y) => {
    row.forEach((dark, x) => {
      for (let pixel = 0; dark && pixel < 16; pixel += 1) {
        const at = ((4 * (y + 4) + (pixel >> 2)) * side + 4 * (x + 4) + (pixel & 3)) * 4;
        picture.data.fill(0, at, at + 3);
      }
    });
  });
  return picture;
}
