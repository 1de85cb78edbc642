import { z } from 'zod';
import type { ExpectedSettings } from '../../../configuration/expected-state.ts';
import type { DescribedSetting, SettingService } from '../../../configuration/setting-service.ts';
import { ServiceError } from '../../../kernel/errors.ts';
import type { AdministrationDialect } from '../../dialects/dialect.ts';
import { administratorEndpoint, type Endpoint, type Method } from '../../endpoint-spec.ts';
import type { RequestContext } from '../../request/exchange.ts';
import { EXPECTED, readExpected } from '../../request/expected-state.ts';
import { optional, required } from '../../request/parameter-schemas.ts';
import { SETTINGS } from '../answers/policy-answers.ts';
import { CONFIGURATION, REMOVED_CONFIGURATION, STORED_CONFIGURATION } from '../answers/system-answers.ts';

const METHODS: readonly Method[] = ['GET', 'POST'];
/** Parameters that are no configuration values: those of every endpoint, and one of this. */
const NO_KEYS: readonly string[] = ['session', 'csrf_token', 'id', 'httperror', 'expected'];
/** Types of values that LinOTP encrypts. */
const EXPECTED_VALUES = z.record(z.string(), z.string().nullable());
const SECRET_TYPES: readonly string[] = ['password', 'encrypted_data'];

interface ValueParameters {
  readonly key?: string | undefined;
  readonly value?: string | undefined;
  readonly type?: string | undefined;
}

/** @returns the endpoints of /system that show and change configuration values */
export function configurationEndpoints(
  configuration: SettingService,
  dialect: AdministrationDialect,
): Endpoint[] {
  return [
    setEndpoint(configuration, dialect),
    showEndpoint(configuration, dialect),
    describeEndpoint(configuration, dialect),
    removeEndpoint(configuration, dialect),
  ];
}

function setEndpoint(configuration: SettingService, dialect: AdministrationDialect): Endpoint {
  return administratorEndpoint(
    {
      path: '/system/setConfig',
      methods: METHODS,
      summary: 'sets configuration values, all or none',
      answers: STORED_CONFIGURATION,
      requires: 'system:write',
      family: 'linotp2',
      usage: 'system/setConfig: set configuration values.',
      changesState: true,
      parameters: z.object({
        key: optional('the key of the value; left out: every parameter is a key with its value'),
        value: optional('the value of `key`'),
        type: optional('the type of the value in LinOTP: types of secrets are refused'),
        expected: EXPECTED.describe(
          'the values that are replaced, as a JSON object of texts by key, no secrets; `null`: it is not set. Others are kept',
        ),
      }),
    },
    async ({ caller, parameters, context }) => {
      const entries = readEntries(parameters, context);
      await configuration.set(caller, entries, expectedOf(parameters.expected));
      return dialect.value(dialect.shapes.storedConfiguration(entries), context);
    },
  );
}

function showEndpoint(configuration: SettingService, dialect: AdministrationDialect): Endpoint {
  return administratorEndpoint(
    {
      path: '/system/getConfig',
      methods: METHODS,
      summary: 'shows the values in force, set or default',
      answers: CONFIGURATION,
      requires: 'system:read',
      family: 'linotp2',
      usage: 'system/getConfig: show configuration values.',
      changesState: false,
      parameters: z.object({ key: optional('the key of the value; default: all') }),
    },
    async ({ caller, parameters: { key = '' }, context }) => {
      const overview = await configuration.overview(caller);
      const value =
        key.trim() === ''
          ? dialect.shapes.configuration(overview)
          : dialect.shapes.configurationValue(overview, key.trim());
      return dialect.value(value, context);
    },
  );
}

function describeEndpoint(configuration: SettingService, dialect: AdministrationDialect): Endpoint {
  return administratorEndpoint(
    {
      path: '/system/settings',
      methods: METHODS,
      summary: 'every setting with its value in force, its default and its meaning',
      answers: SETTINGS,
      requires: 'system:read',
      family: 'linotp2',
      usage: 'system/settings: describe configuration values.',
      changesState: false,
      parameters: z.object({}),
    },
    async ({ caller, context }) =>
      dialect.value((await configuration.describe(caller)).map(settingObject), context),
  );
}

function settingObject(setting: DescribedSetting): object {
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

function removeEndpoint(configuration: SettingService, dialect: AdministrationDialect): Endpoint {
  return administratorEndpoint(
    {
      path: '/system/delConfig',
      methods: METHODS,
      summary: 'restores the default of a value',
      answers: REMOVED_CONFIGURATION,
      requires: 'system:write',
      family: 'linotp2',
      usage: 'system/delConfig: remove a configuration value; the default counts again.',
      changesState: true,
      parameters: z.object({
        key: required('the key of the value', 'OcraMaxChallenges'),
        expected: EXPECTED.describe(
          'the value that is removed, as a JSON object of a text by key, no secret. Another one is kept',
        ),
      }),
    },
    async ({ caller, parameters: { key, expected }, context }) => {
      await configuration.remove(caller, key, expectedOf(expected));
      return dialect.value(dialect.shapes.removedConfiguration(key), context);
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
