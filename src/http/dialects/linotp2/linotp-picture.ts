import { formEncode } from '../../../ocra/qrtan-url.ts';
import { escapeHtml } from '../../html.ts';
import { drawQrCode, type QrOptions } from '../../qr-picture.ts';
import { htmlReply, type Reply } from '../../reply.ts';

/**
 * @param alt form-encoded in the tag, and so harmless there
 * @returns an `<img>` with the blanks of LinOTP 2.12.6
 */
export function linotpImage(
  text: string,
  { alt, width }: { alt?: string; width?: number | undefined },
): string {
  const png = drawQrCode(text, width);
  const altText = alt === undefined ? '' : ` alt='${formEncode(alt)}' `;
  const widthText = width === undefined ? '' : ` width=${width} `;
  return `<img id="challenge_qrcode" ${altText}  ${widthText}  src="data:image/png;base64,${png.toString('base64')}"/>`;
}

/** A picture and the texts around it. */
export interface Pictured {
  /** The content of the QR code. */
  readonly text: string;
  /** The `alt` of an image outside a page. */
  readonly imageAlt: string;
  /** Shown below the code on a page, in this order. */
  readonly facts: readonly (readonly [name: string, value: string])[];
}

/** @returns the answer to a request with the parameter `qr` */
export function linotpPicture({ form, width }: QrOptions, { text, imageAlt, facts }: Pictured): Reply {
  if (form === 'png') {
    return { status: 200, contentType: 'image/png; charset=utf-8', body: drawQrCode(text, width) };
  }
  if (form === 'image') {
    return htmlReply(linotpImage(text, { alt: imageAlt, width }));
  }
  const items = facts.map(([name, value]) => {
    const [safeName, safeValue] = [escapeHtml(name), escapeHtml(value)];
    return `<li> ${safeName}: <span class="${safeName}">${safeValue}</span> </li>`;
  });
  const image = linotpImage(text, { alt: text, width });
  return htmlReply(
    `<html><body><div>${image}<ul id="challenge_data">${items.join(' ')}</ul></div></body></html>`,
  );
}
