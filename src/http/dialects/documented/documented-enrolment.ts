import type { Enrolled } from '../../../challenges/enrolment/enrolment.ts';
import { qrImageTag } from '../../qr-picture.ts';

const URL_WIDTH = 250;
const SEED_WIDTH = 200;
const URL_DESCRIPTION = 'URL for OCRA token';

/** Something to import into an app: as text, and as a QR code. */
interface ImportEntry {
  /** An `<img>`; empty where there is nothing to import. */
  readonly img: string;
  /** The place among several, as a text. */
  readonly order: string;
  readonly value: string | null;
  readonly description: string;
}

/** @returns the `detail` of the answer to /admin/init */
export async function enrolmentDetail(enrolled: Enrolled): Promise<Record<string, unknown>> {
  switch (enrolled.kind) {
    case 'phase1':
      return {
        app_import: enrolled.appImport,
        serial: enrolled.serial,
        ocraurl: await ocraUrl(enrolled.appImport),
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
        ocraurl: await ocraUrl(enrolled.appImport),
      };
    case 'plain':
      return {
        serial: enrolled.serial,
        ocraurl: { img: '', order: '0', value: null, description: URL_DESCRIPTION },
        otpkey: await seed(enrolled.otpkey),
      };
  }
}

/** @returns what the QR code of an enrolment says, and what a page shows below it */
export function enrolmentPicture(enrolled: Enrolled): { text: string; facts: Record<string, string> } {
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

async function ocraUrl(url: string): Promise<ImportEntry> {
  return {
    img: await qrImageTag(url, { width: URL_WIDTH }),
    order: '0',
    value: url,
    description: URL_DESCRIPTION,
  };
}

async function seed(otpkey: string): Promise<ImportEntry> {
  const url = seedUrl(otpkey);
  return {
    img: await qrImageTag(url, { width: SEED_WIDTH }),
    order: '1',
    value: url,
    description: 'OTP seed',
  };
}

function seedUrl(otpkey: string): string {
  return `seed://${otpkey}`;
}
