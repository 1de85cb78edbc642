import { z } from 'zod';
import type { Services } from '../../../services.ts';
import type { DirectoryUser } from '../../../resolvers/user-source.ts';
import type { Trial } from '../../../resolvers/resolver-service.ts';
import {
  describedKinds,
  type DescribedResolverSetting,
  SETTINGS_RULES,
} from '../../../resolvers/settings/settings-rules.ts';
import { count, type Shown } from '../../answers.ts';
import { type Endpoint, valueChange, valueReading } from '../../endpoint-spec.ts';
import { optional, required, secret } from '../../request/parameters.ts';

const SETTING = z.strictObject({
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

const USER = z.strictObject({
  username: z.string(),
  userid: z.string(),
  givenname: z.string(),
  surname: z.string(),
  email: z.string(),
  phone: z.string(),
});

const TRIAL = z.union([
  z.strictObject({
    readable: z.literal(true),
    users: count,
    first: z.array(USER).nullable().describe('some users; null: the caller may not list them'),
    more: z.boolean().describe('true: there are more of those that `find` asks for'),
    entries: z
      .strictObject({
        total: count,
        without_id: count,
        without_login: count.describe('of those with an id'),
        sharing_id: count.describe('users whose id another one has as well: they own the same tokens'),
        passed_over: z
          .strictObject({ lines: count, first: z.array(z.string()).describe('some, each with the reason') })
          .optional()
          .describe('lines of a passwd file that are no accounts'),
      })
      .optional()
      .describe('present where not every entry is a user with an id of its own, or lines are passed over'),
  }),
  z.strictObject({ readable: z.literal(false), reason: z.string() }),
]);

export function resolverTrialEndpoints(operations: Pick<Services, 'resolverTrials'>): Endpoint[] {
  return [kindsEndpoint(), trialEndpoint(operations)];
}

function kindsEndpoint(): Endpoint {
  return valueReading(
    {
      path: '/system/resolverKinds',
      summary: 'the kinds of resolvers and their settings',
      value: z.array(z.strictObject({ kind: z.string(), meaning: z.string(), settings: z.array(SETTING) })),
      example: [
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
              form: 'line' as const,
              secret: false,
              bound: false,
            },
          ],
        },
      ],
      parameters: {},
    },
    () =>
      Promise.resolve(
        describedKinds().map((kind) => ({ ...kind, settings: kind.settings.map(shownSetting) })),
      ),
  );
}

function trialEndpoint({ resolverTrials }: Pick<Services, 'resolverTrials'>): Endpoint {
  return valueChange(
    {
      path: '/system/testResolver',
      summary: 'reads the users of a resolver as it is, or as it would be with these settings',
      value: TRIAL,
      example: { readable: false, reason: 'the host name is unknown' },
      parameters: {
        name: RESOLVER,
        type: optional(
          '`passwd`, `sql`, `ldap` or `managed`; without it, the stored resolver is tried as it is',
          'ldap',
        ),
        ...RESOLVER_PARAMETERS,
        remove_password: REMOVE_PASSWORD,
        find: optional('shows only users whose login, name or e-mail address begins with these words', 'ann'),
      },
    },
    async ({ caller, parameters: { name, type, remove_password: removed, find, ...settings } }) => {
      const draft =
        type === undefined
          ? { name }
          : { name, kind: resolverKind(type), settings: providedSettings(settings), ...removalOf(removed) };
      return shownTrial(await resolverTrials.try(caller, draft, find));
    },
  );
}

function shownSetting(setting: DescribedResolverSetting): Shown<typeof SETTING> {
  const { name, description, isRequired, fallback, values, example, form, secret: isSecret, bound } = setting;
  return {
    name,
    meaning: description,
    required: isRequired,
    default: fallback ?? null,
    values: values === undefined ? null : [...values],
    example: example ?? null,
    form: form ?? 'line',
    secret: isSecret ?? false,
    bound: bound ?? false,
  };
}

function shownTrial(trial: Trial): Shown<typeof TRIAL> {
  if (trial.kind === 'unreadable') {
    return { readable: false, reason: trial.reason };
  }
  const { users, first, hasMore, found } = trial;
  return {
    readable: true,
    users,
    first: first?.map(shownUser) ?? null,
    more: hasMore,
    ...(found !== undefined && {
      entries: {
        total: found.entries,
        without_id: found.withoutId,
        without_login: found.withoutLogin,
        sharing_id: found.sharingId,
        ...(found.passedOver !== undefined && { passed_over: found.passedOver }),
      },
    }),
  };
}

function shownUser({ login, userId, givenName, surname, email, phone }: DirectoryUser): Shown<typeof USER> {
  return { username: login, userid: userId, givenname: givenName, surname, email, phone };
}

/** Settings that contain a password besides the passwords themselves: a database URL. */
const URLS_WITH_PASSWORD: readonly string[] = ['connect'];

/** The name of a resolver. */
export const RESOLVER = required('the name of the resolver', 'directory');

/** The settings of all kinds of resolvers; the service knows which of them belong together. */
export const RESOLVER_PARAMETERS = Object.fromEntries(
  Object.values(SETTINGS_RULES).flatMap(({ names }) =>
    names.map((name) => {
      const schema = optional('a setting, see the guide to resolvers');
      return [name.toLowerCase(), isSecretSetting(name) ? secret(schema) : schema] as const;
    }),
  ),
);

/** @returns true for a password, or what holds one; names in any case */
export function isSecretSetting(name: string): boolean {
  const passwords = Object.values(SETTINGS_RULES).map((rule) => rule.secret?.toLowerCase());
  return [...URLS_WITH_PASSWORD, ...passwords].includes(name.toLowerCase());
}

/** The password is removed by a parameter of its own: clients send an empty one for that which they were not shown. */
export const REMOVE_PASSWORD = optional('`1`: removes the stored password', '1');

/** @returns the secret of the draft: null removes the stored one */
export function removalOf(removePassword: string | undefined): { readonly secret?: null } {
  return removePassword === '1' ? { secret: null } : {};
}

/** @returns the settings that have a value */
export function providedSettings(
  settings: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(settings).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

/** Removes the suffix of LinOTP's names of resolver types: `passwdresolver`. */
export function resolverKind(type: string): string {
  return type
    .trim()
    .toLowerCase()
    .replace(/resolver$/, '');
}
