import { checkOcraSettings, OCRA_DEFAULTS } from '../challenges/ocra-settings.ts';
import type { Configuration } from '../configuration/configuration.ts';
import { ERROR_RESTRICTION } from '../configuration/setting.ts';
import { isServiceError } from '../kernel/errors.ts';
import { nearestName } from '../kernel/text.ts';
import { type Finding, findingOf } from './finding.ts';

/** @returns findings about configuration values that are invalid, or that no part of the server reads */
export function checkSettings({ settings }: Configuration): readonly Finding[] {
  const unknown = [...settings.keys()].filter((key) => key !== ERROR_RESTRICTION && !OCRA_DEFAULTS.has(key));
  return [
    ...invalid(settings),
    ...(unknown.length === 0
      ? []
      : [
          findingOf(
            'note',
            'settings.unknown',
            `configuration values that the server does not read: ${unknown.map(withNearest).join(', ')}`,
            `\`tankeeper setting remove ${unknown[0] ?? ''}\`; the known ones are ${[...OCRA_DEFAULTS.keys()].join(', ')}`,
          ),
        ]),
  ];
}

function withNearest(key: string): string {
  const nearest = nearestName(key, OCRA_DEFAULTS.keys());
  return nearest === undefined ? key : `${key} (did you mean ${nearest}?)`;
}

function invalid(settings: Configuration['settings']): readonly Finding[] {
  try {
    checkOcraSettings(settings);
    return [];
  } catch (error) {
    if (isServiceError(error, 'configuration.invalid')) {
      return [findingOf('error', 'settings.invalid', error.message, '`tankeeper setting set KEY VALUE`')];
    }
    throw error;
  }
}
