import { asciiJson, type EnvelopeResult, escapeHtml, htmlReply, type Reply } from '../reply.ts';
import { formEncode } from '../../ocra/qrtan-url.ts';
import { drawQrCode, type QrOptions } from '../qr-picture.ts';

/** The `version` in the answers of LinOTP 2.12.6. */
export const LINOTP_VERSION = 'LinOTP 2.12.6';

/** The variable parts of an answer of LinOTP 2.12.6. */
interface LinotpAnswer {
  readonly result: EnvelopeResult;
  /** 0 for a failure inside an operation, as recorded; default: 1. */
  readonly id?: 0 | 1;
  readonly detail?: Readonly<Record<string, unknown>> | undefined;
  readonly status?: number;
}

/** @returns an answer with the order of keys and the blanks of LinOTP 2.12.6 */
export function linotpReply(version: string, { result, id = 1, detail, status = 200 }: LinotpAnswer): Reply {
  const envelope = { ...(detail !== undefined && { detail }), version, jsonrpc: '2.0802', result, id };
  return { status, contentType: 'application/json; charset=utf-8', body: blankedJson(envelope) };
}

/** @returns the answer to an operation that succeeded */
export function linotpValue(version: string, value: unknown, detail?: LinotpAnswer['detail']): Reply {
  return linotpReply(version, { result: { status: true, value }, detail });
}

/** Adds LinOTP's blanks. Texts contain no bare line ends in JSON, so every line end belongs to the layout. */
function blankedJson(value: unknown): string {
  return asciiJson(value).replaceAll(',\n', ', \n');
}

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
