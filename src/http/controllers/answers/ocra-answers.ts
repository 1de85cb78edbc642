import { z } from 'zod';
import { type Answers, count, inEveryDialect, orPicture, valueOf } from '../../answers.ts';

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

const checked = z.strictObject({
  failcount,
  result: z.boolean().describe('true: the response was accepted, once and for all'),
});
const CHECKED_EXAMPLE = { value: { failcount: 0, result: true } };

/** The answers of /ocra/check_t. */
export const CHECKED_TRANSACTION: Answers = {
  documented: valueOf(checked, { example: CHECKED_EXAMPLE }),
  linotp: valueOf(
    z.union([
      checked,
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

/** The answers of /ocra/checkstatus and /ocra: the newest transaction first. */
export const TRANSACTION_STATUS: Answers = {
  documented: valueOf(z.array(z.strictObject(state)), { example: { value: [STATE_EXAMPLE] } }),
  linotp: valueOf(
    z.union([
      z.strictObject({
        values: z.array(
          z.strictObject({
            ...state,
            id: z.int().describe('the number of the transaction'),
            timestamp: z.string().describe('the time of issue, in UTC, without a time zone'),
            active: z.enum(['True', 'False']).describe('`True`: the transaction is open'),
          }),
        ),
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

/** The answers of /ocra/getActivationCode. */
export const ACTIVATION_CODE: Answers = inEveryDialect(
  valueOf(
    z.strictObject({
      activationcode: z.string().describe('base32, then the checksum: two hexadecimal digits'),
    }),
  ),
);

/** The answers of /ocra/calculateOtp. */
export const CALCULATED_OTP: Answers = inEveryDialect(
  valueOf(z.strictObject({ otp: z.string().describe('the response: decimal digits') })),
);
