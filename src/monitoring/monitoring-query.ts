import type { Configuration } from '../configuration/configuration.ts';
import { ServiceError } from '../kernel/errors.ts';
import type { Grant } from '../policy/access-control.ts';

declare module '../kernel/errors.ts' {
  interface ErrorPayloads {
    'token-status.unknown': { readonly status: string };
  }
}

/** Name of the tokens and users without a realm, in requests and among the realms of a report. */
export const NO_REALM = '/:no realm:/';
const EVERYTHING = '*';

/** The realms that a caller may see. */
interface VisibleRealms {
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

const TRAITS = ['assigned', 'unassigned', 'active', 'inactive'] as const;
type Trait = (typeof TRAITS)[number];

/** Counted in every answer, requested or not. */
export const TOTAL = 'total';
/** Users who own an active token; counted in every answer, requested or not. */
export const TOTAL_USERS = 'total users';
const ALWAYS_COUNTED = ['', TOTAL, TOTAL_USERS];

/**
 * Maximum number of statuses: all orders of all combinations of the four traits. A longer list can only exhaust the
 * server.
 */
const MAX_STATUSES = 64;

/** Counted facts of a token. */
export interface CountedTraits {
  readonly active: boolean;
  readonly assigned: boolean;
}

/** A status by which tokens are counted: they must have all of its traits. */
export interface TokenStatus {
  /** In the client's spelling: `unassigned&inactive`. */
  readonly name: string;
  readonly traits: readonly Trait[];
}

/**
 * Reads the parameter `status`: a comma list of traits, several joined by `&` for tokens that have all of them. Blanks
 * are dropped around commas, not around `&`; empty and repeated entries and the two that are always counted add
 * nothing.
 * @param text undefined if the client sent none
 * @returns the statuses in the requested order
 * @throws ServiceError 'token-status.unknown', 'parameter.invalid' for too many of them
 */
export function parseStatuses(text: string | undefined): readonly TokenStatus[] {
  const entries = (text ?? '').split(',').map((entry) => entry.trim());
  const names = [...new Set(entries)].filter((name) => !ALWAYS_COUNTED.includes(name));
  if (names.length > MAX_STATUSES) {
    throw new ServiceError(
      'parameter.invalid',
      `Too many values of status: at most ${MAX_STATUSES} are counted at once.`,
    );
  }
  return names.map((name) => ({ name, traits: name.split('&').map(parseTrait) }));
}

/** @returns true if a token has all traits of the status */
export function hasStatus(token: CountedTraits, status: TokenStatus): boolean {
  return status.traits.every((trait) => hasTrait(token, trait));
}

function parseTrait(word: string): Trait {
  const trait = TRAITS.find((known) => known === word);
  if (trait === undefined) {
    throw new ServiceError('token-status.unknown', `There is no token status '${word}'`, { status: word });
  }
  return trait;
}

function hasTrait(token: CountedTraits, trait: Trait): boolean {
  switch (trait) {
    case 'assigned':
      return token.assigned;
    case 'unassigned':
      return !token.assigned;
    case 'active':
      return token.active;
    case 'inactive':
      return !token.active;
  }
}
