import type { Enrolled } from '../../challenges/enrolment/enrolment.ts';
import type { Shown } from '../answers.ts';
import { type Language, translate } from '../messages.ts';
import { SEED_WIDTH, seedUrl, URL_WIDTH } from '../qr-picture.ts';
import type { ENROLMENT_DETAIL, IMPORT_ENTRY } from './ocra-answers.ts';

/** What differs by dialect. */
interface EnrolmentForm {
  readonly language: Language;
  /** @returns an `<img>` with the QR code */
  readonly image: (text: string, width: number) => string;
  /** @returns the image where there is no URL to import */
  readonly noImage: () => string;
}

/** @returns the `detail` of the answer to /admin/init in the order of LinOTP 2.12.6, always with the serial */
export function enrolmentDetail(enrolled: Enrolled, form: EnrolmentForm): Shown<typeof ENROLMENT_DETAIL> {
  switch (enrolled.kind) {
    case 'phase1':
      return {
        app_import: enrolled.appImport,
        serial: enrolled.serial,
        ocraurl: ocraUrl(enrolled.appImport, form),
        sharedsecret: enrolled.sharedSecret,
      };
    case 'phase2':
      return {
        nonce: enrolled.nonce,
        app_import: enrolled.appImport,
        ocraurl: ocraUrl(enrolled.appImport, form),
        url: enrolled.callbackUrl,
        challenge: enrolled.question,
        signature: enrolled.signature,
        transactionid: enrolled.transactionId,
        serial: enrolled.serial,
      };
    case 'plain':
      return {
        serial: enrolled.serial,
        ocraurl: {
          img: form.noImage(),
          order: '0',
          value: null,
          description: translate('enrolment/url', form.language),
        },
        otpkey: seed(enrolled.otpkey, form),
      };
    case 'pass': {
      const { serial, otpkey, keyUri } = enrolled;
      return {
        ...(otpkey !== undefined && { otpkey: seed(otpkey, form) }),
        serial,
        ...(keyUri !== undefined && {
          googleurl: {
            ...ocraUrl(keyUri, form),
            description: translate('enrolment/key-uri', form.language),
          },
        }),
      };
    }
  }
}

function ocraUrl(url: string, { image, language }: EnrolmentForm): Shown<typeof IMPORT_ENTRY> {
  return {
    img: image(url, URL_WIDTH),
    order: '0',
    value: url,
    description: translate('enrolment/url', language),
  };
}

function seed(otpkey: string, { image, language }: EnrolmentForm): Shown<typeof IMPORT_ENTRY> {
  const url = seedUrl(otpkey);
  return {
    img: image(url, SEED_WIDTH),
    order: '1',
    value: url,
    description: translate('enrolment/seed', language),
  };
}

/** The content of a QR code, and the facts that a page shows below it, in the order of LinOTP 2.12.6. */
interface PicturedEnrolment {
  readonly text: string;
  readonly facts: readonly (readonly [name: string, value: string])[];
}

export function picturedEnrolment(enrolled: Enrolled): PicturedEnrolment {
  const serial = ['serial', enrolled.serial] as const;
  switch (enrolled.kind) {
    case 'phase1': {
      const { appImport, sharedSecret } = enrolled;
      return { text: appImport, facts: [['app_import', appImport], serial, ['sharedsecret', sharedSecret]] };
    }
    case 'phase2': {
      const { appImport, transactionId } = enrolled;
      return {
        text: appImport,
        facts: [['app_import', appImport], ['transactionid', transactionId], serial],
      };
    }
    case 'plain':
      return { text: seedUrl(enrolled.otpkey), facts: [['otpkey', enrolled.otpkey], serial] };
    case 'pass': {
      const { keyUri, otpkey } = enrolled;
      return {
        text: keyUri ?? (otpkey === undefined ? enrolled.serial : seedUrl(otpkey)),
        facts: [serial],
      };
    }
  }
}
