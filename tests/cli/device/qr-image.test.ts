import { readFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { PNG } from 'pngjs';
import { readQrPng, writeQrPng } from '../../../src/cli/device/qr-code.ts';
import { drawQrText } from '../../../src/cli/device/qr-code.ts';
import { drawQrCode } from '../../../src/http/qr-picture.ts';
import { temporaryFolder } from '../../support/values/temporary-folder.ts';

const [MAX_LENGTH = ''] = (
  await readFile(new URL('../../vectors/linotp-lseqr-url.jsonl', import.meta.url), 'utf8')
)
  .trim()
  .split('\n')
  .map((line) => (JSON.parse(line) as { data: string }).data)
  .sort((left, right) => right.length - left.length);

describe('a picture of a QR code', () => {
  const folder = temporaryFolder();
  const file = join(folder, 'code.png');

  it.each(['lseqr://req?me=%C3%9C&u=x&ch=1&tr=2&si=3', MAX_LENGTH])('is read: %s', async (text) => {
    await writeFile(file, drawQrCode(text));
    expect(await readQrPng(file)).toBe(text);
    await writeQrPng(`${file}.${text.length}`, text);
    expect(await readQrPng(`${file}.${text.length}`)).toBe(text);
  });

  it('is refused where there is no code in it', async () => {
    await writeFile(file, PNG.sync.write(new PNG({ width: 50, height: 50 })));
    await expect(readQrPng(file)).rejects.toThrow('there is no readable QR code in it');
  });

  it.each([
    ['empty', Buffer.alloc(0)],
    ['text', Buffer.from('lseqr://req?me=a&u=b&ch=c&tr=d&si=e')],
    ['a JPEG', Buffer.from('ffd8ffe000104a46494600010100000100010000ffdb0043', 'hex')],
  ])('is refused where it is %s', async (_what, content) => {
    await writeFile(file, content);
    await expect(readQrPng(file)).rejects.toThrow('is not a PNG picture of at most 16 MiB');
  });

  it('is refused where it is broken', async () => {
    const whole = PNG.sync.write(new PNG({ width: 50, height: 50 }));
    await writeFile(file, whole.subarray(0, 40));
    await expect(readQrPng(file)).rejects.toThrow('is not a PNG picture that can be read');
  });

  it('is refused by its header alone where it would fill the memory', async () => {
    const bomb = PNG.sync.write(new PNG({ width: 50, height: 50 }));
    bomb.writeUInt32BE(60_000, 16);
    bomb.writeUInt32BE(60_000, 20);
    await writeFile(file, bomb);
    await expect(readQrPng(file)).rejects.toThrow('larger than 4096 by 4096 pixels');
  });

  it('is refused where there is none', async () => {
    await expect(readQrPng(join(folder, 'none.png'))).rejects.toThrow('there is no such file');
  });
});

describe('a QR code on the terminal', () => {
  it('has no colours where none are wanted', async () => {
    const drawn = await drawQrText('lseqr://x', { color: false });
    expect(drawn).not.toContain('\u001b');
    expect(drawn).toContain('█');
  });

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

  it('has the quiet zone that readers need', async () => {
    const lines = (await drawQrText('lseqr://x', { color: false })).split('\n');
    expect([lines[0], lines[1], lines.at(-1)].join('').trim()).toBe('');
    expect(lines.every((line) => /^ {4}.* {4}$/.test(line))).toBe(true);
  });

  it('can be read back from its block characters', async () => {
    const drawn = await drawQrText(MAX_LENGTH, { color: false });
    const file = join(await mkdtemp(join(tmpdir(), 'tankeeper-qr-')), 'drawn.png');
    await writeFile(file, PNG.sync.write(pictureOf(drawn)));
    expect(await readQrPng(file)).toBe(MAX_LENGTH);
    await rm(join(file, '..'), { recursive: true });
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
