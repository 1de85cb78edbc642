import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { call, type ParametersOf, type ValueOf } from '../api/call.ts';
import type { ShownResolver } from '../realms/realm-queries.ts';

type Described = ValueOf<'/admin/resolver/kinds'>;

export type ResolverSetting = Described['settings'][number];

/** A kind of resolver with its settings. */
export type ResolverKind = Described['kinds'][number] & { readonly settings: readonly ResolverSetting[] };

/** A resolver as it is in the form. */
export interface Draft {
  readonly name: string;
  readonly kind: string;
  /** The settings by name, the password among them where one is typed. */
  readonly values: Readonly<Record<string, string>>;
  /** True: the stored password is to be removed, and none is typed. */
  readonly removesPassword: boolean;
}

/** One URL in place of other settings; the form has these. */
const LEFT_OUT = 'Connect';

/** @returns the kinds of resolvers; they change with the server's version only */
export function useResolverKinds(): UseQueryResult<readonly ResolverKind[]> {
  return useQuery({
    queryKey: ['resolver-kinds'],
    queryFn: async ({ signal }) => {
      const { kinds, settings } = await call('/admin/resolver/kinds', {}, { signal });
      return kinds.map((one) => ({ ...one, settings: settings.filter(({ kind }) => kind === one.kind) }));
    },
    staleTime: Infinity,
  });
}

/** @returns the settings of a kind that the form has */
export function settingsInForm({ settings }: ResolverKind): readonly ResolverSetting[] {
  return settings.filter(({ name }) => name !== LEFT_OUT);
}

/** @returns the form of a stored resolver, without its password */
export function draftOf({ name, kind, settings }: ShownResolver): Draft {
  return { name, kind, values: settings, removesPassword: false };
}

/** @returns the form after it was saved: the password is forgotten */
export function withoutPassword(draft: Draft, { settings }: ResolverKind): Draft {
  const secrets = settings
    .filter(({ is_secret: isSecret }) => isSecret)
    .map(({ name }) => [name, ''] as const);
  return { ...draft, values: { ...draft.values, ...Object.fromEntries(secrets) }, removesPassword: false };
}

/** @returns the parameters of the requests that try and store it; a field that was emptied is removed */
export function parametersOf(
  { name, values, removesPassword }: Draft,
  { settings }: ResolverKind,
): ParametersOf<'/admin/resolver/set'> {
  const password = settings.find(({ is_secret: isSecret }) => isSecret)?.name;
  const set = Object.entries(values).filter(([setting]) => setting !== password);
  const secret = values[password ?? ''] ?? '';
  return {
    name,
    set: JSON.stringify(Object.fromEntries(set)),
    ...(secret !== '' && { secret }),
    ...(removesPassword && { remove_secret: '1' }),
  };
}
