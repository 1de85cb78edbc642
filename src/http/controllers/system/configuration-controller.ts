import { z } from 'zod';
import type { Resolver } from '../../../configuration/configuration.ts';
import type { SettingService } from '../../../configuration/setting-service.ts';
import { OCRA_SETTINGS } from '../../../configuration/settings.ts';
import { ServiceError } from '../../../kernel/errors.ts';
import { splitList } from '../../../kernel/text.ts';
import type { Caller } from '../../../policy/caller.ts';
import { checkResolver, type ResolverDraft } from '../../../resolvers/resolver-draft.ts';
import { isSecretSetting } from '../../../resolvers/settings/settings-rules.ts';
import type { Services } from '../../../services.ts';
import { valuesOf } from '../../answers.ts';
import {
  CONFIGURATION,
  REMOVED_CONFIGURATION,
  STORED_CONFIGURATION,
} from '../../dialects/administration-answers.ts';
import { type Endpoint, systemChange, systemReading } from '../../endpoint-spec.ts';
import type { RequestContext } from '../../request/exchange.ts';
import {
  EVERYWHERE,
  invalidParameter,
  missingParameter,
  optional,
  required,
} from '../../request/parameters.ts';

/** Keys of the values that /system/setDefault sets. */
const DEFAULT_KEY = /^(?:linotp\.)?default/i;
/** Types of values that LinOTP encrypts. */
const SECRET_TYPES: readonly string[] = ['password', 'encrypted_data'];

interface ValueParameters {
  readonly key?: string | undefined;
  readonly value?: string | undefined;
  readonly type?: string | undefined;
}

const WITHOUT_EFFECT = z
  .strictObject({
    message: z.string().describe('the values that are stored without effect'),
  })
  .optional()
  .describe('present where a value is stored that the server does not read');
const STORED_ANSWERS = valuesOf(STORED_CONFIGURATION, WITHOUT_EFFECT);

const DEFAULTS = Object.fromEntries(
  OCRA_SETTINGS.filter(({ key }) => DEFAULT_KEY.test(key)).map(({ key, meaning, default: initial }) => [
    key.toLowerCase(),
    optional(`\`${key}\`: ${meaning}`, initial),
  ]),
);

function withoutEffect(clauses: readonly string[]): { readonly message: string } | undefined {
  return clauses.length === 0 ? undefined : { message: clauses.join('; ') };
}

export function configurationEndpoints(
  services: Pick<Services, 'realms' | 'resolvers'>,
  configuration: SettingService,
): Endpoint[] {
  return [
    setEndpoint(services, configuration),
    setDefaultEndpoint(configuration),
    showEndpoint(configuration),
    removeEndpoint(configuration),
  ];
}

function setEndpoint(
  services: Pick<Services, 'realms' | 'resolvers'>,
  configuration: SettingService,
): Endpoint {
  return systemChange(
    {
      path: '/system/setConfig',
      summary: 'sets configuration values, all or none',
      answers: STORED_ANSWERS,
      usage: 'system/setConfig: set configuration values.',
      parameters: {
        key: optional('the key of the value; left out: every parameter is a key with its value'),
        value: optional('the value of `key`'),
        type: optional('the type of the value in LinOTP: types of secrets are refused'),
      },
    },
    async ({ caller, parameters, context, dialect }) => {
      const entries = readEntries(parameters, context);
      const values = await setElsewhere(services, configuration, caller, entries);
      const clauses = values === undefined ? [] : await configuration.set(caller, values);
      return dialect.administration.storedConfiguration(entries, context, withoutEffect(clauses));
    },
  );
}

/** Keys of LinOTP's only table, for what is kept elsewhere here. */
const RESOLVER_KEY = /^(?:linotp\.)?(passwd|sql|ldap)resolver\.([^.]+)\.(.+)$/i;
const REALM_KEY = /^(?:linotp\.)?useridresolver\.group\.(.+)$/i;
const DEFAULT_REALM_KEY = /^(?:linotp\.)?DefaultRealm$/i;
const KEPT_ELSEWHERE = [RESOLVER_KEY, REALM_KEY, DEFAULT_REALM_KEY];

/**
 * Sets the resolvers, the realms and the default realm that are among the values, one after the other, once all values
 * are checked.
 * @returns the other values; undefined where there are none
 */
