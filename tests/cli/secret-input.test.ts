import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readSecret } from '../../src/cli/files.ts';
import { fakeIo } from './fake-io.ts';

const SOURCE = { name: 'Password of bert', option: '--password-file', file: undefined, isNew: false };

describe('a secret', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tankeeper-secret-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  async function fromFile(content: string | Buffer): Promise<string> {
    const file = join(folder, 'secret');
    await writeFile(file, content);
    return readSecret(fakeIo(), { ...SOURCE, file });
  }

  it('comes from a file, without the line end at its end', async () => {
    expect(await fromFile('s3cret\n')).toBe('s3cret');
    expect(await fromFile('s3cret\r\n')).toBe('s3cret');
  });

  it('keeps all else of the file: blanks, further line ends, a byte order mark', async () => {
    expect(await fromFile(' a b \n\n')).toBe(' a b \n');
    expect(await fromFile('\ufeffx')).toBe('\ufeffx');
  });

  it.each([
    ['empty', '', 'Password of bert is empty'],
    ['nothing but a line end', '\n', 'Password of bert is empty'],
    ['not UTF-8', Buffer.from([0xff, 0xfe]), 'Password of bert is not UTF-8 text'],
    ['far too long', 'x'.repeat(70_000), 'Password of bert is longer than 65536 bytes'],
  ])('is refused from a file that is %s', async (_what, content, message) => {
    await expect(fromFile(content)).rejects.toThrow(message);
  });

  it('is refused, with the reason, from a file that is not there', async () => {
    await expect(readSecret(fakeIo(), { ...SOURCE, file: join(folder, 'none') })).rejects.toThrow(
      /^cannot read .*none: there is no such file$/,
    );
  });

  it('comes from standard input for -, in however many parts', async () => {
    const io = fakeIo({ stdin: ['s3', 'cret', '\n'] });
    expect(await readSecret(io, { ...SOURCE, file: '-' })).toBe('s3cret');
  });

  it('stops reading standard input that does not end', async () => {
    const io = fakeIo({ stdin: Array.from({ length: 100 }, () => 'x'.repeat(1000)) });
    await expect(readSecret(io, { ...SOURCE, file: '-' })).rejects.toThrow('longer than');
  });

  it('is asked for once where it exists already', async () => {
    const io = fakeIo({ typed: ['s3cret'] });
    expect(await readSecret(io, SOURCE)).toBe('s3cret');
    expect(io.prompts).toEqual(['Password of bert: ']);
  });

  it('is asked for twice where it is new', async () => {
    const io = fakeIo({ typed: ['s3cret', 's3cret'] });
    expect(await readSecret(io, { ...SOURCE, isNew: true })).toBe('s3cret');
    expect(io.prompts).toHaveLength(2);
  });

  it('is refused when the two entries differ', async () => {
    const io = fakeIo({ typed: ['s3cret', 'secret'] });
    await expect(readSecret(io, { ...SOURCE, isNew: true })).rejects.toThrow('the two entries differ');
  });

  it('cannot be asked for where there is no terminal, and says what to do', async () => {
    await expect(readSecret(fakeIo(), SOURCE)).rejects.toThrow('give --password-file FILE');
  });
});
