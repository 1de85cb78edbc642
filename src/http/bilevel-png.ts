import { crc32, deflateSync } from 'node:zlib';

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
const GREYSCALE = 0;
/** The rows of a QR code repeat. A higher level saves a tenth of the size and takes twice the time. */
const DEFLATE_LEVEL = 3;

/**
 * Draws squares as a PNG of one bit a pixel, which no library writes as fast: docs/adr/0018-own-small-parts.md.
 * @param squares of equal rows; true is black
 * @param side of the picture in pixels
 * @see PNG specification, third edition, §5 and §11.2
 */
export function encodeBilevelPng(squares: readonly (readonly boolean[])[], side: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header.set([1, GREYSCALE], 8);
  const shown = Array.from({ length: side }, (_, pixel) => Math.floor((pixel * squares.length) / side));
  const rows = squares.map((row) => scanline(row, shown));
  // On the event loop: handing 10 kB to another thread takes longer than deflating them (0.02 ms).
  const data = deflateSync(Buffer.concat(shown.flatMap((row) => rows[row] ?? [])), { level: DEFLATE_LEVEL });
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('IDAT', data),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/**
 * @param shown the square of each pixel
 * @returns the filter 0, none, as filters help photographs; then eight pixels a byte, the leftmost in the highest bit, 1 is white
 */
function scanline(squares: readonly boolean[], shown: readonly number[]): Buffer {
  const line = Buffer.alloc(1 + Math.ceil(shown.length / 8), 0xff);
  line[0] = 0;
  shown.forEach((square, pixel) => {
    if (squares[square] === true) {
      line[1 + (pixel >> 3)] = (line[1 + (pixel >> 3)] ?? 0) ^ (0x80 >> (pixel & 7));
    }
  });
  return line;
}

/** @returns length, type, data and CRC (§5.3) */
function chunk(type: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}
