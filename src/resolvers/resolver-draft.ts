import { ServiceError } from '../kernel/errors.ts';
import type { Caller } from '../policy/caller.ts';
import { readResolverName } from './resolver-name.ts';
import type { ResolverFiles } from './ports.ts';
import { SETTINGS_RULES } from './settings/settings-rules.ts';
import { RESOLVER_KINDS, type Resolver } from '../configuration/configuration.ts';

/** A resolver as somebody writes it. */
export interface ResolverDraft {
  readonly name: string;
  readonly kind: string;
  /** By kind, see `SETTINGS_RULES`; names in any case. The secret may be among them: an empty one is none given. */
  readonly settings: Readonly<Record<string, string>>;
  /** What it logs in with. null: nothing from now on; undefined: as it is, unless it is among the settings. */
  readonly secret?: string | null | undefined;
}

/** A resolver that is fit to be stored. */
export interface CheckedResolver extends Pick<Resolver, 'name' | 'kind' | 'settings'> {
  /** null: none from now on; undefined: the one that it has. */
  readonly secret: string | null | undefined;
  /** Names of settings: while one of them changes, the secret must be given again. */
  readonly secretBoundTo: readonly string[];
}

const MAX_SECRET_LENGTH = 1_024;

/**
 * @returns the resolver that a draft means
 * @throws ServiceError 'parameter.invalid' for its name, 'resolver.invalid' that says what its kind takes
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
  const all = rule.check(draft.settings);
  const settings = Object.fromEntries(Object.entries(all).filter(([key]) => key !== rule.secret));
  const secret = draft.secret === undefined ? all[rule.secret ?? ''] : draft.secret;
  if (typeof secret === 'string') {
    assertSecret(secret, rule.secret);
  }
  return { name, kind, settings, secret, secretBoundTo: rule.secretBoundTo };
}

/**
 * Paths of the machine are for the operator. A database behind a socket may believe whoever reaches it as this service's
 * account, without a password; the embedded one does. What is wrong with a file tells something of what it holds, so over
 * HTTP files are named only where the operator says.
 * @throws ServiceError 'resolver.invalid'
 */
export async function assertNoForeignPath(
  { principal }: Caller,
  { kind, settings }: Pick<CheckedResolver, 'kind' | 'settings'>,
  files: ResolverFiles,
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
