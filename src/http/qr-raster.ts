import type { BilevelPicture } from './bilevel-png.ts';

/** The modules of a QR code, row by row: 1 is dark. */
export interface QrModules {
  /** Modules a side. */
  readonly size: number;
  readonly data: Uint8Array;
}

/** Light modules around a code, which readers need to find it (ISO/IEC 18004 §6.3.8). */
const QUIET_ZONE = 4;
/** Pixels a module where no width is given, or one that is too small. */
const SCALE = 4;

/** @param width of the picture in pixels; a width below one pixel a module is ignored */
export function rasterQrCode({ size, data }: QrModules, width?: number): BilevelPicture {
  const modules = size + 2 * QUIET_ZONE;
  const scale = width !== undefined && width >= modules ? width / modules : SCALE;
  const side = Math.floor(modules * scale);
  const positions = modulePositions(side, scale);
  const rowsOfModules = Array.from({ length: size }, (_, row) =>
    packRow(data.subarray(row * size, (row + 1) * size), positions),
  );
  const light = packRow(new Uint8Array(size), positions);
  return { width: side, rows: Array.from(positions, (row) => rowsOfModules[row] ?? light) };
}

/** The position of a pixel in the quiet zone. */
const OUTSIDE = -1;

/** @returns for each pixel of a side, the module that it shows */
function modulePositions(side: number, scale: number): Int16Array {
  const margin = QUIET_ZONE * scale;
  const positions = new Int16Array(side).fill(OUTSIDE);
  for (let pixel = Math.ceil(margin); pixel < side - margin; pixel += 1) {
    positions[pixel] = Math.floor((pixel - margin) / scale);
  }
  return positions;
}

/** @param modules a row of them */
function packRow(modules: Uint8Array, positions: Int16Array): Uint8Array {
  const row = new Uint8Array(Math.ceil(positions.length / 8)).fill(0xff);
  for (let pixel = 0; pixel < positions.length; pixel += 1) {
    const position = positions[pixel] ?? OUTSIDE;
    if (position !== OUTSIDE && modules[position] === 1) {
      row[pixel >> 3] = (row[pixel >> 3] ?? 0) ^ (0x80 >> (pixel & 7));
    }
  }
  return row;
}
