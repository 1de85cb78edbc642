import type { Configuration, Resolver } from '../configuration/configuration.ts';
import type { ConfigurationStore } from '../configuration/ports.ts';
import { isServiceError, ServiceError } from '../kernel/errors.ts';
import type { Vault } from '../keys/vault.ts';
import type { AccessControl } from '../policy/access-control.ts';
import { actOf, type Caller } from '../policy/caller.ts';
import type { ResolverFiles, UserSources } from './ports.ts';
import { assertNoForeignPath, checkResolver, type ResolverDraft } from './resolver-draft.ts';
import { requireResolver, unknown } from './resolver-lookup.ts';

interface ResolverDependencies {
  readonly configuration: ConfigurationStore;
  readonly sources: UserSources;
  readonly access: AccessControl;
  readonly vault: Pick<Vault, 'seal'>;
  readonly files: ResolverFiles;
}

/** A login to search for in a trial; the trial ignores whether it is found. */
const NOBODY = 'tankeeper-test';

/** Resolvers. Each method throws ServiceError 'right.missing'; reading takes `system/read`, changing `system/write`. */
export class ResolverService {
  readonly #deps: ResolverDependencies;

  constructor(dependencies: ResolverDependencies) {
    this.#deps = dependencies;
  }

  /** @returns resolvers by name */
  async list(caller: Caller): Promise<readonly Resolver[]> {
    return (await this.#authorize(caller, 'read')).resolvers;
  }

  /** @throws ServiceError 'resolver.unknown' */
  async show(caller: Caller, name: string): Promise<Resolver> {
    return requireResolver(await this.#authorize(caller, 'read'), name);
  }

  /**
   * Creates or changes a resolver, without reading its users (see `test`). Without a given secret, the stored one stays.
   * @throws ServiceError 'parameter.invalid', 'resolver.invalid' for settings that its kind does not take, when the
   *   kind of an existing one would change, when its secret would be sent to another server, or when a caller other
   *   than the operator names a path of the machine that is reserved for the operator
   */
  async set(caller: Caller, draft: ResolverDraft): Promise<void> {
    await this.#authorize(caller, 'write');
    const { secret, ...resolver } = checkResolver(draft);
    await assertNoForeignPath(caller, resolver, this.#deps.files);
    const sealed =
      typeof secret === 'string'
        ? this.#deps.vault.seal(Buffer.from(secret, 'utf8'), 'resolver', resolver.name)
        : secret;
    const isBounded = !caller.principal.operator;
    await this.#deps.configuration.putResolver(
      { ...resolver, isBounded, secret: sealed },
      actOf(caller, 'resolver/set'),
    );
  }

  /** @throws ServiceError 'resolver.unknown', 'resolver.in-use' that names the realms that use it */
  async remove(caller: Caller, name: string): Promise<void> {
    const configuration = await this.#authorize(caller, 'write');
    const resolver = requireResolver(configuration, name);
    const realms = configuration.realms.filter(({ resolvers }) => resolvers.includes(resolver.name));
    if (realms.length > 0) {
      throw new ServiceError(
        'resolver.in-use',
        `The resolver '${resolver.name}' is in use by the realm ${realms.map((realm) => `'${realm.name}'`).join(', ')}`,
      );
    }
    if (!(await this.#deps.configuration.removeResolver(resolver.name, actOf(caller, 'resolver/remove')))) {
      throw unknown('resolver', name);
    }
  }

  /**
   * Reads the users of a resolver as a trial.
   * @returns the number of users
   * @throws ServiceError 'resolver.unknown', 'resolver.invalid' with the reason why they cannot be read
   */
  async test(caller: Caller, name: string): Promise<number> {
    const configuration = await this.#authorize(caller, 'read');
    try {
      const source = this.#deps.sources(requireResolver(configuration, name));
      // A search uses settings that counting does not.
      await source.findByLogin(NOBODY);
      return await source.count();
    } catch (cause) {
      throw isServiceError(cause, 'resolver.unavailable')
        ? new ServiceError('resolver.invalid', cause.message, { cause })
        : cause;
    }
  }

  #authorize(caller: Caller, action: 'read' | 'write'): Promise<Configuration> {
    return this.#deps.access.authorizeSystem(this.#deps.configuration, caller, action);
  }
}
