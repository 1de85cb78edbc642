import type { Resolver } from '../configuration/configuration.ts';
import type { ConfigurationStore } from '../configuration/configuration-store.ts';
import type { FileBounds } from './sources/file-bounds.ts';
import { isServiceError, ServiceError } from '../kernel/errors.ts';
import type { Vault } from '../keys/vault.ts';
import { actOf, type Caller } from '../policy/caller.ts';
import type { Examination, UserSources } from './user-source.ts';
import {
  assertNoForeignPath,
  checkResolver,
  type ResolverDraft,
  secretBoundChanges,
} from './resolver-draft.ts';
import { assertInNoRealm, readResolverName, requireResolver, unknownReference } from './resolver-lookup.ts';
import { examineUsers, type TrialParts, withTrialSource } from './resolver-trial-service.ts';

interface ResolverDependencies {
  readonly configuration: ConfigurationStore;
  readonly sources: UserSources;
  readonly vault: Pick<Vault, 'seal' | 'open'>;
  readonly files: Pick<FileBounds, 'assertNamable'>;
  /** Undefined: a draft cannot be tried. */
  readonly trial?: TrialParts;
}

/** Resolvers, without their users. */
export class ResolverService {
  readonly #deps: ResolverDependencies;

  constructor(dependencies: ResolverDependencies) {
    this.#deps = dependencies;
  }

  /** @returns resolvers by name */
  async list(): Promise<readonly Resolver[]> {
    return (await this.#deps.configuration.current()).resolvers;
  }

  /** @throws ServiceError 'resolver.unknown' */
  async show(name: string): Promise<Resolver> {
    return requireResolver(await this.#deps.configuration.current(), name);
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

  /**
   * Reads the users of a resolver that is not stored, within the time limit of resolvers. For operators at the machine.
   * A stored secret is sent only where the resolver would send it anyway.
   * @returns undefined where a trial tells nothing: a managed resolver, or one that `set` refuses
   * @throws ServiceError 'parameter.invalid', 'resolver.invalid', 'resolver.unavailable' with the reason why they cannot
   *   be read
   */
  async testDraft(caller: Caller, draft: ResolverDraft): Promise<Examination | undefined> {
    const { resolvers } = await this.#deps.configuration.current();
    const checked = checkResolver(draft);
    const { trial } = this.#deps;
    const known = resolvers.find(({ name }) => name === checked.name);
    const isTriable = checked.kind !== 'managed' && secretBoundChanges(checked, known).length === 0;
    if (trial === undefined || !caller.principal.operator || !isTriable) {
      return undefined;
    }
    return withTrialSource(trial, { checked, known, isBounded: false }, examineUsers);
  }
}

function previousNameOf({ previousName = '' }: ResolverDraft, name: string): string | undefined {
  const previous = previousName.trim() === '' ? name : readResolverName(previousName);
  return previous === name ? undefined : previous;
}
