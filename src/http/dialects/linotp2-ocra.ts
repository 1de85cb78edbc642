import type { Shown } from '../answers.ts';
import { enrolmentDetail, picturedEnrolment } from './enrolment-detail.ts';
import type { LINOTP_STATE, LINOTP_TRIGGERED } from './ocra-answers.ts';
import type { IssuedChallenge } from '../../challenges/challenge-factory.ts';
import type { CheckedTransaction, StatusEntry } from '../../challenges/challenge-service.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { RequestContext } from '../request/exchange.ts';
import { type QrOptions, URL_WIDTH, drawQrCode } from '../qr-picture.ts';
import { type Reply, escapeHtml, htmlReply } from '../reply.ts';
import type { Dialect } from './dialect.ts';
import { linotpReply, linotpValue } from './linotp2-replies.ts';
import { inPython2Order, looseRepr, plainRepr, pythonTime, unicodeRepr } from './python-text.ts';
import type { Validated, ValidatedTransaction } from '../../validation/validation-service.ts';
import type { Enrolled } from '../../challenges/enrolment/enrolment.ts';
import { formEncode } from '../../ocra/qrtan-url.ts';

/** @returns the outcomes of /ocra, /validate and /admin/init in the form of LinOTP 2.12.6 */
export function linotpTokens(version: string): Pick<Dialect, 'ocra' | 'validate' | 'enrolment'> {
  return {
    ocra: {
      activationCodeSource,
      issuedChallenge: (issued, context, picture) => issuedChallenge(version, issued, context, picture),
      checkedTransaction: (checked, context) => checkedTransaction(version, checked, context),
      transactionStatus: (entries) =>
        linotpValue(version, { values: entries.filter(isShown).map(statusValue) }),
    },
    validate: {
      validated: (validated, _context, refusal, value = validated === true) => {
        const detail = triggeredDetail(validated) ?? refusal;
        const result =
          validated === 'not valid'
            ? { status: false as const, value: false as const }
            : { status: true as const, value };
        return linotpReply(version, { result, id: 0, detail });
      },
      validatedTransaction: (validated, context) => validatedTransaction(version, validated, context),
    },
    enrolment: {
      enrolled: (enrolled, context, picture) => enrolmentReply(version, enrolled, context, picture),
    },
  };
}

/** Accepts ASCII only, as LinOTP does; default: the word None, which LinOTP encodes. */
function activationCodeSource(text = 'None'): string {
  if (/[^\0-\x7f]/.test(text)) {
    throw new ServiceError('parameter.invalid', "The parameter 'activationcode' must be ASCII");
  }
  return text;
}

function issuedChallenge(
  version: string,
  issued: IssuedChallenge,
  context: RequestContext,
  picture: QrOptions | undefined,
): Reply {
  const { callbackUrl, url, transactionId, data, question } = issued;
  if (picture !== undefined) {
    return linotpPicture(picture, { text: url, imageAlt: challengeRepr(issued), facts: factsOf(context) });
  }
  const detail = {
    url: callbackUrl,
    data: url,
    transactionid: transactionId,
    message: data,
    challenge: question,
  };
  return linotpValue(version, true, detail);
}

/** @returns the detail as Python prints it, which LinOTP 2.12.6 puts into the `alt` of an image */
function challengeRepr({ callbackUrl, url, transactionId, data, question }: IssuedChallenge): string {
  const members = [
    `'url': ${looseRepr(callbackUrl)}`,
    `'data': ${plainRepr(url)}`,
    `'transactionid': ${plainRepr(transactionId)}`,
    `'message': ${looseRepr(data)}`,
    `'challenge': ${unicodeRepr(question)}`,
  ];
  return `{${members.join(', ')}}`;
}

/** Parameters that a page does not show: the session and the form of the picture. */
const HIDDEN = ['session', 'qr', 'width'];

/** @returns the parameters of the request, which the page repeats */
function factsOf({ parameters }: RequestContext): (readonly [string, string])[] {
  return Object.entries(inPython2Order(parameters)).filter(([name]) => !HIDDEN.includes(name));
}

