import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseMultipart } from '../../../src/http/request/request-body.ts';

const TYPE = 'multipart/form-data; boundary=b';
const malformed = { code: 'request.malformed' };

function part(name: string, value: string, headers = ''): string {
  return `--b\r\nContent-Disposition: form-data; name="${name}"${headers}\r\n\r\n${value}\r\n`;
}

async function parse(body: string | Buffer, contentType = TYPE, most = 10): Promise<unknown> {
  return parseMultipart(contentType, Readable.from([Buffer.from(body)]), most);
}

describe('parseMultipart', () => {
  it('reads text fields in their order, repeated ones too', async () => {
    const body = `${part('a', 'ä\r\n&=+%41')}${part('a', '')}${part('b', 'x')}--b--\r\n`;
    await expect(parse(body)).resolves.toEqual([
      ['a', 'ä\r\n&=+%41'],
      ['a', ''],
      ['b', 'x'],
    ]);
  });

  it('reads a part with a file name as text, too', async () => {
    const body = `${part('data', 'hello', '; filename="x.txt"\r\nContent-Type: application/octet-stream')}--b--`;
    await expect(parse(body)).resolves.toEqual([['data', 'hello']]);
  });

  it('reads a long part whole', async () => {
    const long = 'x'.repeat(200_000);
    await expect(parse(`${part('a', long)}--b--`)).resolves.toEqual([['a', long]]);
  });

  it.each([
    ['no boundary anywhere', 'x'],
    ['another boundary than announced', '--c\r\nContent-Disposition: form-data; name="a"\r\n\r\nx\r\n--c--'],
    ['an end in the middle of the headers', '--b\r\nContent-Disp'],
    ['an end in the middle of a part', '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\nx'],
    ['no closing boundary', part('a', 'x')],
    ['a part without a name', '--b\r\nContent-Disposition: form-data\r\n\r\nx\r\n--b--'],
    [
      'a name that is not UTF-8',
      Buffer.concat([
        Buffer.from('--b\r\nContent-Disposition: form-data; name="'),
        Buffer.from([0xff]),
        Buffer.from('"\r\n\r\nx\r\n--b--'),
      ]),
    ],
  ])('refuses %s', async (_what, body) => {
    await expect(parse(body)).rejects.toMatchObject(malformed);
  });

  it.each(['multipart/form-data', 'multipart/form-data; boundary=', 'multipart/form-data; boundary'])(
    'refuses the content type %j',
    async (contentType) => {
      await expect(parse(`${part('a', 'x')}--b--`, contentType)).rejects.toMatchObject(malformed);
    },
  );

  it('refuses more parts than allowed', async () => {
    await expect(parse(`${part('a', '1').repeat(11)}--b--`)).rejects.toMatchObject(malformed);
    await expect(parse(`${part('a', '1').repeat(10)}--b--`)).resolves.toHaveLength(10);
  });

  it('always comes to an end, whatever the bytes', async () => {
    const piece = fc.oneof(
      fc.constantFrom(
        '--b',
        '--b--',
        '\r\n',
        '\r\n\r\n',
        'Content-Disposition: form-data; name="a"',
        'b',
        '-',
        ':',
      ),
      fc.string(),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 12 }), async (pieces) => {
        const outcome = await parse(pieces.join('')).catch((error: unknown) => error);
        expect(Array.isArray(outcome) || (outcome as { code?: string }).code === 'request.malformed').toBe(
          true,
        );
      }),
    );
  });
});
