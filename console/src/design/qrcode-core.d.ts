/** The part of `qrcode` that makes codes; the rest of it draws them in ways that are not used. */
declare module 'qrcode/lib/core/qrcode.js' {
  import type { QRCode, QRCodeOptions } from 'qrcode';
  const core: { create(text: string, options?: QRCodeOptions): QRCode };
  export default core;
}
