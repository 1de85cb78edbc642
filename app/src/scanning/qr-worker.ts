import jsQR from 'jsqr';
import type { PixelImage, ReadAnswer } from './qr-reader.ts';

// A thread of its own: jsQR takes up to half a second for a large picture on a phone.
self.addEventListener('message', ({ data }: MessageEvent<PixelImage>) => {
  const found = jsQR(data.pixels, data.width, data.height, { inversionAttempts: 'attemptBoth' });
  const answer: ReadAnswer = { text: found === null || found.data === '' ? null : found.data };
  self.postMessage(answer);
});
