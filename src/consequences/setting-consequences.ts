import { OCRA_DEFAULTS, readOcraSettings, type OcraSettings } from '../challenges/ocra-settings.ts';
import { isServiceError } from '../kernel/errors.ts';
import { type Consequence, consequence } from './consequence.ts';

/** Wrong responses; fewer lock out people who mistype. */
const FEW_WRONG = 3;

/**
 * @param value the new one; undefined: the default applies again
 * @returns the consequences of a change of a configuration value, which closes or locks
 * @throws ServiceError 'configuration.invalid'
 */
export function settingConsequences(
  settings: ReadonlyMap<string, string>,
  key: string,
  value: string | undefined,
): readonly Consequence[] {
  const after = new Map([...settings, [key, value ?? OCRA_DEFAULTS.get(key) ?? '']]);
  if (!OCRA_DEFAULTS.has(key)) {
    return [];
  }
  const is = readOcraSettings(after);
  const was = readable(settings);
  return was === undefined ? [] : changes(was, is);
}

/** @returns undefined where a stored value is invalid, which the change may mend */
function readable(settings: ReadonlyMap<string, string>): OcraSettings | undefined {
  try {
    return readOcraSettings(settings);
  } catch (error) {
    if (isServiceError(error, 'configuration.invalid')) {
      return undefined;
    }
    throw error;
  }
}

function changes(was: OcraSettings, is: OcraSettings): readonly Consequence[] {
  return [
    ...consequence(
      is.challengeTimeout < was.challengeTimeout,
      'setting.expiry',
      `open challenges that are older than ${is.challengeTimeout} s expire at once`,
      { count: is.challengeTimeout },
    ),
    ...consequence(
      is.maxChallenges < was.maxChallenges,
      'setting.challenges',
      `a token's next challenge leaves at most ${is.maxChallenges} open, and closes older ones`,
      { count: is.maxChallenges },
    ),
    ...consequence(
      is.maxChallengeRequests < was.maxChallengeRequests,
      'setting.attempts',
      `a challenge closes after ${is.maxChallengeRequests} wrong responses, also one that is open now`,
      { count: is.maxChallengeRequests },
    ),
    ...consequence(
      is.defaultMaxFail < Math.min(was.defaultMaxFail, FEW_WRONG),
      'setting.lock',
      `new tokens are locked after ${is.defaultMaxFail} wrong responses`,
      { count: is.defaultMaxFail },
    ),
    ...consequence(
      is.timeWindow < was.timeWindow || is.timeShift !== was.timeShift,
      'setting.clock',
      'responses of devices whose clocks differ are refused: the window of time changes',
    ),
  ];
}
