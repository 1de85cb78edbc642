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
import { failureText } from '../shared/failure-text.ts';
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
    issuedChallenge: async (issued, context, picture) =>
      picture === undefined
        ? value(context, false, { transactionid: issued.transactionId, data: issued.url })
        : pictureReply(picture, issued.url, challengeFacts(issued)),
    checkedTransaction: (checked, context) => value(context, checkedValue(checked)),
    transactionStatus: (entries, context) => value(context, entries.map(statusValue)),
    activationCode: (code, context) => value(context, { activationcode: code }),
    calculatedOtp: (otp, context) => value(context, { otp }),
    enrolled: async (enrolled, context, picture) => {
      if (picture === undefined) {
        return value(context, true, await enrolmentDetail(enrolled));
      }
      const { text, facts } = enrolmentPicture(enrolled);
      return pictureReply(picture, text, facts);
    },
    loggedIn: (_administrator, context) => value(context, true),
    loginRefused: (context) =>
      reply(
        context,
        { status: false, error: { code: LOGIN_REFUSED_CODE, message: LOGIN_REFUSED } },
        { status: 401 },
      ),
    loggedOut: (_administrator, context) => value(context, true),
    resynchronised: (done, context) => value(context, done),
    tokensLoaded: (count, context) => value(context, { imported: count }),
    validated: (result, context) => value(context, result),
    validatedTransaction: ({ failCount, result }, context) =>
      value(context, { failcount: failCount, value: result }),
    done: (context) => value(context, true),
    administration: DOCUMENTED_ADMINISTRATION,
    administered: (content, context) => value(context, content),
    tokenReport: (report, context) => reply(context, { status: true, ...tokenResult(report) }),
    userReport: (report, context) => reply(context, { status: true, ...userResult(report) }),
    activeUserReport: (report, context) => reply(context, { status: true, ...activeUserResult(report) }),
    configurationReport: (report, context) =>
      reply(context, { status: true, ...configurationResult(report) }),
    licenseReport: (report, context) => reply(context, { status: true, ...licenseResult(report) }),
    storageEncryption: (encrypted, context) => value(context, encrypted),
    errorCode: ({ form }) => form.legacyCode,
    failure: (failure, context) =>
      reply(
        context,
        {
          status: false,
          error: { code: failure.form.legacyCode, message: documentedText(failure, context) },
        },
        { status: failure.status },
      ),
  };
}

/** How answers are put into the envelope: a result as it is, or a success with its value. */
interface Replies {
  readonly reply: (
    context: RequestContext,
    result: EnvelopeResult,
    more?: { status?: number; detail?: Readonly<Record<string, unknown>> },
  ) => Reply;
  readonly value: (
    context: RequestContext,
    content: unknown,
    detail?: Readonly<Record<string, unknown>>,
  ) => Reply;
}

function repliesWith(version: string): Replies {
  const reply: Replies['reply'] = (context, result, { status = 200, detail } = {}) => ({
    status,
    contentType: 'application/json; charset=utf-8',
    body: asciiJson({
      version,
      jsonrpc: '2.0',
      result,
      id: envelopeId(context.parameters.get('id')),
      ...(detail !== undefined && { detail }),
    }),
  });
  return {
    reply,
    value: (context, content, detail) =>
      reply(context, { status: true, value: content }, detail === undefined ? {} : { detail }),
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

/** The published interface is in English. */
function documentedText(failure: Failure, { usage }: RequestContext): string {
  return failureText(failure, { usage, language: 'en' });
}
