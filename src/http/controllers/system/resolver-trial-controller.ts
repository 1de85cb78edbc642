import { z } from 'zod';
import type { Services } from '../../../services.ts';
import type { DirectoryUser } from '../../../resolvers/user-source.ts';
import type { Trial } from '../../../resolvers/resolver-trial-service.ts';
import { type DescribedResolverSetting, describedKinds } from '../../../resolvers/settings/setting-facts.ts';
import { count } from '../../answers.ts';
import type { AdministrationDialect } from '../../dialects/dialect.ts';
import type { Endpoint } from '../../endpoint-spec.ts';
import { optional } from '../../request/parameter-schemas.ts';
import { type Shown, valueChange, valueReading } from '../../value-endpoint.ts';
import {
  providedSettings,
  removalOf,
  REMOVE_PASSWORD,
  RESOLVER,
  RESOLVER_PARAMETERS,
  resolverKind,
} from './resolver-parameters.ts';

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

/** @returns the endpoints that describe the kinds of resolvers and try one before it is saved */
export function resolverTrialEndpoints(
  operations: Pick<Services, 'resolverTrials' | 'resolvers'>,
  dialect: AdministrationDialect,
): Endpoint[] {
  return [kindsEndpoint(operations, dialect), trialEndpoint(operations, dialect)];
}

function kindsEndpoint(
  { resolvers }: Pick<Services, 'resolverTrials' | 'resolvers'>,
  dialect: AdministrationDialect,
): Endpoint {
  return valueReading(
    dialect,
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
    async ({ caller }) => {
      // For the right: the kinds are the same for everybody.
      await resolvers.list(caller);
      return describedKinds().map((kind) => ({ ...kind, settings: kind.settings.map(shownSetting) }));
    },
  );
}

function trialEndpoint(
  { resolverTrials }: Pick<Services, 'resolverTrials' | 'resolvers'>,
  dialect: AdministrationDialect,
): Endpoint {
  return valueChange(
    dialect,
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
      },
    },
    async ({ caller, parameters: { name, type, remove_password: removed, ...settings } }) => {
      const draft =
        type === undefined
          ? { name }
          : { name, kind: resolverKind(type), settings: providedSettings(settings), ...removalOf(removed) };
      return shownTrial(await resolverTrials.try(caller, draft));
    },
  );
}

function shownSetting(setting: DescribedResolverSetting): Shown<typeof SETTING> {
  const { name, meaning, isRequired = false, fallback, values, example, form, isSecret } = setting;
  return {
    name,
    meaning,
    required: isRequired,
    default: fallback ?? null,
    values: values ?? null,
    example: example ?? null,
    form: form ?? 'line',
    secret: isSecret,
    bound: setting.isSecretBound,
  };
}

function shownTrial(trial: Trial): Shown<typeof TRIAL> {
  if (trial.kind === 'unreadable') {
    return { readable: false, reason: trial.reason };
  }
  const { users, first, found } = trial;
  return {
    readable: true,
    users,
    first: first?.map(shownUser) ?? null,
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
