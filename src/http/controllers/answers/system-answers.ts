import { z } from 'zod';
import { type Answers, valueOf } from '../../answers.ts';

const name = z.string();
const yes = z.literal(true);
const DONE = valueOf(yes);

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

/** The answers of /system/setPolicy. */
export const STORED_POLICY: Answers = {
  documented: DONE,
  linotp: valueOf(
    z.record(
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
  ),
};

/** The answers of /system/getPolicy. */
export const POLICIES: Answers = {
  documented: valueOf(z.record(name, policy)),
  linotp: valueOf(z.record(name, policy.extend({ active: z.enum(['True', 'False']) }))),
};

/** The answers of /system/delPolicy. */
export const REMOVED_POLICY: Answers = {
  documented: DONE,
  linotp: valueOf(z.strictObject({ delPolicy: z.strictObject({ result: z.record(z.string(), yes) }) })),
};

const resolver = z.object({ name, type: z.string() }).catchall(z.string().describe('a setting'));

/** The answers of /system/getResolvers. */
export const RESOLVERS: Answers = {
  documented: valueOf(z.record(name, resolver)),
  linotp: valueOf(
    z.record(name, z.strictObject({ entry: z.string(), type: z.string(), resolvername: name })),
  ),
};

/** The answers of /system/getResolver. A secret is an empty text. */
export const SHOWN_RESOLVER: Answers = {
  documented: valueOf(resolver),
  linotp: valueOf(
    z.strictObject({ data: z.record(z.string(), z.string()), type: z.string(), resolver: name }),
  ),
};

/** The answers of /system/getRealms and /system/getDefaultRealm. */
export const REALMS: Answers = {
  documented: valueOf(
    z.record(name, z.strictObject({ name, default: z.boolean(), resolvers: z.array(z.string()) })),
  ),
  linotp: valueOf(
    z.record(
      name,
      z.strictObject({
        default: z.literal('true').optional(),
        realmname: name,
        useridresolver: z.array(z.string()),
        entry: z.string(),
      }),
    ),
  ),
};

/** The answers of /system/delRealm. */
export const REMOVED_REALM: Answers = {
  documented: DONE,
  linotp: valueOf(z.strictObject({ delRealm: z.strictObject({ result: yes }) })),
};

const keyed = z.record(z.string().describe('what was done, and the key'), yes);

/** The answers of /system/setConfig. */
export const STORED_CONFIGURATION: Answers = { documented: DONE, linotp: valueOf(keyed) };

/** The answers of /system/getConfig. */
export const CONFIGURATION: Answers = {
  documented: valueOf(
    z.union([
      z.record(z.string().describe('the key'), z.string()).describe('all values, without `key`'),
      z.string().nullable().describe('the value of `key`; null: there is none'),
    ]),
  ),
  linotp: valueOf(z.record(z.string(), z.string().nullable())),
};

/** The answers of /system/delConfig. */
export const REMOVED_CONFIGURATION: Answers = { documented: DONE, linotp: valueOf(keyed) };
