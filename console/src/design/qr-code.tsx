import { encodeQR } from 'qr';
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
  const modules = encodeQR(text, 'raw', { ecc: 'low', border: QUIET_ZONE });
  const edge = modules.length;
  const dark = modules.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : [])));
  return (
    <svg
      className={classes.code}
      viewBox={`0 0 ${edge} ${edge}`}
      role="img"
      aria-label={label}
      shapeRendering="crispEdges"
    >
      <rect width={edge} height={edge} fill="#fff" />
      <path d={dark.join('')} fill="#000" />
    </svg>
  );
}
