import QRCode from 'qrcode/lib/core/qrcode.js';
import type { ReactNode } from 'react';
import classes from './qr-code.module.css';

interface QrCodeProps {
  readonly text: string;
  /** The purpose of the code, read aloud in its place. */
  readonly label: string;
}

/** Modules of white around the code (ISO/IEC 18004, 9.1). */
const QUIET_ZONE = 4;

/** A QR code, always dark on white: cameras do not read the reverse. */
export function QrCode({ text, label }: QrCodeProps): ReactNode {
  const { modules } = QRCode.create(text, { errorCorrectionLevel: 'L' });
  const edge = modules.size + 2 * QUIET_ZONE;
  return (
    <svg
      className={classes.code}
      viewBox={`0 0 ${edge} ${edge}`}
      role="img"
      aria-label={label}
      shapeRendering="crispEdges"
    >
      <rect width={edge} height={edge} fill="#fff" />
      <path d={pathOf(modules)} fill="#000" />
    </svg>
  );
}

/** @returns one horizontal line for each run of dark modules */
function pathOf({ size, data }: { readonly size: number; readonly data: Uint8Array }): string {
  const runs: string[] = [];
  for (let row = 0; row < size; row += 1) {
    for (let column = 0; column < size; column += 1) {
      const start = column;
      while (column < size && data[row * size + column] === 1) {
        column += 1;
      }
      if (column > start) {
        runs.push(`M${start + QUIET_ZONE} ${row + QUIET_ZONE}h${column - start}v1h-${column - start}z`);
      }
    }
  }
  return runs.join('');
}
