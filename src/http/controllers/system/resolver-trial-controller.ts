import type { Services } from '../../../services.ts';
import type { DirectoryUser } from '../../../resolvers/user-source.ts';
import type { Trial } from '../../../resolvers/resolver-trial-service.ts';
import { type DescribedResolverSetting, describedKinds } from '../../../resolvers/settings/setting-facts.ts';
import type { AdministrationDialect } from '../../dialects/dialect.ts';
import type { Endpoint } from '../../endpoint-spec.ts';
import { optional } from '../../request/parameter-schemas.ts';
import { RESOLVER_KINDS_SHOWN, TRIED_RESOLVER } from '../answers/resolver-answers.ts';
import {
  providedSettings,
  removalOf,
  REMOVE_PASSWORD,
  RESOLVER,
  RESOLVER_PARAMETERS,
  resolverKind,
} from './resolver-parameters.ts';
import { systemChange, systemReading } from './system-endpoint.ts';

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
  return systemReading(
    {
      path: '/system/resolverKinds',
      summary: 'the kinds of resolvers and their settings',
      answers: RESOLVER_KINDS_SHOWN,
      parameters: {},
    },
    async ({ caller, context }) => {
      // For the right: the kinds are the same for everybody.
      await resolvers.list(caller);
      const kinds = describedKinds().map((kind) => ({ ...kind, settings: kind.settings.map(settingObject) }));
      return dialect.value(kinds, context);
    },
  );
}

function trialEndpoint(
  { resolverTrials }: Pick<Services, 'resolverTrials' | 'resolvers'>,
  dialect: AdministrationDialect,
): Endpoint {
  return systemChange(
    {
      path: '/system/testResolver',
      summary: 'reads the users of a resolver as it is, or as it would be with these settings',
      answers: TRIED_RESOLVER,
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
    async ({ caller, parameters: { name, type, remove_password: removed, ...settings }, context }) => {
      const draft =
        type === undefined
          ? { name }
          : { name, kind: resolverKind(type), settings: providedSettings(settings), ...removalOf(removed) };
      return dialect.value(trialObject(await resolverTrials.try(caller, draft)), context);
    },
  );
}

function settingObject(setting: DescribedResolverSetting): object {
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

function trialObject(trial: Trial): object {
  if (trial.kind === 'unreadable') {
    return { readable: false, reason: trial.reason };
  }
  const { users, first, found } = trial;
  return {
    readable: true,
    users,
    first: first?.map(userObject) ?? null,
    ...(found !== undefined && {
      entries: {
        total: found.entries,
        without_id: found.withoutId,
        without_login: found.withoutLogin,
        sharing_id: found.sharingId,
      },
    }),
  };
}

function userObject({ login, userId, givenName, surname, email, phone }: DirectoryUser): object {
  return { username: login, userid: userId, givenname: givenName, surname, email, phone };
}
