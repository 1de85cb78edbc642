import { z } from 'zod';
import { type Answers, inEveryDialect, valueOf } from '../../answers.ts';

const signedIn = z.strictObject({ signed_in: z.literal(true) });
const expires = z.iso.datetime();

/** The answers of /admin/sign-in. */
export const BEGUN: Answers = inEveryDialect(
  valueOf(
    z.union([
      signedIn,
      z.strictObject({ signed_in: z.literal(false), second_factor: z.literal('token'), expires }),
      z.strictObject({
        signed_in: z.literal(false),
        second_factor: z.literal('passkey'),
        expires,
        options: z.looseObject({ challenge: z.string() }),
      }),
    ]),
    {
      detail: z.strictObject({ transactionid: z.string(), data: z.string() }).optional(),
      example: {
        value: { signed_in: false, second_factor: 'token', expires: '2026-11-20T12:05:00.000Z' },
        detail: {
          transactionid: '5f1c0e9a7b3d42860c1e',
          data: 'lseqr://req?me=Sign+in+as+anna+at+tan.example.com&u=&ch=A1B2C3D4&tr=5f1c0e9a7b3d42860c1e&si=ff',
        },
      },
    },
  ),
);

/** The answers of /admin/sign-in/finish. */
export const FINISHED: Answers = inEveryDialect(
  valueOf(z.union([signedIn, z.strictObject({ signed_in: z.literal(false) })]), {
    example: { value: { signed_in: true } },
  }),
);

/** The answers of /admin/sign-in/methods. */
export const METHODS: Answers = inEveryDialect(
  valueOf(
    z.strictObject({ passkeys: z.boolean(), single_sign_on: z.boolean(), provider: z.string().nullable() }),
    { example: { value: { passkeys: true, single_sign_on: true, provider: 'Example Inc.' } } },
  ),
);

const confirmed = z.strictObject({ confirmed: z.literal(true), until: z.iso.datetime() });

/** The answers of /admin/confirmation. */
export const CONFIRMATION_BEGUN: Answers = inEveryDialect(
  valueOf(
    z.union([
      confirmed,
      z.strictObject({ confirmed: z.literal(false), second_factor: z.literal('token'), expires }),
      z.strictObject({
        confirmed: z.literal(false),
        second_factor: z.literal('passkey'),
        expires,
        options: z.looseObject({ challenge: z.string() }),
      }),
    ]),
    {
      detail: z.strictObject({ transactionid: z.string(), data: z.string() }).optional(),
      example: { value: { confirmed: true, until: '2026-11-20T12:05:00.000Z' } },
    },
  ),
);

/** The answers of /admin/confirmation/finish. */
export const CONFIRMATION_FINISHED: Answers = inEveryDialect(
  valueOf(z.union([confirmed, z.strictObject({ confirmed: z.literal(false) })]), {
    example: { value: { confirmed: true, until: '2026-11-20T12:05:00.000Z' } },
  }),
);
