import type { Grant } from '../policy/access-control.ts';
import type { Configuration } from '../configuration/configuration.ts';
import { ServiceError } from '../kernel/errors.ts';

/** Name of the tokens and users without a realm, in requests and among the realms of a report. */
export const NO_REALM = '/:no realm:/';
const EVERYTHING = '*';

/** The realms that a caller may see. */
export interface VisibleRealms {
  /** Sorted by name. */
  readonly realms: readonly string[];
  /** True if tokens and users without a realm may be seen: with the right to all realms. */
  readonly noRealm: boolean;
}

/** @returns the existing realms that the grant covers */
export function visibleRealms(configuration: Configuration, grant: Grant): VisibleRealms {
  const names = configuration.realms.map(({ name }) => name);
  if (grant.realms === 'all') {
    return { realms: names, noRealm: true };
  }
  const granted = new Set(grant.realms);
  return { realms: names.filter((name) => granted.has(name)), noRealm: false };
}

/**
 * Reads the parameter `realms`, a comma list of names in any case: an empty one means all visible realms, `*` anywhere
 * in the list (as an entry without blanks) also `NO_REALM`. Unknown and invisible names are both left out, so that the
 * answer does not reveal which realms exist.
 * @returns names of visible realms and perhaps `NO_REALM`, each once; an explicit list keeps its order
 * @throws ServiceError 'right.missing' when no name of the list is left
 */
export function chooseRealms(visible: VisibleRealms, text: string | undefined): readonly string[] {
  if (text === undefined || text === '') {
    return visible.realms;
  }
  const everything = visible.noRealm ? [...visible.realms, NO_REALM] : visible.realms;
  const entries = text.split(',');
  if (entries.includes(EVERYTHING)) {
    return everything;
  }
  const names = entries.map((entry) => entry.trim().toLowerCase());
  const permitted = new Set(everything);
  const chosen = [...new Set(names)].filter((name) => permitted.has(name));
  if (chosen.length === 0) {
    throw new ServiceError('right.missing', 'None of these realms may be seen', { realms: names });
  }
  return chosen;
}
