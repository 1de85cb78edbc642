import type {
  CheckedTransaction,
  IssuedChallenge,
  StatusEntry,
} from '../../../challenges/challenge-service.ts';
import { asciiJson, envelopeId, type EnvelopeResult } from '../../envelope.ts';
import type { RequestContext } from '../../request/exchange.ts';
import { failureForm } from '../../failures.ts';
import { pictureReply } from '../../qr-picture.ts';
import type { Reply } from '../../reply.ts';
import type { Dialect, Failure } from '../dialect.ts';
import { DOCUMENTED_ADMINISTRATION } from './documented-administration.ts';
import { enrolmentDetail, enrolmentPicture } from './documented-enrolment.ts';
import {
  activeUserResult,
  configurationResult,
  licenseResult,
  tokenResult,
  userResult,
} from './documented-monitoring.ts';

const LOGIN_REFUSED_CODE = failureForm('authentication.required').legacyCode;
const LOGIN_REFUSED = 'Wrong user name or password';

/**
 * The dialect of the published interface description.
 * @param version what the answers carry as `version`
 */
export function createDocumentedDialect(version = 'Tankeeper'): Dialect {
  const { reply, value } = repliesWith(version);
  return {
    requiresDisplayData: true,
    repeatedInMonitoring: 'last',
    activationCodeSource: (given) => given,
    routes: (path) => [path],
    issuedChallenge: async (issued, asked, picture) =>
      picture === undefined
        ? value(asked, false, { transactionid: issued.transactionId, data: issued.url })
        : pictureReply(picture, issued.url, challengeFacts(issued)),
    checkedTransaction: (checked, asked) => value(asked, checkedValue(checked)),
    transactionStatus: (entries, asked) => value(asked, entries.map(statusValue)),
    activationCode: (code, asked) => value(asked, { activationcode: code }),
    calculatedOtp: (otp, asked) => value(asked, { otp }),
    enrolled: async (enrolled, asked, picture) => {
      if (picture === undefined) {
        return value(asked, true, await enrolmentDetail(enrolled));
      }
      const { text, facts } = enrolmentPicture(enrolled);
      return pictureReply(picture, text, facts);
    },
    loggedIn: (_administrator, asked) => value(asked, true),
    loginRefused: (asked) =>
      reply(
        asked,
        { status: false, error: { code: LOGIN_REFUSED_CODE, message: LOGIN_REFUSED } },
        { status: 401 },
      ),
    loggedOut: (_administrator, asked) => value(asked, true),
    resynchronised: (done, asked) => value(asked, done),
    tokensLoaded: (count, asked) => value(asked, { imported: count }),
    validated: (result, asked) => value(asked, result),
    validatedTransaction: ({ failCount, result }, asked) =>
      value(asked, { failcount: failCount, value: result }),
    done: (asked) => value(asked, true),
    administration: DOCUMENTED_ADMINISTRATION,
    administered: (content, asked) => value(asked, content),
    tokenReport: (report, asked) => reply(asked, { status: true, ...tokenResult(report) }),
    userReport: (report, asked) => reply(asked, { status: true, ...userResult(report) }),
    activeUserReport: (report, asked) => reply(asked, { status: true, ...activeUserResult(report) }),
    configurationReport: (report, asked) => reply(asked, { status: true, ...configurationResult(report) }),
    licenseReport: (report, asked) => reply(asked, { status: true, ...licenseResult(report) }),
    storageEncryption: (encrypted, asked) => value(asked, encrypted),
    errorCode: ({ form }) => form.legacyCode,
    failure: (failure, asked) =>
      reply(
        asked,
        { status: false, error: { code: failure.form.legacyCode, message: failureText(failure, asked) } },
        { status: failure.status },
      ),
  };
}

/** How answers are put into the envelope: a result as it is, or a success with its value. */
interface Replies {
  readonly reply: (
    asked: RequestContext,
    result: EnvelopeResult,
    more?: { status?: number; detail?: Readonly<Record<string, unknown>> },
  ) => Reply;
  readonly value: (
    asked: RequestContext,
    content: unknown,
    detail?: Readonly<Record<string, unknown>>,
  ) => Reply;
}

function repliesWith(version: string): Replies {
  const reply: Replies['reply'] = (asked, result, { status = 200, detail } = {}) => ({
    status,
    contentType: 'application/json; charset=utf-8',
    body: asciiJson({
      version,
      jsonrpc: '2.0',
      result,
      id: envelopeId(asked.given.get('id')),
      ...(detail !== undefined && { detail }),
    }),
  });
  return {
    reply,
    value: (asked, content, detail) =>
      reply(asked, { status: true, value: content }, detail === undefined ? {} : { detail }),
  };
}

function challengeFacts({ serial, data, transactionId }: IssuedChallenge): Record<string, string> {
  return { serial, data, transactionid: transactionId };
}

function checkedValue({ failCount, result }: CheckedTransaction): Record<string, unknown> {
  return { failcount: failCount, result };
}

function statusValue(entry: StatusEntry): Record<string, unknown> {
  return {
    serial: entry.serial,
    transactionid: entry.transactionId,
    received_tan: entry.receivedTan,
    valid_tan: entry.validTan,
    failcount: entry.failCount,
  };
}

function failureText({ error, form }: Failure, { usage }: RequestContext): string {
  const context = error.code === 'parameter.missing' && usage !== '' ? `Usage: ${usage} ` : '';
  return `${form.prefix}${context}${error.message}`;
}
