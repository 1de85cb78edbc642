import { z } from 'zod';
import { type Answers, inEveryDialect, valueOf } from '../../answers.ts';

const instant = z.iso.datetime();

/** The answers of /admin/administrators. */
export const ADMINISTRATORS: Answers = inEveryDialect(
  valueOf(
    z.array(
      z.strictObject({
        name: z.string(),
        created: instant,
        second_factor: z.enum(['token', 'passkey']).nullable(),
        serial: z.string().nullable(),
        own: z.boolean(),
      }),
    ),
    {
      example: {
        value: [
          {
            name: 'anna',
            created: '2026-11-20T12:00:00.000Z',
            second_factor: 'token',
            serial: 'QR17',
            own: false,
          },
        ],
      },
    },
  ),
);

/** The answers of the endpoints that set a password: the API tokens that go on to work. */
export const PASSWORD_SET: Answers = inEveryDialect(
  valueOf(z.strictObject({ api_tokens_left: z.int().nonnegative() }), {
    example: { value: { api_tokens_left: 1 } },
  }),
);

/** The answers of /admin/administrators/passkey-link. */
export const LINK: Answers = inEveryDialect(
  valueOf(z.strictObject({ link: z.url(), expires: instant }), {
    example: {
      value: {
        link: 'https://tan.example.com/console/#link=0123',
        expires: '2026-11-20T13:00:00.000Z',
      },
    },
  }),
);

/** The answers of /admin/api-tokens. */
export const API_TOKENS: Answers = inEveryDialect(
  valueOf(
    z.array(
      z.strictObject({
        name: z.string(),
        administrator: z.string(),
        rights: z.array(z.string()),
        created: instant,
        expires: instant.nullable(),
      }),
    ),
    {
      example: {
        value: [
          {
            name: 'nagios',
            administrator: 'anna',
            rights: ['monitoring:*'],
            created: '2026-11-20T12:00:00.000Z',
            expires: null,
          },
        ],
      },
    },
  ),
);

/** The answers of /admin/api-tokens/add. */
export const API_TOKEN_MADE: Answers = inEveryDialect(
  valueOf(z.strictObject({ token: z.string() }), { example: { value: { token: 'tk_0123' } } }),
);
