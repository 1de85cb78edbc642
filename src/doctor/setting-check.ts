import { checkOcraSettings, OCRA_DEFAULTS } from '../challenges/ocra-settings.ts';
import type { Configuration } from '../configuration/configuration.ts';
import { isServiceError } from '../kernel/errors.ts';
import { type Finding, found } from './finding.ts';

/** @returns findings about configuration values that are invalid, or that no part of the server reads */
export function checkSettings({ settings }: Configuration): readonly Finding[] {
  const unknown = [...settings.keys()].filter((key) => !OCRA_DEFAULTS.has(key));
  return [
    ...invalid(settings),
    ...(unknown.length === 0
      ? []
      : [
          found(
            'note',
            'settings.unknown',
            `configuration values that the server does not read: ${unknown.join(', ')}`,
            `\`tankeeper setting remove ${unknown[0] ?? ''}\`; the known ones are ${[...OCRA_DEFAULTS.keys()].join(', ')}`,
          ),
        ]),
  ];
}

function invalid(settings: Configuration['settings']): readonly Finding[] {
  try {
    checkOcraSettings(settings);
    return [];
  } catch (error) {
    if (isServiceError(error, 'configuration.invalid')) {
      return [found('error', 'settings.invalid', error.message, '`tankeeper setting set KEY VALUE`')];
    }
    throw error;
  }
}
