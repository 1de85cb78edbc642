/** A setting, as /system/resolverKinds answers it. */
export interface ResolverSetting {
  readonly name: string;
  readonly meaning: string;
  readonly required: boolean;
  readonly default: string | null;
  readonly values: readonly string[] | null;
  readonly example: string | null;
  readonly form: 'line' | 'lines' | 'json';
  readonly secret: boolean;
  readonly bound: boolean;
}

/** A kind of resolver with its settings. */
export interface ResolverKind {
  readonly kind: string;
  readonly meaning: string;
  readonly settings: readonly ResolverSetting[];
}

/** A resolver, as /system/getResolvers answers it: its settings besides its name and kind, an empty password. */
interface StoredResolver extends Readonly<Record<string, string>> {
  readonly name: string;
  readonly type: string;
}

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

/** @returns the settings of a kind that the form has */
export function settingsInForm({ settings }: ResolverKind): readonly ResolverSetting[] {
  return settings.filter(({ name }) => name !== LEFT_OUT);
}

/** @returns the form of a stored resolver, with an empty password */
export function draftOf({ name, type, ...settings }: StoredResolver): Draft {
  return { name, kind: type, values: settings, removesPassword: false };
}

/** @returns the form after it was saved: the password is forgotten */
export function withoutPassword(draft: Draft, { settings }: ResolverKind): Draft {
  const secrets = settings.filter(({ secret }) => secret).map(({ name }) => [name, ''] as const);
  return { ...draft, values: { ...draft.values, ...Object.fromEntries(secrets) }, removesPassword: false };
}

/** @returns the parameters of the requests that try and store it */
export function parametersOf({ name, kind, values, removesPassword }: Draft): {
  readonly name: string;
  readonly type: string;
} {
  // The interface has them in lower case.
  const filled = Object.entries(values).flatMap(([setting, value]) =>
    value.trim() === '' ? [] : [[setting.toLowerCase(), value] as const],
  );
  return {
    ...Object.fromEntries(filled),
    ...(removesPassword && { remove_password: '1' }),
    name,
    type: kind,
  };
}

/**
 * @param stored the resolver as it was read; undefined: a new one
 * @returns the parameter `expected`: the settings without the password
 */
export function expectedOf(stored: StoredResolver | undefined, kind: ResolverKind | undefined): string {
  if (stored === undefined) {
    return 'null';
  }
  const secrets = (kind?.settings ?? []).filter(({ secret }) => secret).map(({ name }) => name);
  const settings = Object.entries(draftOf(stored).values).filter(([name]) => !secrets.includes(name));
  return JSON.stringify(Object.fromEntries(settings));
}
