import { constants } from 'node:zlib';
import { PNG } from 'pngjs';
import { encodeQR } from 'qr';
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

/**
 * The most bytes of a code with the better error correction (ISO/IEC 18004: version 10, level M). Of denser ones, as
 * that of the second roll-out phase, cameras read fewer than they would lose by dirt: larger modules help more.
 */
const LEVEL_M_BYTES = 213;
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
  return encodePng(modules, side);
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

/**
 * Draws squares in greys, one byte a pixel.
 * @param squares of equal rows; true is black
 * @param side of the picture in pixels
 */
function encodePng(squares: readonly (readonly boolean[])[], side: number): Buffer {
  const shown = Array.from({ length: side }, (_, pixel) => Math.floor((pixel * squares.length) / side));
  const rows = squares.map((row) => Buffer.from(shown.map((square) => (row[square] === true ? 0 : 255))));
  const data = Buffer.concat(shown.flatMap((row) => rows[row] ?? []));
  // Only these are read of a `PNG`, which is a stream with room for colours: making one takes as long as all the rest.
  // eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment -- the library's types name no plain object
  const picture = { width: side, height: side, gamma: 0, data } as PNG;
  return PNG.sync.write(picture, {
    colorType: 0,
    inputColorType: 0,
    inputHasAlpha: false,
    // What differs from the row above: the rows of a code repeat.
    filterType: 2,
    deflateLevel: 3,
    deflateStrategy: constants.Z_RLE,
  });
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
