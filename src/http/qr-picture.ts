import { encodeQR } from 'qr';
import { crc32, deflateSync } from 'node:zlib';
import { ServiceError } from '../kernel/errors.ts';
import { escapeHtml, htmlPage, htmlReply, type Reply } from './reply.ts';
import { optional } from './request/parameters.ts';

/** The QR code that a client requests by the parameters `qr` and `width`. */
export interface QrOptions {
  /** `png` the picture itself, `image` an `<img>` to be embedded in a page, `page` a whole page. */
  readonly form: 'png' | 'image' | 'page';
  /** Pixels. */
  readonly width: number | undefined;
}

/** The most bytes that a code with the better error correction holds (ISO/IEC 18004: version 40, level M). */
const LEVEL_M_BYTES = 2_331;
/** Light modules around a code, which readers need to find it (ISO/IEC 18004 §6.3.8). */
const QUIET_ZONE = 4;
/** Pixels a module where no width is given, or one that is too small. */
const SCALE = 4;
const WIDTHS = { min: 50, max: 2_000 };

/** The parameters of endpoints that draw a QR code. */
export const QR_PARAMETERS = {
  qr: optional(
    'answers with a QR code: `png` the picture, `img` or `embed` an `<img>`, any other value a page',
  ),
  width: optional(`width of the QR code in pixels, ${WIDTHS.min} to ${WIDTHS.max}`),
} as const;

/**
 * @returns the picture requested; undefined where none is
 * @throws ServiceError 'parameter.invalid' for a width out of range
 */
export function readQrOptions({
  qr,
  width,
}: {
  readonly qr?: string | undefined;
  readonly width?: string | undefined;
}): QrOptions | undefined {
  if (qr === undefined) {
    return undefined;
  }
  const form = qr === 'png' ? 'png' : qr === 'img' || qr === 'embed' ? 'image' : 'page';
  return { form, width: readWidth(width) };
}

function readWidth(text: string | undefined): number | undefined {
  if (text === undefined || text === '') {
    return undefined;
  }
  const width = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (width < WIDTHS.min || width > WIDTHS.max) {
    throw new ServiceError(
      'parameter.invalid',
      `The parameter 'width' must be a whole number from ${WIDTHS.min} to ${WIDTHS.max}`,
    );
  }
  return width;
}

/**
 * Draws a QR code.
 * @param width of the picture in pixels; a width below one pixel a module is ignored
 * @returns a PNG
 * @throws ServiceError 'challenge.too-long' where no QR code holds the text
 */
export function drawQrCode(text: string, width?: number): Buffer {
  const modules = encode(text);
  const side = width !== undefined && width >= modules.length ? width : SCALE * modules.length;
  return encodeBilevelPng(modules, side);
}

/** @returns the modules with their quiet zone, row by row; true is dark */
function encode(text: string): readonly (readonly boolean[])[] {
  const ecc = Buffer.byteLength(text, 'utf8') <= LEVEL_M_BYTES ? 'medium' : 'low';
  try {
    return encodeQR(text, 'raw', { ecc, border: QUIET_ZONE });
  } catch (cause) {
    throw new ServiceError('challenge.too-long', 'The data is too long for a QR code', { cause });
  }
}

/** @returns an `<img>` that holds the QR code of the text */
export function qrImageTag(
  text: string,
  { width, alt }: { width?: number | undefined; alt?: string },
): string {
  const png = drawQrCode(text, width);
  const attributes = [
    'id="challenge_qrcode"',
    ...(alt === undefined ? [] : [`alt="${escapeHtml(alt)}"`]),
    ...(width === undefined ? [] : [`width="${width}"`]),
    `src="data:image/png;base64,${png.toString('base64')}"`,
  ];
  return `<img ${attributes.join(' ')}>`;
}

/**
 * @param text the content of the QR code
 * @param facts shown below the code on a page, by name
 */
export function pictureReply(
  { form, width }: QrOptions,
  text: string,
  facts: Readonly<Record<string, string>>,
): Reply {
  if (form === 'png') {
    return { status: 200, contentType: 'image/png', body: drawQrCode(text, width) };
  }
  const image = qrImageTag(text, { width, alt: text });
  if (form === 'image') {
    return htmlReply(image);
  }
  const items = Object.entries(facts).map(
    ([name, value]) =>
      `<li>${escapeHtml(name)}: <span class="${escapeHtml(name)}">${escapeHtml(value)}</span></li>`,
  );
  return htmlReply(htmlPage('QR code', `${image}\n<ul id="challenge_data">\n${items.join('\n')}\n</ul>`));
}

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
function encodeBilevelPng(squares: readonly (readonly boolean[])[], side: number): Buffer {
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

/** Pixels of the image of an URL. */
export const URL_WIDTH = 250;
/** Pixels of the image of a key. */
export const SEED_WIDTH = 200;

/**
 * @returns the URL from which apps import a key
 * @param otpkey hexadecimal
 */
export function seedUrl(otpkey: string): string {
  return `seed://${otpkey}`;
}
