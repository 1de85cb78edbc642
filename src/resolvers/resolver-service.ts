import type { Resolver, Configuration } from '../configuration/configuration.ts';
import type { ConfigurationStore } from '../configuration/configuration-store.ts';
import type { FileBounds } from './sources/file-bounds.ts';
import { isServiceError, ServiceError } from '../kernel/errors.ts';
import type { Vault } from '../keys/vault.ts';
import { actOf, type Caller, type Act } from '../policy/caller.ts';
import {
  type Examination,
  isUsual,
  type Trial,
  type UserSources,
  type ResolverSecrets,
  ResolverUnavailable,
  type UserSource,
  beginningCondition,
  isSearchable,
} from './user-source.ts';
import {
  assertChangeable,
  assertNoForeignPath,
  checkResolver,
  type ResolverDraft,
  type CheckedResolver,
  kindIsFixed,
} from './resolver-draft.ts';
import {
  assertInNoRealm,
  readResolverName,
  requireResolver,
  unknownReference,
  comparableLogin,
} from './resolver-lookup.ts';
import { Semaphore, withTimeLimit } from '../kernel/bounded-work.ts';
import type { AccessControl } from '../policy/access-control.ts';

/** Resolvers, without their users. */
export class ResolverService {
  readonly #deps;

  constructor(dependencies: {
    readonly configuration: ConfigurationStore;
    readonly sources: UserSources;
    readonly vault: Pick<Vault, 'seal' | 'open'>;
    readonly files: Pick<FileBounds, 'assertNamable'>;
  }) {
    this.#deps = dependencies;
  }

