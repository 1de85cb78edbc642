import { z } from 'zod';
import { type Answers, count, orPicture, valueOf } from '../answers.ts';

// The answers of /ocra, /validate and /admin/init, by dialect.

const TRANSACTION = '5f1c0e9a7b3d42860c1e';
const DECIMAL_TRANSACTION = '482915037716';
const serial = z.string().describe('the serial of the token');
const transactionid = z.string().describe('the transaction');
const failcount = count.describe('the number of wrong responses since the last right one');
/** A failure that LinOTP 2 reports as a result. */
const failureText = z.string().describe('the reason of a failure');

/** The answers of /ocra/request. */
export const ISSUED_CHALLENGE: Answers = {
  documented: orPicture(
    valueOf(z.literal(false), {
      detail: z.strictObject({
        transactionid,
        data: z.string().describe('the content of the QR code: `lseqr://req?…`'),
      }),
      example: {
        value: false,
        detail: {
          transactionid: TRANSACTION,
          data: `lseqr://req?me=Pay+50+EUR&u=&ch=Pay50EUR00&tr=${TRANSACTION}&si=8d02a6`,
        },
      },
    }),
  ),
  linotp: orPicture(
    valueOf(z.literal(true), {
      detail: z.strictObject({
        url: z.string().describe('the address that the app sends the response to; empty without a policy'),
        data: z.string().describe('the content of the QR code: `lseqr://req?…`'),
        transactionid,
        message: z.string().describe('the text that the app displays'),
        challenge: z.string().describe('the question (RFC 6287 Q)'),
      }),
      example: {
        value: true,
        detail: {
          url: 'https://portal.example.com/ocra',
          data: `lseqr://req?me=Pay+50+EUR&u=https%253A%252F%252Fportal.example.com%252Focra&ch=Pay50EUR00&tr=${DECIMAL_TRANSACTION}&si=8d02a6`,
          transactionid: DECIMAL_TRANSACTION,
          message: 'Pay 50 EUR',
          challenge: 'Pay50EUR00',
        },
      },
    }),
  ),
};

export const CHECKED = z.strictObject({
  failcount,
  result: z.boolean().describe('true: the response was accepted, once and for all'),
  declined: z
    .boolean()
    .optional()
    .describe(
      'the answer to `decline` alone. True: the transaction is declined, and accepts nothing any more',
    ),
});
const CHECKED_EXAMPLE = { value: { failcount: 0, result: true } };

/** The answers of /ocra/check_t. */
export const CHECKED_TRANSACTION: Answers = {
  documented: valueOf(CHECKED, { example: CHECKED_EXAMPLE }),
  linotp: valueOf(
    z.union([
      CHECKED,
      z.strictObject({
        failure: z.string().describe('no open transaction of that id'),
        result: z.literal(false),
      }),
      failureText,
    ]),
    { example: CHECKED_EXAMPLE },
  ),
};

const state = {
  serial,
  transactionid,
  received_tan: z.boolean().describe('true: a response has come'),
  valid_tan: z.boolean().describe('true: a response was accepted'),
  failcount,
};
const STATE_EXAMPLE = {
  serial: 'QR1',
  transactionid: TRANSACTION,
  received_tan: true,
  valid_tan: true,
  failcount: 0,
};

/** The state of a transaction. */
export const STATE = z.strictObject({
  ...state,
  declined: z
    .enum(['declined', 'reported'])
    .optional()
    .describe('the user has declined it on the device; `reported`: with “this was not me”'),
});
export const LINOTP_STATE = z.strictObject({
  ...state,
  id: z.int().describe('the number of the transaction'),
  timestamp: z.string().describe('the time of issue, in UTC, without a time zone'),
  active: z.enum(['True', 'False']).describe('`True`: the transaction is open'),
});

/** The answers of /ocra/checkstatus and /ocra: the newest transaction first. */
export const TRANSACTION_STATUS: Answers = {
  documented: valueOf(z.array(STATE), { example: { value: [STATE_EXAMPLE] } }),
  linotp: valueOf(
    z.union([
      z.strictObject({
        values: z.array(LINOTP_STATE),
      }),
      failureText,
    ]),
    {
      example: {
        value: {
          values: [
            {
              ...STATE_EXAMPLE,
              transactionid: DECIMAL_TRANSACTION,
              id: 7,
              timestamp: '2026-11-20 10:55:08.853000',
              active: 'False',
            },
          ],
        },
      },
    },
  ),
};

