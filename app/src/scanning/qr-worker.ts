import jsQR from 'jsqr';
import type { ReadAnswer, ReadOrder } from './qr-reader.ts';
import { smoothImage } from './smooth-image.ts';

// A thread of its own: jsQR takes up to half a second for a large picture on a phone.
self.addEventListener('message', ({ data }: MessageEvent<ReadOrder>) => {
  const { pixels, width, height } = data.isSmooth ? smoothImage(data) : data;
  const found = jsQR(pixels, width, height, { inversionAttempts: 'attemptBoth' });
  const answer: ReadAnswer = { text: found === null || found.data === '' ? null : found.data };
  self.postMessage(answer);
});
