import type {
  CheckedTransaction,
  IssuedChallenge,
  StatusEntry,
} from '../../../challenges/challenge-service.ts';
import { ServiceError } from '../../../kernel/errors.ts';
import type { RequestContext } from '../../request/exchange.ts';
import type { QrOptions } from '../../qr-picture.ts';
import type { Reply } from '../../reply.ts';
import type { OcraDialect } from '../dialect.ts';
import { linotpReply, linotpValue } from './linotp-envelope.ts';
import { linotpPicture } from './linotp-picture.ts';
import { inPython2Order } from './python2-key-order.ts';
import { looseRepr, plainRepr, unicodeRepr } from './linotp-python-text.ts';

/** @returns the outcomes of /ocra in the form of LinOTP 2.12.6 */
export function linotpOcra(version: string): OcraDialect {
  return {
    requiresDisplayData: false,
    waitsForStatus: false,
    activationCodeSource,
    issuedChallenge: (issued, context, picture) => issuedChallenge(version, issued, context, picture),
    checkedTransaction: (checked, context) => checkedTransaction(version, checked, context),
    transactionStatus: (entries) =>
      linotpValue(version, { values: entries.filter(isShown).map(statusValue) }),
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
      ? { failcount: checked.failCount, result: checked.result }
      : { failure: `No challenge for transaction ${unicodeRepr(transactionId)} found`, result: false },
  );
}

/** False for dropped challenges, which LinOTP deletes. */
function isShown({ dropped }: StatusEntry): boolean {
  return !dropped;
}

function statusValue(entry: StatusEntry): Record<string, unknown> {
  return {
    transactionid: entry.transactionId,
    timestamp: timestamp(entry.issuedAt),
    failcount: entry.failCount,
    active: entry.active ? 'True' : 'False',
    received_tan: entry.receivedTan,
    serial: entry.serial,
    id: Number(entry.id),
    valid_tan: entry.validTan,
  };
}

/** @returns a time as Python prints it: UTC, with microseconds */
function timestamp(time: Date): string {
  return time.toISOString().replace('T', ' ').replace('Z', '000');
}