  /** @returns resolvers by name */
  async list(): Promise<readonly Resolver[]> {
    return (await this.#deps.configuration.current()).resolvers;
  }

  async show(name: string): Promise<Resolver> {
    return requireResolver(await this.#deps.configuration.current(), name);
  }

  /**
   * @param given of a resolver that exists, the settings that are not given stay, and empty ones go
   * @returns the resolver as it would be; `expected` is null where it is a new one
   * @throws ServiceError 'parameter.invalid' for its name; 'resolver.invalid' for another kind than it has
   */
  async draft({
    name,
    kind,
    settings,
    ...given
  }: Pick<ResolverDraft, 'name' | 'settings' | 'secret'> & {
    readonly kind?: string | undefined;
  }): Promise<ResolverDraft> {
    const requested = readResolverName(name);
    const known = (await this.list()).find((one) => one.name === requested);
    if (known !== undefined && kind !== undefined && known.kind !== kind) {
      throw kindIsFixed(known, kind);
    }
    const { kind: own = kind ?? 'managed', settings: kept = {} } = known ?? {};
    return {
      ...given,
      name: requested,
      kind: own,
      settings: changedSettings(kept, settings),
      expected: known?.settings ?? null,
    };
  }

  /**
   * Creates, changes or renames a resolver, without reading its users (see `test`). Without a given secret, the stored
   * one stays. Tokens, realms and policies follow a new name.
   * @throws ServiceError 'parameter.invalid', 'resolver.invalid' for settings that its kind does not take, when the
   *   kind of an existing one would change, when its secret would be sent to another server, or when a caller other
   *   than the operator names a path of the machine that is reserved for the operator;
   *   'resolver.changed' where the stored one is not the expected one; 'resolver.unknown' for the previous name
   */
  async set(caller: Caller, draft: ResolverDraft): Promise<void> {
    const { secret, ...resolver } = checkResolver(draft);
    await assertNoForeignPath(caller, resolver, this.#deps.files);
    const sealed =
      typeof secret === 'string'
        ? this.#deps.vault.seal(Buffer.from(secret, 'utf8'), 'resolver', resolver.name)
        : secret;
    const isBounded = !caller.principal.operator;
    const { vault } = this.#deps;
    await this.#deps.configuration.putResolver(
      {
        ...resolver,
        isBounded,
        secret: sealed,
        expected: draft.expected,
        previousName: previousNameOf(draft, resolver.name),
        reseal: (kept, from) => vault.seal(vault.open(kept, 'resolver', from), 'resolver', resolver.name),
      },
      actOf(caller, 'resolver/set'),
    );
  }

  /** @throws ServiceError 'resolver.unknown', 'resolver.in-use' that names the realms that use it */
  async remove(caller: Caller, name: string): Promise<void> {
    const configuration = await this.#deps.configuration.current();
    const resolver = requireResolver(configuration, name);
    assertInNoRealm(configuration, resolver);
    if (!(await this.#deps.configuration.removeResolver(resolver.name, actOf(caller, 'resolver/remove')))) {
      throw unknownReference('resolver', name);
    }
  }

  /**
   * Reads the users of a resolver as a trial.
   * @throws ServiceError 'resolver.unknown', 'resolver.invalid' with the reason why they cannot be read
   */
  async test(name: string): Promise<Examination> {
    const configuration = await this.#deps.configuration.current();
    try {
      return await examineUsers(this.#deps.sources(requireResolver(configuration, name)));
    } catch (cause) {
      throw isServiceError(cause, 'resolver.unavailable')
        ? new ServiceError('resolver.invalid', cause.message, { cause })
        : cause;
    }
  }
}

/** @param changes names in any case */
function changedSettings(known: Resolver['settings'], changes: Resolver['settings']): Resolver['settings'] {
  const names = Object.keys(changes).map((key) => key.trim().toLowerCase());
  const kept = Object.entries(known).filter(([key]) => !names.includes(key.toLowerCase()));
  return { ...Object.fromEntries(kept), ...changes };
}

function previousNameOf({ previousName = '' }: ResolverDraft, name: string): string | undefined {
  const previous = previousName.trim() === '' ? name : readResolverName(previousName);
  return previous === name ? undefined : previous;
}

/** A resolver that is tried: its name alone stands for the stored one as it is; without a name it is a new one. */
type TriedResolver =
  | (Omit<ResolverDraft, 'name'> & { readonly name: string | undefined })
  | { readonly name: string; readonly kind?: undefined; readonly settings?: undefined };

/** The name of a resolver without one, in the audit. */
const UNNAMED = 'unnamed';

const MAX_SHOWN_USERS = 20;
/** More words find nobody. */
const MAX_WORDS = 4;
const TIMEOUT_MS = 20_000;
const AT_ONCE = 2;
const MAX_WAITING = 4;

/**
 * Tries resolvers for administrators before they are saved. A trial needs the right `system:write`, as it connects to
 * the address that the caller names, and is audited with that address before it does. It takes nothing that `ResolverService.set` would
 * refuse: no socket, no file outside RESOLVER_FILE_DIRS. The stored secret is used only for the server and the user
 * that it was stored for, at whatever moment it is replaced.
 */
export class ResolverTrialService {
  readonly #deps;
  readonly #turns = new Semaphore(AT_ONCE, {
    waiting: MAX_WAITING,
    timeoutMs: TIMEOUT_MS,
    refuse: () => new ServiceError('server.busy', 'Too many trials of resolvers at once', { retryAfter: 5 }),
  });

  constructor(dependencies: {
    readonly configuration: Pick<ConfigurationStore, 'current'>;
    readonly access: AccessControl;
    readonly files: Pick<FileBounds, 'assertNamable'>;
    readonly trial: TrialParts;
    /** Writes the audit row of a trial, which changes nothing else. */
    readonly noteTrial: (resolver: string, outcome: string, act: Act) => Promise<void>;
    /** Milliseconds; 20 000 by default. */
    readonly trialLimit?: number;
  }) {
    this.#deps = dependencies;
  }

  /**
   * Counts the users, and reads the first ones where the caller may list them.
   * @param sought words, each of which begins the login, a name or the e-mail address of the users that are read; empty:
   *   any users
   * @throws ServiceError 'parameter.invalid', 'resolver.invalid', 'resolver.unknown', 'server.busy'
   */
  async try(caller: Caller, tried: TriedResolver, sought = ''): Promise<Trial> {
    const configuration = await this.#deps.configuration.current();
    const requested = await this.#read(caller, configuration, tried);
    const { checked, known } = requested;
    const mayList = this.#mayList(caller, configuration, known);
    const note = (outcome: string): Promise<void> =>
      this.#deps.noteTrial(checked.name, `${outcome}${placeOf(checked)}`, actOf(caller, 'resolver/test'));
    const trial = await this.#turns.run(async () => {
      // First, so that no connection is made without a row.
      await note('begun');
      return withExplanation(caller, () =>
        withTrialSource(this.#deps.trial, requested, (source) => {
          const work = tryOut(source, mayList, sought);
          // A command has no time limit: a large directory may take minutes, and Ctrl-C ends it.
          return caller.principal.operator
            ? work
            : withTimeLimit(this.#deps.trialLimit ?? TIMEOUT_MS, work, () => late(checked.name));
        }),
      );
    });
    await note(trial.isReadable ? `done, ${trial.users} users` : 'failed');
    return trial;
  }

