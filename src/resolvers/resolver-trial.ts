import type { Resolver } from '../configuration/configuration.ts';
import { ServiceError } from '../kernel/errors.ts';
import type { Act } from '../policy/caller.ts';
import type { Examination, ResolverSecrets, UserSource, UserSources } from './user-source.ts';
import type { CheckedResolver } from './resolver-draft.ts';
import { comparableLogin } from './resolver-lookup.ts';

/** Opens sources for a trial, with secrets that are not stored. */
export interface TrialParts {
  readonly secrets: ResolverSecrets;
  readonly open: (secrets: ResolverSecrets) => UserSources & { close(): Promise<void> };
}

/** Writes the audit row of a trial, which changes nothing else. */
export type NoteTrial = (resolver: string, outcome: string, act: Act) => Promise<void>;

/** A login that nobody has, to search for in a trial. */
const NOBODY = 'tankeeper-test';

/**
 * @throws ServiceError 'resolver.unavailable' with the reason why its users cannot be read; 'resolver.invalid' where any
 *   login finds a user
 */
export async function examineUsers(source: UserSource): Promise<Examination> {
  // A search uses settings that counting does not.
  const found = await source.findByLogin(NOBODY);
  if (found !== undefined && comparableLogin(found.login) !== NOBODY) {
    throw new ServiceError(
      'resolver.invalid',
      `The search for a login finds other users: '${NOBODY}' found '${found.login.slice(0, 100)}'`,
    );
  }
  return source.examine();
}

/** @returns true if every entry is a user with an id of its own, and every line an entry */
export function isUsual({ entries, users, sharingId, passedOver }: Examination): boolean {
  return entries === users && sharingId === 0 && passedOver === undefined;
}

function describePassedOver(passedOver: Examination['passedOver']): string {
  if (passedOver === undefined) {
    return '';
  }
  const { lines, first } = passedOver;
  const more = lines > first.length ? ', …' : '';
  return `; ${lines === 1 ? '1 line is' : `${lines} lines are`} passed over: ${first.join(', ')}${more}`;
}

/** @returns what the test of a resolver found, such as `17 entries, 0 usable: 17 without id` */
export function describeExamination(found: Examination): string {
  const { entries, users, withoutId, withoutLogin, sharingId, passedOver } = found;
  const unusable = [
    ...(withoutId > 0 ? [`${withoutId} without id`] : []),
    ...(withoutLogin > 0 ? [`${withoutLogin} without login`] : []),
  ];
  const usable =
    unusable.length === 0 ? `${users} users` : `${entries} entries, ${users} usable: ${unusable.join(', ')}`;
  const sharing =
    sharingId === 0 ? '' : `; ${sharingId} have an id that another one has as well, and own the same tokens`;
  return `${usable}${sharing}${describePassedOver(passedOver)}`;
}

/**
 * @returns the settings whose change would send the stored secret to another server or user; empty if none is stored,
 *   or another one is given
 */
export function secretBoundChanges(
  { secret, secretBoundTo, settings }: Pick<CheckedResolver, 'secret' | 'secretBoundTo' | 'settings'>,
  known: Pick<Resolver, 'settings' | 'secretStamp'> | undefined,
): readonly string[] {
  return typeof known?.secretStamp === 'string' && secret === undefined
    ? secretBoundTo.filter((key) => known.settings[key] !== settings[key])
    : [];
}

/** @returns the refusal of a change that would send the stored secret to another server or user */
export function secretNeededAgain(name: string, changed: readonly string[]): ServiceError {
  return new ServiceError(
    'resolver.invalid',
    `The password of the resolver '${name}' must be given again, as ${changed.join(', ')} would change: ` +
      'it was not meant for another server or user',
  );
}

/** @returns the refusal of a change of a resolver's kind */
export function kindIsFixed(
  { name, kind }: Pick<Resolver, 'name' | 'kind'>,
  requested: string,
): ServiceError {
  return new ServiceError(
    'resolver.invalid',
    `The resolver '${name}' is of the kind ${kind} and cannot become ${requested}`,
  );
}

/** The subject of a trial. */
interface RequestedTrial {
  readonly checked: CheckedResolver;
  /** The stored resolver of that name. */
  readonly known: Resolver | undefined;
  readonly isBounded: boolean;
}

/**
 * Runs the work with the users of a resolver as it would be, over connections of its own, which are closed at the end.
 * The stored secret must be bound to the same server, see `secretBoundChanges`.
 */
export async function withTrialSource<T>(
  { secrets, open }: TrialParts,
  { checked, known, isBounded }: RequestedTrial,
  work: (source: UserSource) => Promise<T>,
): Promise<T> {
  const secret = await secretOf(checked, known, secrets);
  const sources = open({ open: () => Promise.resolve(secret) });
  try {
    const { name, kind, settings } = checked;
    const tried = { id: known?.id ?? '0', name, kind, settings, isBounded, secretStamp: 'trial' };
    return await work(sources(tried));
  } finally {
    await sources.close();
  }
}

async function secretOf(
  { secret }: CheckedResolver,
  known: Resolver | undefined,
  stored: ResolverSecrets,
): Promise<string | undefined> {
  if (secret !== undefined) {
    return secret ?? undefined;
  }
  // One that has been replaced since the settings were compared may be for another server.
  return known === undefined ? undefined : stored.open(known, known.secretStamp);
}
