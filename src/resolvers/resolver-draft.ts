import type { ExpectedResolver } from '../configuration/expected-state.ts';
import type { FileBounds } from './sources/file-bounds.ts';
import { ServiceError } from '../kernel/errors.ts';
import type { Caller } from '../policy/caller.ts';
import { readResolverName } from './resolver-lookup.ts';
import { checkSettings, SETTINGS_RULES } from './settings/settings-rules.ts';
import { RESOLVER_KINDS, type Resolver } from '../configuration/configuration.ts';

export interface ResolverDraft {
  readonly name: string;
  /** The name that it has, where it is to be renamed. Empty, or the same: it keeps its name. */
  readonly previousName?: string | undefined;
  readonly kind: string;
  /**
   * The settings of its kind, see `SETTINGS_RULES`; names in any case. May include the secret; an empty one counts as
   * absent.
   */
  readonly settings: Readonly<Record<string, string>>;
  /** The secret to log in with. null: removes it; undefined: keeps it, unless it is among the settings. */
  readonly secret?: string | null | undefined;
  /** The resolver that the caller has read and changed. Undefined: any is replaced. */
  readonly expected?: ExpectedResolver | undefined;
}

export interface CheckedResolver extends Pick<Resolver, 'name' | 'kind' | 'settings'> {
  /** null: removes it; undefined: keeps it. */
  readonly secret: string | null | undefined;
  /** Names of settings whose change requires the secret again. */
  readonly secretBoundTo: readonly string[];
}

const MAX_SECRET_LENGTH = 1_024;

/**
 * @returns the validated resolver
 * @throws ServiceError 'parameter.invalid' for its name, 'resolver.invalid' with the settings of its kind
 */
export function checkResolver(draft: ResolverDraft): CheckedResolver {
  const name = readResolverName(draft.name);
  const kind = RESOLVER_KINDS.find((known) => known === draft.kind);
  if (kind === undefined) {
    throw invalid(
      `Unknown kind of resolver '${draft.kind.slice(0, 100)}'. Known: ${RESOLVER_KINDS.join(', ')}.`,
    );
  }
  const rule = SETTINGS_RULES[kind];
  const all = checkSettings(kind, draft.settings);
  const settings = Object.fromEntries(Object.entries(all).filter(([key]) => key !== rule.secret));
  const embedded = all[rule.secret ?? ''];
  if (draft.secret === null && embedded !== undefined) {
    throw invalid('Give a password or remove the stored one, not both');
  }
  const secret = draft.secret === undefined ? embedded : draft.secret;
  if (typeof secret === 'string') {
    assertSecret(secret, rule.secret);
  }
  return { name, kind, settings, secret, secretBoundTo: rule.secretBoundTo };
}

/**
 * Reserves paths of the machine for the operator. A database behind a socket may trust this service's account without a
 * password, as the embedded one does. Errors about a file reveal something of its content, so over HTTP only files in
 * the folders of RESOLVER_FILE_DIRS may be named.
 * @throws ServiceError 'resolver.invalid'
 */
export async function assertNoForeignPath(
  { principal }: Caller,
  { kind, settings }: Pick<CheckedResolver, 'kind' | 'settings'>,
  files: Pick<FileBounds, 'assertNamable'>,
): Promise<void> {
  if (principal.operator) {
    return;
  }
  if (kind === 'sql' && settings.Server?.startsWith('/') === true) {
    throw new ServiceError(
      'resolver.invalid',
      'The setting Server is the path of a socket, which only the command `tankeeper resolver` takes',
    );
  }
  if (settings.fileName !== undefined) {
    await files.assertNamable(settings.fileName);
  }
}

/**
 * Asserts that a stored resolver may become the checked one.
 * @throws ServiceError 'resolver.invalid' where its kind would change, or the stored secret would be sent to another
 *   server or user
 */
export function assertChangeable(
  {
    name,
    kind,
    settings,
    secret,
    secretBoundTo,
  }: Omit<CheckedResolver, 'secret'> & { readonly secret: unknown },
  stored: Pick<Resolver, 'kind' | 'settings'> & { readonly hasSecret: boolean },
): void {
  if (stored.kind !== kind) {
    throw kindIsFixed({ name, kind: stored.kind }, kind);
  }
  const changed = secretBoundTo.filter((key) => stored.settings[key] !== settings[key]);
  if (stored.hasSecret && secret === undefined && changed.length > 0) {
    throw invalid(
      `The password of the resolver '${name}' must be given again, as ${changed.join(', ')} would change: ` +
        'it was not meant for another server or user',
    );
  }
}

export function kindIsFixed(
  { name, kind }: Pick<Resolver, 'name' | 'kind'>,
  requested: string,
): ServiceError {
  return invalid(`The resolver '${name}' is of the kind ${kind} and cannot become ${requested}`);
}

function assertSecret(secret: string, setting: string | undefined): void {
  if (setting === undefined) {
    throw invalid('A resolver of this kind has no password');
  }
  if (secret === '' || secret.length > MAX_SECRET_LENGTH || /\p{Cc}|\p{Surrogate}/u.test(secret)) {
    throw invalid(
      `The password (${setting}) has 1 to ${MAX_SECRET_LENGTH} characters, none of them a control character`,
    );
  }
}

function invalid(message: string): ServiceError {
  return new ServiceError('resolver.invalid', message);
}
