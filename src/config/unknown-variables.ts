import { nearestName } from '../kernel/text.ts';
import type { Environment } from './environment.ts';
import { VARIABLES } from './variables.ts';

/** A variable that looks like one of ours and is none. */
export interface UnknownVariable {
  readonly name: string;
  /** The known variable that was probably meant. */
  readonly nearest: string | undefined;
}

/** Beginnings that other programs do not use. A name with another beginning counts only if it is close to a known one. */
const OWN_PREFIXES = [
  'WIRE_',
  'LIMIT_',
  'MONITORING_',
  'PKCS11_',
  'RESOLVER_',
  'CHALLENGE_',
  'AUDIT_',
  'HOUSEKEEPING_',
];

/** Characters; HOST and PORT are too close to the names of other programs. */
const MIN_LENGTH = 7;
/** Edits of a typing error. */
const CLOSE = 2;

/** @returns the variables that are probably misspelt, by name; unset and empty ones do not count */
export function unknownVariables(environment: Environment = process.env): readonly UnknownVariable[] {
  const known = VARIABLES.map(({ name }) => name);
  const long = known.filter((name) => name.length >= MIN_LENGTH);
  return Object.entries(environment)
    .filter(([name, value]) => value !== undefined && value !== '' && !known.includes(name))
    .map(([name]) => ({
      name,
      nearest: nearestName(name, long),
      isClose: nearestName(name, long, CLOSE) !== undefined,
    }))
    .filter(({ name, isClose }) => isClose || OWN_PREFIXES.some((prefix) => name.startsWith(prefix)))
    .map(({ name, nearest }) => ({ name, nearest }))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** @returns a sentence for people; never the value, which may be a secret */
export function describeUnknownVariable({ name, nearest }: UnknownVariable): string {
  const suggestion = nearest === undefined ? '' : `: did you mean ${nearest}?`;
  return `unknown variable ${name}${suggestion}`;
}
