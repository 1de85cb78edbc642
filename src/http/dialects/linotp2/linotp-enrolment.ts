import type { Enrolled } from '../../../challenges/enrolment/enrolment.ts';
import type { RequestContext } from '../../request/exchange.ts';
import { translate } from '../../messages/catalogue.ts';
import type { Language } from '../../messages/languages.ts';
import type { QrOptions } from '../../qr-picture.ts';
import type { Reply } from '../../reply.ts';
import type { EnrolmentDialect } from '../dialect.ts';
import { SEED_WIDTH, seedUrl, URL_WIDTH } from '../shared/enrolment-images.ts';
import { linotpValue } from './linotp-envelope.ts';
import { linotpImage, linotpPicture, type Pictured } from './linotp-picture.ts';

/** @returns the outcomes of /admin/init and /admin/loadtokens in the form of LinOTP 2.12.6 */
export function linotpEnrolment(version: string): EnrolmentDialect {
  return {
    enrolled: (enrolled, context, picture) => enrolmentReply(version, enrolled, context, picture),
  };
}

function enrolmentReply(
  version: string,
  enrolled: Enrolled,
  { parameters, language }: RequestContext,
  picture: QrOptions | undefined,
): Reply {
  if (picture !== undefined) {
    return linotpPicture(picture, toPictured(enrolled));
  }
  const named = parameters.get('serial') ?? '';
  const detail = detailOf(enrolled, language);
  // LinOTP leaves out the serial of a plain token. A client that did not choose it could then not use the token.
  return linotpValue(
    version,
    true,
    enrolled.kind === 'plain' && named === '' ? { serial: enrolled.serial, ...detail } : detail,
  );
}

function detailOf(enrolled: Enrolled, language: Language): Record<string, unknown> {
  switch (enrolled.kind) {
    case 'phase1':
      return {
        app_import: enrolled.appImport,
        serial: enrolled.serial,
        ocraurl: ocraUrl(enrolled.appImport, language),
        sharedsecret: enrolled.sharedSecret,
      };
    case 'phase2':
      return {
        nonce: enrolled.nonce,
        app_import: enrolled.appImport,
        ocraurl: ocraUrl(enrolled.appImport, language),
        url: enrolled.callbackUrl,
        challenge: enrolled.question,
        signature: enrolled.signature,
        transactionid: enrolled.transactionId,
        serial: enrolled.serial,
      };
    case 'plain':
      return {
        ocraurl: {
          // LinOTP encodes the word None here.
          img: linotpImage('None', { width: URL_WIDTH }),
          order: '0',
          value: null,
          description: translate('enrolment/url', language),
        },
        otpkey: seed(enrolled.otpkey, language),
      };
  }
}

function ocraUrl(url: string, language: Language): Record<string, unknown> {
  return {
    img: linotpImage(url, { width: URL_WIDTH }),
    order: '0',
    value: url,
    description: translate('enrolment/url', language),
  };
}

function seed(otpkey: string, language: Language): Record<string, unknown> {
  return {
    img: linotpImage(seedUrl(otpkey), { width: SEED_WIDTH }),
    order: '1',
    value: seedUrl(otpkey),
    description: translate('enrolment/seed', language),
  };
}

function toPictured(enrolled: Enrolled): Pictured {
  const { serial } = enrolled;
  switch (enrolled.kind) {
    case 'phase1':
      return picturedUrl(enrolled.appImport, [
        ['app_import', enrolled.appImport],
        ['serial', serial],
        ['sharedsecret', enrolled.sharedSecret],
      ]);
    case 'phase2':
      return picturedUrl(enrolled.appImport, [
        ['app_import', enrolled.appImport],
        ['transactionid', enrolled.transactionId],
        ['serial', serial],
      ]);
    case 'plain':
      return picturedUrl(seedUrl(enrolled.otpkey), [
        ['otpkey', enrolled.otpkey],
        ['serial', serial],
      ]);
  }
}

function picturedUrl(text: string, facts: Pictured['facts']): Pictured {
  return { text, imageAlt: text, facts };
}
