import { z } from 'zod';
import { count } from '../answers.ts';

// The values of /system and /admin/show, by dialect.

const yes = z.literal(true);
const keyed = z.record(z.string().describe('what was done, and the key'), yes);

export const STORED_CONFIGURATION = { documented: yes, linotp: keyed };

export const CONFIGURATION = {
  documented: z.union([
    z.record(z.string().describe('the key'), z.string()).describe('all values, without `key`'),
    z.string().nullable().describe('the value of `key`; null: there is none'),
  ]),
  linotp: z.record(z.string(), z.string().nullable()),
};

export const REMOVED_CONFIGURATION = { documented: yes, linotp: keyed };

const name = z.string();
const policy = z.strictObject({
  name,
  scope: z.string(),
  action: z.string().describe('comma list of `action` or `action=value`'),
  realm: z.string().describe('comma list'),
  user: z.string().describe('comma list'),
  client: z.string().describe('comma list of addresses and networks; empty: any'),
  time: z.string().describe('`minute hour day month weekday year;`; empty: always'),
  active: z.boolean(),
});

export const STORED_POLICY = {
  documented: yes,
  linotp: z.record(
    z.string().describe('`setPolicy` and the name'),
    z.strictObject({
      realm: yes,
      active: yes,
      client: yes,
      user: yes,
      time: yes,
      action: yes,
      scope: yes,
    }),
  ),
};

export const POLICIES = {
  documented: z.record(name, policy),
  linotp: z.record(name, policy.extend({ active: z.enum(['True', 'False']) })),
};

export const REMOVED_POLICY = {
  documented: yes,
  linotp: z.strictObject({ delPolicy: z.strictObject({ result: z.record(z.string(), yes) }) }),
};

const resolver = z.object({ name, type: z.string() }).catchall(z.string().describe('a setting'));

export const RESOLVERS = {
  documented: z.record(name, resolver),
  linotp: z.record(name, z.strictObject({ entry: z.string(), type: z.string(), resolvername: name })),
};

/** The values of /system/getResolver. A secret is an empty text. */
export const SHOWN_RESOLVER = {
  documented: resolver,
  linotp: z.strictObject({ data: z.record(z.string(), z.string()), type: z.string(), resolver: name }),
};

export const REALMS = {
  documented: z.record(name, z.strictObject({ name, default: z.boolean(), resolvers: z.array(z.string()) })),
  linotp: z.record(
    name,
    z.strictObject({
      default: z.literal('true').optional(),
      realmname: name,
      useridresolver: z.array(z.string()),
      entry: z.string(),
    }),
  ),
};

export const REMOVED_REALM = {
  documented: yes,
  linotp: z.strictObject({ delRealm: z.strictObject({ result: yes }) }),
};

const failcount = count.describe('the number of wrong responses since the last right one');
const realms = z.array(z.string());

/** The columns of the table of tokens, too. */
export const TOKEN = z.strictObject({
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
  validfrom: z.iso.datetime().nullable().describe('the beginning of its period; null: none'),
  validuntil: z.iso.datetime().nullable().describe('the end of its period; null: none'),
  usecount: count.describe('the number of responses, counted while a maximum is set'),
  maxuses: count.nullable().describe('the number of responses after which none is accepted; null: any'),
  successcount: count.describe('the number of accepted responses, counted while a maximum is set'),
  maxsuccesses: count.nullable().describe('the number of accepted responses; null: any'),
  created: z.iso.datetime(),
  lastsuccess: z.iso.datetime().nullable().describe('the time of the last accepted response'),
});

export const LINOTP_TOKEN = z.strictObject({
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

export const TOKEN_PAGE = {
  documented: z.strictObject({
    total: count.describe('the number of tokens on all pages'),
    page: count,
    pagesize: count,
    tokens: z.array(TOKEN),
  }),
  linotp: z.strictObject({
    resultset: z.strictObject({ tokens: count, pages: count, pagesize: count, page: count }),
    data: z.array(LINOTP_TOKEN),
  }),
};
