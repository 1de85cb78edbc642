import { z } from 'zod';
import { type Answers, count, inEveryDialect, valueOf } from '../../answers.ts';

const failcount = count.describe('the number of wrong responses since the last right one');
const realms = z.array(z.string());

const token = z.strictObject({
  serial: z.string(),
  type: z.string(),
  description: z.string(),
  user: z.string().nullable().describe('the login of the owner; null: nobody'),
  resolver: z.string().nullable().describe('the resolver of the owner'),
  realms,
  active: z.boolean(),
  failcount,
  maxfail: count.describe('the number of wrong responses that locks the token'),
  counter: z.string().describe('the next counter: 64 bits, as a text'),
  counterwindow: count,
  syncwindow: count,
  ocrasuite: z.string().nullable(),
  rollout: z.string().describe('the phase of the roll-out'),
  haspin: z.boolean().describe('true: there is a token PIN'),
  created: z.iso.datetime(),
  lastsuccess: z.iso.datetime().nullable().describe('the time of the last accepted response'),
});

const linotpToken = z.strictObject({
  'LinOtp.OtpLen': count,
  'LinOtp.TokenType': z.string(),
  'LinOtp.TokenSerialnumber': z.string(),
  'LinOtp.CountWindow': count,
  'User.description': z.string(),
  'LinOtp.IdResClass': z.string(),
  'LinOtp.RealmNames': realms,
  'LinOtp.Count': count,
  'User.userid': z.string(),
  'LinOtp.TokenId': count,
  'LinOtp.TokenInfo': z.string().describe('JSON'),
  'LinOtp.FailCount': failcount,
  'LinOtp.MaxFail': count,
  'User.username': z.string(),
  'LinOtp.LastAuthSuccess': z.string(),
  'LinOtp.SyncWindow': count,
  'LinOtp.LastAuthMatch': z.string(),
  'LinOtp.TokenDesc': z.string(),
  'LinOtp.IdResolver': z.string(),
  'LinOtp.Userid': z.string(),
  'LinOtp.CreationDate': z.string(),
  'LinOtp.Isactive': z.boolean(),
});

/** The answers of /admin/show. */
export const TOKEN_PAGE: Answers = {
  documented: valueOf(
    z.strictObject({
      total: count.describe('the number of tokens on all pages'),
      page: count,
      pagesize: count,
      tokens: z.array(token),
    }),
  ),
  linotp: valueOf(
    z.strictObject({
      resultset: z.strictObject({ tokens: count, pages: count, pagesize: count, page: count }),
      data: z.array(linotpToken),
    }),
  ),
};

/** The answers of /admin/set. */
export const SET_TOKENS: Answers = {
  documented: valueOf(count.describe('the number of tokens that were changed')),
  linotp: valueOf(
    z.record(
      z.string().describe('`set pin`, `set MaxFailCount`, …'),
      count.describe('the number of tokens that were changed'),
    ),
  ),
};

/** The answers of the endpoints that change all tokens of a selection. */
export const CHANGED_TOKENS: Answers = inEveryDialect(
  valueOf(count.describe('the number of tokens that were changed')),
);

/** The answers of /admin/resync. */
export const RESYNCHRONISED: Answers = inEveryDialect(
  valueOf(z.boolean().describe('true: both responses fit, and the token is in step')),
);
