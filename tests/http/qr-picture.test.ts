import { describe, expect, it } from '@jest/globals';
import { drawQrCode } from '../../src/http/qr-picture.ts';
import { readQrCode } from '../support/values/qr-code.ts';

describe('drawQrCode', () => {
  it('draws text of any language', async () => {
    const text = 'lseqr://req?me=ä€\u{1f600}';
    expect(readQrCode(await drawQrCode(text))).toBe(text);
  });

  it('draws the longest text that a QR code holds', async () => {
    expect((await drawQrCode('x'.repeat(2_953))).subarray(1, 4).toString()).toBe('PNG');
  });

  it('names the text that is too long', async () => {
    await expect(drawQrCode('x'.repeat(2_954))).rejects.toMatchObject({ code: 'challenge.too-long' });
  });
});
