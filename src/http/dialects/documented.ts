import type { Shown } from '../answers.ts';
import type { Validated } from '../../challenges/validation-service.ts';
import type { CHECKED, STATE } from '../controllers/ocra-controller.ts';
import type { TRIGGERED } from '../controllers/validate-controller.ts';
import type { ENROLMENT_DETAIL, IMPORT_ENTRY } from '../controllers/tokens/enrolment-controller.ts';
import type {
  EnrolmentDialect,
  FailureDialect,
  LoginDialect,
  OcraDialect,
  ValidateDialect,
} from './dialect.ts';
import { asciiJson, envelopeId, type EnvelopeResult, type Reply } from '../reply.ts';
import type { RequestContext } from '../request/exchange.ts';
import type { IssuedChallenge } from '../../challenges/challenge-factory.ts';
import type { CheckedTransaction, StatusEntry } from '../../challenges/challenge-service.ts';
import { pictureReply, qrImageTag, SEED_WIDTH, seedUrl, URL_WIDTH } from '../qr-picture.ts';
import type { Enrolled } from '../../challenges/enrolment/enrolment.ts';
import { translate } from '../messages.ts';
import { failureForm } from '../failures.ts';
import { failureText } from './failure-text.ts';

/** The default version in answers. */
export const DOCUMENTED_VERSION = 'Tankeeper';

type Detail = Readonly<Record<string, unknown>>;

/** The envelope of the published interface description: version, jsonrpc, result, id, and an optional detail. */
export class DocumentedEnvelope {
  readonly #version: string;

  constructor(version: string) {
    this.#version = version;
  }

  /** @returns an answer with that result */
  reply(
    { parameters }: RequestContext,
    result: EnvelopeResult,
    { status = 200, detail }: { status?: number; detail?: Detail | undefined } = {},
  ): Reply {
    const envelope = {
      version: this.#version,
      jsonrpc: '2.0',
      result,
      id: envelopeId(parameters.get('id')),
      ...(detail !== undefined && { detail }),
    };
    return { status, contentType: 'application/json; charset=utf-8', body: asciiJson(envelope) };
  }

  /** @returns the answer to an operation that succeeded */
  value(context: RequestContext, value: unknown, detail?: Detail): Reply {
    return this.reply(context, { status: true, value }, { detail });
  }
}

/** @returns the outcomes of /ocra as published */
export function documentedOcra(envelope: DocumentedEnvelope): OcraDialect {
  return {
    activationCodeSource: (text) => text,
    issuedChallenge: (issued, context, picture) =>
      picture === undefined
        ? envelope.value(context, false, { transactionid: issued.transactionId, data: issued.url })
        : pictureReply(picture, issued.url, challengeFacts(issued)),
    checkedTransaction: (checked, context) => envelope.value(context, checkedValue(checked)),
    transactionStatus: (entries, context) => envelope.value(context, entries.map(statusValue)),
  };
}

function challengeFacts({ serial, data, transactionId }: IssuedChallenge): Record<string, string> {
  return { serial, data, transactionid: transactionId };
}

function checkedValue({ failCount, result, declined }: CheckedTransaction): Shown<typeof CHECKED> {
  return { failcount: failCount, result, ...(declined !== undefined && { declined }) };
}

function statusValue(entry: StatusEntry): Shown<typeof STATE> {
  return {
    serial: entry.serial,
    transactionid: entry.transactionId,
    received_tan: entry.receivedTan,
    valid_tan: entry.validTan,
    failcount: entry.failCount,
    ...(entry.declined !== undefined && { declined: entry.declined }),
  };
}

/** @returns the outcomes of /validate as published */
export function documentedValidate(envelope: DocumentedEnvelope): ValidateDialect {
  return {
    validated: (validated, context, value = validated === true) =>
      envelope.value(context, value, triggeredDetail(validated)),
    validatedTransaction: ({ failCount, result }, context) =>
      envelope.value(context, { failcount: failCount, value: result }),
  };
}

