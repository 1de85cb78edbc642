import { ServiceError } from '../kernel/errors.ts';
import { readResolverName } from './names.ts';
import type { Resolver, ResolverKind } from './setup.ts';

/** A resolver as somebody writes it. */
export interface ResolverDraft {
  readonly name: string;
  readonly kind: string;
  /** By kind: managed none, passwd `fileName`. */
  readonly settings: Readonly<Record<string, string>>;
}

const KINDS: readonly ResolverKind[] = ['managed', 'passwd'];
/** What LinOTP also reads users from, and this service does not. */
const NOT_SERVED: readonly string[] = ['sql', 'ldap', 'http'];

/**
 * @returns the resolver that a draft means
 * @throws ServiceError 'parameter.invalid' for its name, 'resolver.invalid' that says what its kind takes
 */
export function checkResolver(draft: ResolverDraft): Omit<Resolver, 'id'> {
  const name = readResolverName(draft.name);
  const kind = KINDS.find((known) => known === draft.kind);
  if (NOT_SERVED.includes(draft.kind)) {
    throw invalid(
      `Resolvers of the kind ${draft.kind} are not served: users come from resolvers of the kinds ${KINDS.join(' and ')}.`,
    );
  }
  if (kind === undefined) {
    throw invalid(`Unknown kind of resolver '${draft.kind.slice(0, 100)}'. Known: ${KINDS.join(', ')}.`);
  }
  return { name, kind, settings: kind === 'passwd' ? passwdSettings(draft) : managedSettings(draft) };
}

function managedSettings({ settings }: ResolverDraft): Readonly<Record<string, string>> {
  if (Object.keys(settings).length > 0) {
    throw invalid('A managed resolver takes no settings');
  }
  return {};
}

function passwdSettings({ settings }: ResolverDraft): Readonly<Record<string, string>> {
  const { fileName = '', ...others } = settings;
  const isAbsolute = /^(?:\/|[A-Za-z]:[\\/])/.test(fileName);
  if (!isAbsolute || fileName.length > 4096 || /\p{Cc}/u.test(fileName)) {
    throw invalid('A passwd resolver needs the absolute path of its file as fileName');
  }
  if (Object.keys(others).length > 0) {
    throw invalid('A passwd resolver takes the setting fileName only');
  }
  return { fileName };
}

function invalid(message: string): ServiceError {
  return new ServiceError('resolver.invalid', message);
}
