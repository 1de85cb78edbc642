import { z } from 'zod';
import { type Answers, count, inEveryDialect, orPicture, valueOf } from '../../answers.ts';

/** An URL or a key for import into an app. */
const importEntry = z.strictObject({
  img: z.string().describe('an `<img>` with the QR code; empty where there is nothing to import'),
  order: z.string().describe('the position among several entries'),
  value: z.string().nullable().describe('the content of the QR code'),
  description: z.string(),
});
const serial = z.string().describe('the serial of the token');
const appImport = z.string().describe('the URL that the app imports: `lseqr://init?…`, `lseqr://nonce?…`');

const phase1 = z.strictObject({
  app_import: appImport,
  serial,
  ocraurl: importEntry,
  sharedsecret: z.string().describe('the shared secret, hexadecimal'),
});
const phase2 = z.strictObject({
  serial,
  nonce: z.string().describe('the nonce, hexadecimal'),
  transactionid: z.string().describe('the first transaction, which completes the roll-out'),
  challenge: z.string().describe('the question of the first transaction'),
  url: z.string().describe('the address that the app sends the response to; empty without a policy'),
  signature: z.string().describe('the signature of `app_import`, hexadecimal'),
  app_import: appImport,
  ocraurl: importEntry,
});
const plain = z.strictObject({ serial, ocraurl: importEntry, otpkey: importEntry });

const SECRET = '3132333435363738393031323334353637383930';
const URL = `lseqr://init?sh=${SECRET}&os=OCRA-1%3AHOTP-SHA256-6%3AC-QA64&se=QR1`;
const EXAMPLE = {
  value: true,
  detail: {
    app_import: URL,
    serial: 'QR1',
    ocraurl: {
      img: '<img id="challenge_qrcode" width="250" src="data:image/png;base64,…">',
      order: '0',
      value: URL,
      description: 'OCRA URL',
    },
    sharedsecret: SECRET,
  },
};

/** The answers of /admin/init: phase 1, phase 2, and a token that is ready at once. */
export const ENROLLED: Answers = {
  documented: orPicture(
    valueOf(z.literal(true), { detail: z.union([phase1, phase2, plain]), example: EXAMPLE }),
  ),
  linotp: orPicture(
    valueOf(z.literal(true), {
      // The serial is missing where the client chose it.
      detail: z.union([phase1, phase2, plain.extend({ serial: serial.optional() })]),
      example: EXAMPLE,
    }),
  ),
};

/** The answers of /admin/loadtokens. */
export const LOADED_TOKENS: Answers = inEveryDialect(
  valueOf(z.strictObject({ imported: count.describe('the number of tokens that were added') })),
);
