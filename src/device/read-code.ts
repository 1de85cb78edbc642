import { isServiceError, ServiceError } from '../kernel/errors.ts';
import { parseQrTanUrl, type QrTanFault, type QrTanUrl } from '../ocra/qrtan-url.ts';

/** No QR code holds more characters (ISO/IEC 18004, version 40-L, digits alone). */
const MAX_CODE_LENGTH = 7_089;

const QR_TAN = /^(?:web\+)?lseqr:/;
const APP_LINK = /^https?:\/\/[^#]*#link=([^&]*)/i;
const KINDS = ['init', 'nonce', 'req'] as const;

/** Other texts, by their beginning. */
const OTHERS: readonly (readonly [beginning: RegExp, fault: QrTanFault, is: string])[] = [
  [/^$/, 'empty', 'it is empty'],
  [
    /^otpauth:/i,
    'otpauth',
    'it is an otpauth:// code, for apps of one-time passwords (TOTP, HOTP), which are another system',
  ],
  [
    /^otpauth-migration:/i,
    'otpauth-migration',
    'it is an otpauth-migration:// code, an export of another app',
  ],
  [/^https?:/i, 'web-link', 'it is a link to a web page'],
];

/**
 * Reads a QR code, or a link that stands for one: `lseqr://…`, `web+lseqr://…`, or a web link that ends in
 * `#link=` and the percent-encoded code. White space around it is dropped.
 * @throws ServiceError 'qrtan-url.invalid', whose `fault` tells what the text is instead, or what is wrong with it. The
 *   message quotes no value.
 */
export function readCode(text: string): QrTanUrl {
  const code = codeText(text);
  if (!QR_TAN.test(code)) {
    const [, fault, is] = OTHERS.find(([beginning]) => beginning.test(code)) ?? [];
    throw refusedText(
      fault ?? 'other-text',
      is ?? 'it must begin with lseqr://init?, lseqr://req? or lseqr://nonce?',
    );
  }
  if (code.length > MAX_CODE_LENGTH) {
    throw refusedText('malformed', 'it is longer than any QR code');
  }
  try {
    return parseQrTanUrl(code);
  } catch (error) {
    if (isServiceError(error, 'qrtan-url.invalid')) {
      const { missing } = error.payload;
      throw new ServiceError('qrtan-url.invalid', error.message, {
        fault: missing === undefined ? faultOf(code) : 'torn',
        ...(missing !== undefined && { missing }),
      });
    }
    throw error;
  }
}

/**
 * @param text as for `readCode`
 * @returns the `lseqr://` text that it stands for
 */
export function codeText(text: string): string {
  const trimmed = text.trim();
  const linked = APP_LINK.exec(trimmed)?.[1];
  const code = linked === undefined ? trimmed : (decodeLink(linked) ?? trimmed);
  return code.startsWith('web+lseqr:') ? code.slice('web+'.length) : code;
}

/**
 * Makes callers show the signed text.
 * @returns the text over which the server computed the signature
 * @throws Error if `url` was read from another text
 */
export function signedText(url: QrTanUrl, text: string): string {
  if (JSON.stringify(readCode(text)) !== JSON.stringify(url)) {
    throw new Error('The code to be shown is not the one whose signature is to be verified.');
  }
  return codeText(text);
}

/** In a fragment, `+` stands for itself: the code has its own form encoding. */
function decodeLink(link: string): string | undefined {
  try {
    return decodeURIComponent(link).trim();
  } catch {
    return undefined;
  }
}

/** @param code that does not parse, though no parameter was found missing */
function faultOf(code: string): QrTanFault {
  const [, kind = '', query] = /^lseqr:\/{0,2}([^?]*)(?:\?(.*))?$/s.exec(code) ?? [];
  if (query === undefined) {
    return KINDS.some((known) => known.startsWith(kind)) ? 'torn' : 'unknown-kind';
  }
  if (!KINDS.some((known) => known === kind)) {
    return 'unknown-kind';
  }
  return isCutOff(kind, query) ? 'torn' : 'malformed';
}

const REQUIRED: Readonly<Record<string, readonly string[]>> = {
  init: ['sh', 'os'],
  nonce: ['ch', 'no', 'tr'],
  req: ['ch', 'tr'],
};

function isCutOff(kind: string, query: string): boolean {
  const pairs = query.split('&');
  const names = new Set(pairs.map((pair) => pair.split('=', 1)[0]));
  const isLastBroken = !/^[^=]+=(?:[^%]|%[0-9A-Fa-f]{2})*$/s.test(pairs.at(-1) ?? '');
  return isLastBroken || REQUIRED[kind]?.some((name) => !names.has(name)) === true;
}

function refusedText(fault: QrTanFault, is: string): ServiceError {
  return new ServiceError('qrtan-url.invalid', `Not a QR-TAN URL: ${is}.`, { fault });
}