async function setElsewhere(
  { realms, resolvers }: Pick<Services, 'realms' | 'resolvers'>,
  configuration: SettingService,
  caller: Caller,
  entries: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, string> | undefined> {
  const others = new Map(
    [...entries].filter(([key]) => !KEPT_ELSEWHERE.some((pattern) => pattern.test(key))),
  );
  if (others.size === entries.size) {
    return entries;
  }
  const drafts = resolverDrafts(entries, await resolvers.list());
  drafts.forEach(checkResolver);
  if (others.size > 0) {
    configuration.check(others);
  }
  for (const draft of drafts) {
    await resolvers.set(caller, draft);
  }
  for (const { parts, value } of matching(entries, REALM_KEY)) {
    await realms.set(caller, { name: parts[0] ?? '', resolvers: splitList(value) });
  }
  for (const { value } of matching(entries, DEFAULT_REALM_KEY)) {
    await realms.setDefault(caller, value.trim() === '' ? null : value);
  }
  return others.size === 0 ? undefined : others;
}

/** @returns the values whose keys match, with the groups of the pattern */
function matching(
  entries: ReadonlyMap<string, string>,
  pattern: RegExp,
): readonly { readonly parts: readonly string[]; readonly value: string }[] {
  return [...entries].flatMap(([key, value]) => {
    const found = pattern.exec(key);
    return found === null ? [] : [{ parts: found.slice(1), value }];
  });
}

/**
 * @returns the resolvers that have settings among the values, with the others of their stored settings
 * @throws ServiceError 'configuration.invalid' for a password
 */
function resolverDrafts(
  entries: ReadonlyMap<string, string>,
  stored: readonly Resolver[],
): readonly ResolverDraft[] {
  const drafts = new Map<string, ResolverDraft>();
  for (const { parts, value } of matching(entries, RESOLVER_KEY)) {
    const [kind = '', setting = '', name = ''] = parts;
    const { settings, expected } = drafts.get(name) ?? storedDraft(stored, name);
    const others = Object.entries(settings).filter(([one]) => one.toLowerCase() !== setting.toLowerCase());
    drafts.set(name, {
      name,
      kind: kind.toLowerCase(),
      settings: Object.fromEntries([...others, [noSecret(setting), value]]),
      expected,
    });
  }
  return [...drafts.values()];
}

function storedDraft(
  stored: readonly Resolver[],
  name: string,
): Pick<ResolverDraft, 'settings' | 'expected'> {
  const known = stored.find((one) => one.name === name)?.settings ?? null;
  return { settings: known ?? {}, expected: known };
}

/** @throws ServiceError 'configuration.invalid' for a password: values are answered as they are */
function noSecret(setting: string): string {
  if (isSecretSetting(setting)) {
    throw new ServiceError(
      'configuration.invalid',
      'The password of a resolver is no configuration value: /system/setResolver sets it',
    );
  }
  return setting;
}

function setDefaultEndpoint(configuration: SettingService): Endpoint {
  return systemChange(
    {
      path: '/system/setDefault',
      summary: 'sets configuration values for new tokens, all or none',
      answers: STORED_ANSWERS,
      usage: 'system/setDefault: set the configuration values whose keys begin with Default.',
      parameters: DEFAULTS,
    },
    async ({ caller, context, dialect }) => {
      const entries = readEntries({}, context);
      const other = [...entries.keys()].find((key) => !DEFAULT_KEY.test(key));
      if (other !== undefined) {
        throw invalidParameter(
          other.slice(0, 100),
          `${other.slice(0, 100)} is no default of new tokens, whose keys begin with Default: use /system/setConfig`,
        );
      }
      const clauses = await configuration.set(caller, entries);
      return dialect.administration.storedConfiguration(entries, context, withoutEffect(clauses));
    },
  );
}

function showEndpoint(configuration: SettingService): Endpoint {
  return systemReading(
    {
      path: '/system/getConfig',
      summary: 'shows the values in force, set or default',
      answers: valuesOf(CONFIGURATION),
      parameters: { key: optional('the key of the value; default: all') },
    },
    async ({ parameters: { key = '' }, context, dialect }) => {
      const settings = await configuration.inForce();
      return key.trim() === ''
        ? dialect.administration.configuration(settings, context)
        : dialect.administration.configurationValue(settings, key.trim(), context);
    },
  );
}

function removeEndpoint(configuration: SettingService): Endpoint {
  return systemChange(
    {
      path: '/system/delConfig',
      summary: 'restores the default of a value',
      answers: valuesOf(REMOVED_CONFIGURATION),
      usage: 'system/delConfig: remove a configuration value; the default counts again.',
      parameters: {
        key: required('the key of the value', 'OcraMaxChallenges'),
      },
    },
    async ({ caller, parameters: { key }, context, dialect }) => {
      await configuration.remove(caller, key);
      return dialect.administration.removedConfiguration(key, context);
    },
  );
}

/** Reads either one value as `key` and `value`, or several as parameters whose names are the keys. */
function readEntries(
  { key, value, type = '' }: ValueParameters,
  { written }: RequestContext,
): ReadonlyMap<string, string> {
  if (key === undefined) {
    return new Map([...written].filter(([name]) => !EVERYWHERE.includes(name.toLowerCase())));
  }
  if (value === undefined) {
    throw missingParameter('value');
  }
  if (SECRET_TYPES.includes(type.trim().toLowerCase())) {
    throw new ServiceError(
      'configuration.invalid',
      'Configuration values are visible to every administrator who may read them: none of them can be a secret',
    );
  }
  return new Map([[key, value]]);
}