const accepted = z.boolean().describe('true: the response was accepted, once and for all');
const validated = z.strictObject({
  failcount,
  value: accepted,
});

const nextTransaction = z
  .string()
  .describe('the transaction, for `transactionid` or `state` of the second step');
const data = z.string().describe('the content of the QR code: `lseqr://req?…`');
const message = z.string().describe('the words that ask for the response');

/** The challenge that was issued to a PIN. */
export const TRIGGERED = z.strictObject({ transactionid: nextTransaction, data, message, serial });
/** The same of LinOTP: for tokens of the type ocra and ocra2. */
export const LINOTP_TRIGGERED = z.union([
  z.strictObject({
    linotp_tokenserial: serial,
    transactionid: nextTransaction,
    message,
    linotp_tokentype: z.string(),
    data,
  }),
  z.strictObject({
    challenge: z.string().describe('the question (RFC 6287 Q)'),
    transactionid: nextTransaction,
    data,
  }),
]);

const REFUSAL = z.strictObject({ message: z.string().describe('why the parameter `challenge` is refused') });

/** @returns the answers with that value, and the challenge where one was issued */
function orTriggered(value: z.ZodType): Answers {
  return {
    documented: valueOf(value, { detail: TRIGGERED.or(REFUSAL).optional() }),
    linotp: valueOf(value, { detail: LINOTP_TRIGGERED.or(REFUSAL).optional() }),
  };
}

/** The answers of /validate/check and /validate/check_s. */
export const VALIDATED: Answers = orTriggered(accepted);

/** The answers of /validate/check_t. */
export const VALIDATED_TRANSACTION: Answers = {
  documented: valueOf(validated),
  linotp: valueOf(
    z.union([
      validated,
      z.strictObject({
        failure: z.string().describe('no open transaction of that id'),
        value: z.literal(false),
      }),
    ]),
    {
      detail: z
        .strictObject({
          ...validated.shape,
          token_type: z.string(),
          serial,
        })
        .optional(),
    },
  ),
};

const attribute = z.string().optional();
/** The answers of /validate/samlcheck. */
export const ATTRIBUTED: Answers = orTriggered(
  z.strictObject({
    auth: accepted,
    attributes: z
      .strictObject({
        username: attribute,
        realm: attribute,
        email: attribute,
        givenname: attribute,
        surname: attribute,
        phone: attribute,
        mobile: attribute,
      })
      .describe('of the user whose response was accepted; empty without the setting `AllowSamlAttributes`'),
  }),
);

/** An URL or a key for import into an app. */
export const IMPORT_ENTRY = z.strictObject({
  img: z.string().describe('an `<img>` with the QR code; empty where there is nothing to import'),
  order: z.string().describe('the position among several entries'),
  value: z.string().nullable().describe('the content of the QR code'),
  description: z.string(),
});
const appImport = z.string().describe('the URL that the app imports: `lseqr://init?…`, `lseqr://nonce?…`');

const phase1 = z.strictObject({
  app_import: appImport,
  serial,
  ocraurl: IMPORT_ENTRY,
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
  ocraurl: IMPORT_ENTRY,
});
const plain = z.strictObject({ serial, ocraurl: IMPORT_ENTRY, otpkey: IMPORT_ENTRY });
const pass = z.strictObject({
  otpkey: IMPORT_ENTRY.optional(),
  serial,
  googleurl: IMPORT_ENTRY.optional().describe('what authenticator apps read: `otpauth://…`'),
});

/** The details of the answers of /admin/init: phase 1, phase 2, a token that is ready at once, one without a challenge. */
export const ENROLMENT_DETAIL = z.union([phase1, phase2, plain, pass]);
/** In LinOTP the serial is missing where the client chose it. */
const LINOTP_ENROLMENT_DETAIL = z.union([phase1, phase2, plain.extend({ serial: serial.optional() }), pass]);

const SECRET = '3132333435363738393031323334353637383930';
const URL = `lseqr://init?sh=${SECRET}&os=OCRA-1%3AHOTP-SHA256-6%3AC-QA64&se=QR1`;
const ENROLLED_EXAMPLE = {
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

/** The answers of /admin/init. */
export const ENROLLED: Answers = {
  documented: orPicture(valueOf(z.literal(true), { detail: ENROLMENT_DETAIL, example: ENROLLED_EXAMPLE })),
  linotp: orPicture(
    valueOf(z.literal(true), {
      detail: LINOTP_ENROLMENT_DETAIL,
      example: ENROLLED_EXAMPLE,
    }),
  ),
};
