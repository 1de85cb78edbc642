import { checkOcraSettings, OCRA_DEFAULTS } from '../challenges/ocra-settings.ts';
import { canonicalKey } from '../configuration/setting.ts';
import { isServiceError } from '../kernel/errors.ts';
import type { ConfigTable, ConfigValue } from './config-table.ts';
import type { Mapped } from './mapped.ts';
import { isPolicyKey } from './policy-mapping.ts';
import { isRealmKey } from './realm-mapping.ts';
import { isResolverKey } from './resolver-mapping.ts';

/** A value of the configuration. */
export interface ImportedSetting {
  readonly key: string;
  /** Empty for a secret one. */
  readonly value: string;
  /** null: it is not secret. */
  readonly secret: string | null;
  readonly type: string | null;
  readonly description: string | null;
}

/** Keys that describe the old server only. */
const OF_THE_OLD_SERVER: Readonly<Partial<Record<string, string>>> = {
  'linotp.root': 'a folder of the old server',
  'linotp.uencode_data': 'the encoding of the old database',
  'linotp.utf8_conversion': 'the encoding of the old database',
  'linotp.sql_data_model_version': 'the version of the old database',
  'linotp.Config': 'the time of the last change on the old server',
};
const KEY = /^[\p{L}\p{N}_][\p{L}\p{N}_.:-]{0,254}$/u;

/** @returns the values of the configuration that are neither resolvers nor realms nor policies */
export function mapSettings(config: ConfigTable): readonly Mapped<ImportedSetting>[] {
  return [...config.values()]
    .filter(({ key }) => !isResolverKey(key) && !isRealmKey(key) && !isPolicyKey(key))
    .sort((one, other) => (one.key < other.key ? -1 : 1))
    .map(mapSetting);
}

function mapSetting(value: ConfigValue): Mapped<ImportedSetting> {
  const key = canonicalKey(value.key, OCRA_DEFAULTS.keys());
  const reason = reasonToLeave(key, value);
  if (reason !== undefined) {
    return { name: key, row: `Config ${value.key}`, value: undefined, reasons: [reason] };
  }
  const setting = {
    key,
    value: value.isSecret ? '' : value.value,
    secret: value.isSecret ? value.value : null,
    type: value.type === '' ? null : value.type,
    description: value.description === '' ? null : value.description,
  };
  return { name: key, row: `Config ${value.key}`, value: setting, reasons: [] };
}

function reasonToLeave(key: string, value: ConfigValue): string | undefined {
  if (value.fault !== undefined) {
    return value.fault;
  }
  if (OF_THE_OLD_SERVER[value.key] !== undefined) {
    return OF_THE_OLD_SERVER[value.key];
  }
  if (!KEY.test(key)) {
    return 'a key of the configuration has letters, digits and any of _ . : -';
  }
  return OCRA_DEFAULTS.has(key) ? faultOfOcraSetting(key, value.value) : undefined;
}

/** A value that cannot be read would make every challenge fail. */
function faultOfOcraSetting(key: string, value: string): string | undefined {
  try {
    checkOcraSettings(new Map([...OCRA_DEFAULTS, [key, value]]));
    return undefined;
  } catch (error) {
    if (isServiceError(error, 'configuration.invalid')) {
      return `${error.message}; the default ${OCRA_DEFAULTS.get(key) ?? ''} applies`;
    }
    throw error;
  }
}