  async #read(caller: Caller, configuration: Configuration, tried: TriedResolver): Promise<RequestedTrial> {
    if (tried.kind === undefined) {
      const known = requireResolver(configuration, tried.name);
      const { name, kind, settings, isBounded } = known;
      return { checked: { name, kind, settings, secret: undefined, secretBoundTo: [] }, known, isBounded };
    }
    const checked = checkResolver({ ...tried, name: tried.name ?? UNNAMED });
    await assertNoForeignPath(caller, checked, this.#deps.files);
    const known =
      tried.name === undefined
        ? undefined
        : configuration.resolvers.find(({ name }) => name === checked.name);
    if (known !== undefined) {
      assertChangeable(checked, { ...known, hasSecret: typeof known.secretStamp === 'string' });
    }
    return { checked, known, isBounded: !caller.principal.operator };
  }

  /** Users of a resolver that is in no realm of the grant may be listed by those only who may list all. */
  #mayList(caller: Caller, configuration: Configuration, known: Resolver | undefined): boolean {
    const right = { scope: 'admin', action: 'userlist' } as const;
    const { realms = [] } = this.#deps.access.grantOf(configuration, caller, right) ?? {};
    return (
      realms === 'all' ||
      configuration.realms.some(
        ({ name, resolvers }) => realms.includes(name) && resolvers.includes(known?.name ?? ''),
      )
    );
  }
}

async function tryOut(source: UserSource, mayList: boolean, sought: string): Promise<Trial> {
  const found = await examineUsers(source);
  const conditions = sought
    .split(/\s+/)
    .filter((word) => word !== '')
    .map(beginningCondition);
  const isFindable = conditions.length <= MAX_WORDS && conditions.every(isSearchable);
  const first =
    mayList && isFindable ? await source.list({ conditions, limit: MAX_SHOWN_USERS + 1 }) : undefined;
  return {
    isReadable: true,
    users: found.users,
    ...(mayList && { first: (first ?? []).slice(0, MAX_SHOWN_USERS) }),
    hasMore: (first?.length ?? 0) > MAX_SHOWN_USERS,
    ...(!isUsual(found) && { found }),
  };
}

/** @returns the trial; that of a resolver that cannot be read with the reason, for operators with the server */
async function withExplanation({ principal }: Caller, work: () => Promise<Trial>): Promise<Trial> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ResolverUnavailable) {
      return { isReadable: false, reason: principal.operator ? error.describe() : error.reason };
    }
    throw error;
  }
}

function late(resolver: string): ResolverUnavailable {
  return new ResolverUnavailable({ resolver, reason: 'it has not told its users in time' });
}

const MAX_PLACE = 200;

/** @returns the tried address for the audit, without any secret */
function placeOf({ settings }: CheckedResolver): string {
  const { Server, Port, LDAPURI, fileName } = settings;
  const server = Server === undefined || Port === undefined ? Server : `${Server}:${Port}`;
  const place = server ?? LDAPURI ?? fileName;
  return place === undefined ? '' : `, at ${place.slice(0, MAX_PLACE)}`;
}

/** Opens sources for a trial, with secrets that are not stored. */
export interface TrialParts {
  readonly secrets: ResolverSecrets;
  readonly open: (secrets: ResolverSecrets) => UserSources & { close(): Promise<void> };
}

/** A login that nobody has, to search for in a trial. */
const NOBODY = 'tankeeper-test';

/**
 * @throws ServiceError 'resolver.unavailable' with the reason why its users cannot be read; 'resolver.invalid' where any
 *   login finds a user
 */
async function examineUsers(source: UserSource): Promise<Examination> {
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

interface RequestedTrial {
  readonly checked: CheckedResolver;
  /** The stored resolver of that name. */
  readonly known: Resolver | undefined;
  readonly isBounded: boolean;
}

/**
 * Runs the work with the users of a resolver as it would be, over connections of its own, which are closed at the end.
 * The stored secret must be bound to the same server, see `assertChangeable`.
 */
async function withTrialSource<T>(
  { secrets, open }: TrialParts,
  { checked: { name, kind, settings, secret }, known, isBounded }: RequestedTrial,
  work: (source: UserSource) => Promise<T>,
): Promise<T> {
  const usesStored = secret === undefined && known !== undefined;
  // One that has been replaced since the settings were compared may be for another server.
  const used = usesStored ? await secrets.open(known) : (secret ?? undefined);
  const sources = open({ open: () => Promise.resolve(used) });
  try {
    const tried = { id: known?.id ?? '0', name, kind, settings, isBounded, secretStamp: 'trial' };
    return await work(sources(tried));
  } finally {
    await sources.close();
  }
}
