import type { Enrolled } from '../../../challenges/enrolment/enrolment.ts';
import { pictureReply, qrImageTag } from '../../qr-picture.ts';
import { translate } from '../../messages/catalogue.ts';
import type { EnrolmentDialect } from '../dialect.ts';
import { SEED_WIDTH, seedUrl, URL_WIDTH } from '../shared/enrolment-images.ts';
import type { DocumentedEnvelope } from './documented-envelope.ts';

/** An URL or a key for import into an app: as text, and as a QR code. */
interface ImportEntry {
  /** An `<img>`; empty where there is nothing to import. */
  readonly img: string;
  /** The position among several entries, as a text. */
  readonly order: string;
  readonly value: string | null;
  readonly description: string;
}

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
function enrolmentDetail(enrolled: Enrolled): Record<string, unknown> {
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