function checkedTransaction(
  version: string,
  checked: CheckedTransaction,
  { parameters }: RequestContext,
): Reply {
  const transactionId = parameters.get('transactionid') ?? '';
  if (transactionId === '') {
    const value = "ERR77: Usage: ocra/check_t: validate a token request. Missing parameter 'transactionid'.";
    return linotpReply(version, { result: { status: true, value }, id: 0 });
  }
  return linotpValue(
    version,
    checked.known && !checked.dropped
      ? {
          failcount: checked.failCount,
          result: checked.result,
          ...(checked.declined !== undefined && { declined: checked.declined }),
        }
      : { failure: `No challenge for transaction ${unicodeRepr(transactionId)} found`, result: false },
  );
}

/** False for dropped challenges, which LinOTP deletes. */
function isShown({ dropped }: StatusEntry): boolean {
  return !dropped;
}

function statusValue(entry: StatusEntry): Shown<typeof LINOTP_STATE> {
  return {
    transactionid: entry.transactionId,
    timestamp: pythonTime(entry.issuedAt),
    failcount: entry.failCount,
    active: entry.active ? 'True' : 'False',
    received_tan: entry.receivedTan,
    serial: entry.serial,
    id: Number(entry.id),
    valid_tan: entry.validTan,
  };
}

/** LinOTP's four members, and after them the content of the picture, without which nobody could answer. */
function triggeredDetail(validated: Validated): Shown<typeof LINOTP_TRIGGERED> | undefined {
  if (typeof validated !== 'object') {
    return undefined;
  }
  const { transactionId, question, url, prompt, serial, tokenType } = validated;
  return tokenType === 'ocra2'
    ? { challenge: question, transactionid: transactionId, data: url }
    : {
        linotp_tokenserial: serial,
        transactionid: transactionId,
        message: prompt,
        linotp_tokentype: tokenType,
        data: url,
      };
}

function validatedTransaction(
  version: string,
  { token, failCount, result }: ValidatedTransaction,
  { parameters }: RequestContext,
): Reply {
  if (token === undefined) {
    const transactionId = parameters.get('transactionid') ?? '';
    const failure = `No challenge for transaction ${unicodeRepr(transactionId)} found`;
    return linotpValue(version, { failure, value: false });
  }
  const { serial, type } = token;
  return linotpValue(
    version,
    { failcount: failCount, value: result },
    { failcount: failCount, token_type: type, serial, value: result },
  );
}

function enrolmentReply(
  version: string,
  enrolled: Enrolled,
  { parameters, language }: RequestContext,
  picture: QrOptions | undefined,
): Reply {
  if (picture !== undefined) {
    const { text, facts } = picturedEnrolment(enrolled);
    return linotpPicture(picture, { text, imageAlt: text, facts });
  }
  const named = parameters.get('serial') ?? '';
  const detail = enrolmentDetail(enrolled, {
    language,
    image: (text, width) => linotpImage(text, { width }),
    // LinOTP encodes the word None here.
    noImage: () => linotpImage('None', { width: URL_WIDTH }),
  });
  // LinOTP leaves out the serial of a plain token. A client that did not choose it could then not use the token.
  const isLeftOut = enrolled.kind === 'plain' && named !== '';
  // What is undefined is not written.
  return linotpValue(version, true, isLeftOut ? { ...detail, serial: undefined } : detail);
}

/**
 * @param alt form-encoded in the tag, and so harmless there
 * @returns an `<img>` with the blanks of LinOTP 2.12.6
 */
function linotpImage(text: string, { alt, width }: { alt?: string; width?: number | undefined }): string {
  const png = drawQrCode(text, width);
  const altText = alt === undefined ? '' : ` alt='${formEncode(alt)}' `;
  const widthText = width === undefined ? '' : ` width=${width} `;
  return `<img id="challenge_qrcode" ${altText}  ${widthText}  src="data:image/png;base64,${png.toString('base64')}"/>`;
}

/** A picture and the texts around it. */
interface Pictured {
  /** The content of the QR code. */
  readonly text: string;
  /** The `alt` of an image outside a page. */
  readonly imageAlt: string;
  /** Shown below the code on a page, in this order. */
  readonly facts: readonly (readonly [name: string, value: string])[];
}

/** @returns the answer to a request with the parameter `qr` */
function linotpPicture({ form, width }: QrOptions, { text, imageAlt, facts }: Pictured): Reply {
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
