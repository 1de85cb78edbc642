import { z } from 'zod';
import { type Answers, count, inEveryDialect, valueOf } from '../../answers.ts';
import { CONSEQUENCE_LIST } from './consequence-list.ts';

const setting = z.strictObject({
  name: z.string(),
  meaning: z.string(),
  required: z.boolean(),
  default: z.string().nullable().describe('the value that applies without one; null: none'),
  values: z.array(z.string()).nullable().describe('the only values; null: any'),
  example: z.string().nullable(),
  form: z.enum(['line', 'lines', 'json']).describe('`json`: a JSON object of texts'),
  secret: z.boolean().describe('a password: it is written, and never shown'),
  bound: z.boolean().describe('where it changes, the stored password must be given again'),
});

/** The answers of /system/resolverKinds. */
export const RESOLVER_KINDS_SHOWN: Answers = inEveryDialect(
  valueOf(z.array(z.strictObject({ kind: z.string(), meaning: z.string(), settings: z.array(setting) })), {
    example: {
      value: [
        {
          kind: 'passwd',
          meaning: 'Users in a file such as /etc/passwd, read as it changes.',
          settings: [
            {
              name: 'fileName',
              meaning: 'Absolute path of the file; over HTTP below a folder of RESOLVER_FILE_DIRS.',
              required: true,
              default: null,
              values: null,
              example: '/srv/tankeeper/users/passwd',
              form: 'line',
              secret: false,
              bound: false,
            },
          ],
        },
      ],
    },
  }),
);

const user = z.strictObject({
  username: z.string(),
  userid: z.string(),
  givenname: z.string(),
  surname: z.string(),
  email: z.string(),
  phone: z.string(),
});

/** The answers of /system/testResolver. */
export const TRIED_RESOLVER: Answers = inEveryDialect(
  valueOf(
    z.union([
      z.strictObject({
        readable: z.literal(true),
        users: count,
        first: z.array(user).nullable().describe('some users; null: the caller may not list them'),
        entries: z
          .strictObject({
            total: count,
            without_id: count,
            without_login: count.describe('of those with an id'),
            sharing_id: count.describe('users whose id another one has as well: they own the same tokens'),
          })
          .optional()
          .describe('present where not every entry is a user with an id of its own'),
      }),
      z.strictObject({ readable: z.literal(false), reason: z.string() }),
    ]),
    { example: { value: { readable: false, reason: 'the host name is unknown' } } },
  ),
);

/** The answers of endpoints that tell what would follow from an act. */
export const CONSEQUENCES: Answers = inEveryDialect(
  valueOf(CONSEQUENCE_LIST, {
    example: { value: [{ code: 'realm.tokens', text: '3 tokens leave this realm', count: 3 }] },
  }),
);
