import { z } from 'zod';
import type { ExpectedSettings } from '../../../configuration/expected-state.ts';
import type { DescribedSetting, SettingService } from '../../../configuration/setting-service.ts';
import { OCRA_SETTINGS } from '../../../configuration/settings.ts';
import { ServiceError } from '../../../kernel/errors.ts';
import { valueOf, valuesOf, type Shown } from '../../answers.ts';
import { type Endpoint, systemChange, systemReading, valueReading } from '../../endpoint-spec.ts';
import type { RequestContext } from '../../request/exchange.ts';
import { EXPECTED, optional, readExpected, required } from '../../request/parameters.ts';

/** Parameters that are no configuration values: those of every endpoint, and one of this. */
const NO_KEYS: readonly string[] = ['session', 'csrf_token', 'id', 'httperror', 'expected'];
const EXPECTED_VALUES = z.record(z.string(), z.string().nullable());
/** Keys of the values that /system/setDefault sets. */
const DEFAULT_KEY = /^(?:linotp\.)?default/i;
/** Types of values that LinOTP encrypts. */
const SECRET_TYPES: readonly string[] = ['password', 'encrypted_data'];

interface ValueParameters {
  readonly key?: string | undefined;
  readonly value?: string | undefined;
  readonly type?: string | undefined;
}

const yes = z.literal(true);
const keyed = z.record(z.string().describe('what was done, and the key'), yes);

const STORED_CONFIGURATION = { documented: yes, linotp: keyed };

const WITHOUT_EFFECT = z
  .strictObject({
    message: z.string().describe('the values that are stored without effect, each with the reason'),
  })
  .optional()
  .describe('present where a value is stored that the server does not read');
const STORED_ANSWERS = {
  documented: valueOf(STORED_CONFIGURATION.documented, { detail: WITHOUT_EFFECT }),
  linotp: valueOf(STORED_CONFIGURATION.linotp, { detail: WITHOUT_EFFECT }),
};

const DEFAULTS = Object.fromEntries(
  OCRA_SETTINGS.filter(({ key }) => DEFAULT_KEY.test(key)).map(({ key, meaning, initial }) => [
    key.toLowerCase(),
    optional(`\`${key}\`: ${meaning}`, initial),
  ]),
);

function withoutEffect(clauses: readonly string[]): { readonly message: string } | undefined {
  return clauses.length === 0 ? undefined : { message: clauses.join('; ') };
}

export const CONFIGURATION = {
  documented: z.union([
    z.record(z.string().describe('the key'), z.string()).describe('all values, without `key`'),
    z.string().nullable().describe('the value of `key`; null: there is none'),
  ]),
  linotp: z.record(z.string(), z.string().nullable()),
};

const REMOVED_CONFIGURATION = { documented: yes, linotp: keyed };

const SETTING = z.strictObject({
  key: z.string(),
  value: z.string().nullable().describe('the value in force; null: there is none, or it is withheld'),
  default: z.string().nullable(),
  set: z.boolean(),
  known: z.boolean().describe('the server reads it'),
  withheld: z.boolean().describe('it may be a secret'),
  meaning: z.string().nullable(),
  form: z.enum(['number', 'duration', 'suite', 'truth', 'text']).nullable(),
  unit: z.string().nullable(),
  least: z.int().nullable(),
  most: z.int().nullable(),
});

export function configurationEndpoints(configuration: SettingService): Endpoint[] {
  return [
    setEndpoint(configuration),
    setDefaultEndpoint(configuration),
    showEndpoint(configuration),
    describeEndpoint(configuration),
    removeEndpoint(configuration),
  ];
}

function setEndpoint(configuration: SettingService): Endpoint {
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
        expected: EXPECTED.describe(
          'the values that are replaced, as a JSON object of texts by key, no secrets; `null`: it is not set. Others are kept',
        ),
      },
    },
    async ({ caller, parameters, context, dialect }) => {
      const entries = readEntries(parameters, context);
      const clauses = await configuration.set(caller, entries, expectedOf(parameters.expected));
      return dialect.administration.storedConfiguration(entries, context, withoutEffect(clauses));
    },
  );
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
        throw new ServiceError(
          'parameter.invalid',
          `${other.slice(0, 100)} is no default of new tokens, whose keys begin with Default: use /system/setConfig`,
          { parameter: other.slice(0, 100) },
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

function describeEndpoint(configuration: SettingService): Endpoint {
  return valueReading(
    {
      path: '/system/settings',
      summary: 'every setting with its value in force, its default and its meaning',
      value: z.array(SETTING),
      parameters: {},
    },
    async () => (await configuration.describe()).map(shownSetting),
  );
}

function shownSetting(setting: DescribedSetting): Shown<typeof SETTING> {
  const { key, value, initial, isSet, isKnown, isWithheld, ...facts } = setting;
  const { meaning, form, unit, min, max } = facts;
  return {
    key,
    value: value ?? null,
    default: initial ?? null,
    set: isSet,
    known: isKnown,
    withheld: isWithheld,
    meaning: meaning ?? null,
    form: form ?? null,
    unit: unit ?? null,
    least: min ?? null,
    most: max ?? null,
  };
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
        expected: EXPECTED.describe(
          'the value that is removed, as a JSON object of a text by key, no secret. Another one is kept',
        ),
      },
    },
    async ({ caller, parameters: { key, expected }, context, dialect }) => {
      await configuration.remove(caller, key, expectedOf(expected));
      return dialect.administration.removedConfiguration(key, context);
    },
  );
}

/** @throws ServiceError 'parameter.invalid' */
function expectedOf(text: string | undefined): ExpectedSettings | undefined {
  const read = readExpected(text, EXPECTED_VALUES);
  return read && new Map(Object.entries(read));
}

/** Reads either one value as `key` and `value`, or several as parameters whose names are the keys. */
function readEntries(
  { key, value, type = '' }: ValueParameters,
  { written }: RequestContext,
): ReadonlyMap<string, string> {
  if (key === undefined) {
    return new Map([...written].filter(([name]) => !NO_KEYS.includes(name.toLowerCase())));
  }
  if (value === undefined) {
    throw new ServiceError('parameter.missing', "Missing parameter 'value'.", { parameters: ['value'] });
  }
  if (SECRET_TYPES.includes(type.trim().toLowerCase())) {
    throw new ServiceError(
      'configuration.invalid',
      'Configuration values are visible to every administrator who may read them: none of them can be a secret',
    );
  }
  return new Map([[key, value]]);
}
