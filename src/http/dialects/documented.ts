import type { CheckedTransaction, IssuedChallenge, StatusEntry } from '../../ocra/ocra-service.ts';
import { asciiJson, envelopeId, type EnvelopeResult } from '../envelope.ts';
import type { Asked } from '../exchange.ts';
import { pictureReply } from '../qr-picture.ts';
import type { Reply } from '../reply.ts';
import type { Dialect, Failure } from './dialect.ts';
import { enrolmentDetail, enrolmentPicture } from './documented-enrolment.ts';
import {
  activeUserResult,
  configurationResult,
  licenseResult,
  tokenResult,
  userResult,
} from './documented-monitoring.ts';

/**
 * The dialect of the published interface description.
 * @param version what the answers carry as `version`
 */
export function createDocumentedDialect(version = 'Tankeeper'): Dialect {
  const reply = (
    asked: Asked,
    result: EnvelopeResult,
    { status = 200, detail }: { status?: number; detail?: Readonly<Record<string, unknown>> } = {},
  ): Reply => ({
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
  const value = (asked: Asked, content: unknown, detail?: Readonly<Record<string, unknown>>): Reply =>
    reply(asked, { status: true, value: content }, detail === undefined ? {} : { detail });

  return {
    requiresDisplayData: true,
    exampleActivationCode: undefined,
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
    resynchronised: (done, asked) => value(asked, done),
    validated: (result, asked) => value(asked, result),
    validatedTransaction: ({ failCount, result }, asked) =>
      value(asked, { failcount: failCount, value: result }),
    done: (asked) => value(asked, true),
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

function failureText({ error, form }: Failure, { usage }: Asked): string {
  const context = error.code === 'parameter.missing' && usage !== '' ? `Usage: ${usage} ` : '';
  return `${form.prefix}${context}${error.message}`;
}