function triggeredDetail(validated: Validated): Shown<typeof TRIGGERED> | undefined {
  if (typeof validated === 'boolean') {
    return undefined;
  }
  const { transactionId, url, prompt, serial } = validated;
  return { transactionid: transactionId, data: url, message: prompt, serial };
}

type ImportEntry = Shown<typeof IMPORT_ENTRY>;

/** @returns the outcomes of /admin/init and /admin/loadtokens as published */
export function documentedEnrolment(envelope: DocumentedEnvelope): EnrolmentDialect {
  return {
    enrolled: (enrolled, context, picture) => {
      if (picture === undefined) {
        return envelope.value(context, true, enrolmentDetail(enrolled));
      }
      const { text, facts } = enrolmentPicture(enrolled);
      return pictureReply(picture, text, facts);
    },
  };
}

/** @returns the `detail` of the answer to /admin/init */
function enrolmentDetail(enrolled: Enrolled): Shown<typeof ENROLMENT_DETAIL> {
  switch (enrolled.kind) {
    case 'phase1':
      return {
        app_import: enrolled.appImport,
        serial: enrolled.serial,
        ocraurl: ocraUrl(enrolled.appImport),
        sharedsecret: enrolled.sharedSecret,
      };
    case 'phase2':
      return {
        serial: enrolled.serial,
        nonce: enrolled.nonce,
        transactionid: enrolled.transactionId,
        challenge: enrolled.question,
        url: enrolled.callbackUrl,
        signature: enrolled.signature,
        app_import: enrolled.appImport,
        ocraurl: ocraUrl(enrolled.appImport),
      };
    case 'plain':
      return {
        serial: enrolled.serial,
        ocraurl: { img: '', order: '0', value: null, description: translate('enrolment/url', 'en') },
        otpkey: seed(enrolled.otpkey),
      };
  }
}

/** @returns the content of the QR code of an enrolment, and the facts that a page shows below it */
function enrolmentPicture(enrolled: Enrolled): { text: string; facts: Record<string, string> } {
  const { serial } = enrolled;
  switch (enrolled.kind) {
    case 'phase1': {
      const { appImport, sharedSecret } = enrolled;
      return { text: appImport, facts: { serial, app_import: appImport, sharedsecret: sharedSecret } };
    }
    case 'phase2': {
      const { appImport, transactionId } = enrolled;
      return { text: appImport, facts: { serial, app_import: appImport, transactionid: transactionId } };
    }
    case 'plain':
      return { text: seedUrl(enrolled.otpkey), facts: { serial, otpkey: enrolled.otpkey } };
  }
}

function ocraUrl(url: string): ImportEntry {
  return {
    img: qrImageTag(url, { width: URL_WIDTH }),
    order: '0',
    value: url,
    description: translate('enrolment/url', 'en'),
  };
}

function seed(otpkey: string): ImportEntry {
  const url = seedUrl(otpkey);
  return {
    img: qrImageTag(url, { width: SEED_WIDTH }),
    order: '1',
    value: url,
    description: translate('enrolment/seed', 'en'),
  };
}

const REFUSED = {
  code: failureForm('authentication.required').legacyCode,
  message: 'Wrong user name or password',
} as const;

/** @returns the outcomes of /admin/login and /admin/logout as published */
export function documentedLogin(envelope: DocumentedEnvelope): LoginDialect {
  return {
    loggedIn: (_administrator, context) => envelope.value(context, true),
    loginRefused: (context) => envelope.reply(context, { status: false, error: REFUSED }, { status: 401 }),
    loggedOut: (_administrator, context) => envelope.value(context, true),
  };
}

/** @returns the answers to failed requests as published; the published interface is in English */
export function documentedFailures(envelope: DocumentedEnvelope): FailureDialect {
  return {
    errorCode: ({ form }) => form.legacyCode,
    failure: (failure, context) => {
      const error = {
        code: failure.form.legacyCode,
        message: failureText(failure, { usage: context.usage, language: 'en' }),
      };
      return envelope.reply(context, { status: false, error }, { status: failure.status });
    },
  };
}
