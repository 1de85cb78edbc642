import type { Grant } from '../policy/access-control.ts';
import type { Configuration } from '../configuration/configuration.ts';
import { ServiceError } from '../kernel/errors.ts';

/** How clients name what belongs to no realm; shown among realms under this name. */
export const NO_REALM = '/:no realm:/';
const EVERYTHING = '*';

/** The realms that somebody may look into. */
export interface VisibleRealms {
  /** Sorted by name. */
  readonly realms: readonly string[];
  /** Whether what belongs to no realm may be seen: by those who may see all realms. */
  readonly noRealm: boolean;
}

/** @returns the realms that exist and that the grant covers */
export function visibleRealms(configuration: Configuration, grant: Grant): VisibleRealms {
  const names = configuration.realms.map(({ name }) => name);
  if (grant.realms === 'all') {
    return { realms: names, noRealm: true };
  }
  const granted = new Set(grant.realms);
  return { realms: names.filter((name) => granted.has(name)), noRealm: false };
}

/**
 * Reads the parameter `realms`, a comma list of names in any case: nothing means all that are visible, `*` anywhere
 * in the list (as it stands, without blanks) also what is in no realm. Names that do not exist and names that are
 * not visible are treated alike and left out, so that nobody finds out which realms there are.
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
  const asked = entries.map((entry) => entry.trim().toLowerCase());
  const permitted = new Set(everything);
  const chosen = [...new Set(asked)].filter((name) => permitted.has(name));
  if (chosen.length === 0) {
    throw new ServiceError('right.missing', 'None of these realms may be seen', { realms: asked });
  }
  return chosen;
}
