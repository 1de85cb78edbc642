import { unknownAdministrator } from '../administrators/administrator-service.ts';
import { lastAdministrator } from '../administrators/administrator.ts';
import type { AdministratorStore } from '../administrators/administrator-store.ts';
import { type Configuration, findRealm, type Realm } from '../configuration/configuration.ts';
import type { ConfigurationStore } from '../configuration/configuration-store.ts';
import type { Clock } from '../kernel/clock.ts';
import { composed, listNames } from '../kernel/text.ts';
import type { TokenCountStore } from '../monitoring/token-count-store.ts';
import type { Caller } from '../policy/caller.ts';
import { policiesAfter } from '../policy/granting.ts';
import { checkPolicy, type PolicyDraft, policyFindings } from '../policy/policy.ts';
import { unknownPolicy } from '../policy/policy-service.ts';
import { unknownNames } from '../policy/policy-names.ts';
import type { ManagedUserStore } from '../users/managed-user-store.ts';
import type { UserName } from '../users/user-service.ts';
import {
  assertInNoRealm,
  requireManaged,
  requireRealm,
  requireResolver,
} from '../resolvers/resolver-lookup.ts';
import type { TokenStore } from '../tokens/token-store.ts';
import { nothingSelected } from '../tokens/token-selection.ts';
import { isFactorToken, isUsable, type Token } from '../tokens/token.ts';
import { type Consequence, consequence, countText } from './consequence.ts';
import { changeConsequences, type PolicyPreview } from './policy-consequences.ts';

/** Tokens that are examined for one question. */
const MAX_TOKENS = 100;

/**
 * Foretells what follows from an act that removes or locks out. Reads only; the cost does not grow with the number of
 * tokens. Where the present state refuses the act, so does the foretelling, as far as it sees that. What is foretold may
 * change until the act: the act itself stays atomic.
 */
export class ConsequenceService {
  readonly #deps;

  constructor(dependencies: {
    readonly configuration: Pick<ConfigurationStore, 'current'>;
    readonly counts: Pick<TokenCountStore, 'snapshot'>;
    readonly tokens: Pick<TokenStore, 'findBySerial' | 'count'>;
    readonly users: Pick<ManagedUserStore, 'count' | 'findByLogin'>;
    readonly administrators: Pick<AdministratorStore, 'list' | 'listApiTokens'>;
    readonly clock: Clock;
  }) {
    this.#deps = dependencies;
  }

  /** @throws ServiceError 'realm.unknown' */
  async ofRealmRemoval(named: string): Promise<readonly Consequence[]> {
    const { name, isDefault } = requireRealm(await this.#deps.configuration.current(), named);
    const { tokens } = await this.#deps.counts.snapshot();
    const count = tokens
      .filter(({ realms }) => realms.includes(name))
      .reduce((sum, row) => sum + row.tokens, 0);
    return [
      ...consequence(
        count > 0,
        'realm.tokens',
        `${countText(count, 'token')} ${count === 1 ? 'leaves' : 'leave'} this realm`,
        { count },
      ),
      ...consequence(isDefault, 'realm.default', 'it is the default realm'),
    ];
  }

  /** @throws ServiceError 'realm.unknown', 'resolver.unknown' */
  async ofRealmChange({
    name,
    resolvers,
  }: Pick<Realm, 'name' | 'resolvers'>): Promise<readonly Consequence[]> {
    const configuration = await this.#deps.configuration.current();
    const realm = requireRealm(configuration, name);
    resolvers.forEach((one) => requireResolver(configuration, one));
    const names = realm.resolvers.filter((one) => !resolvers.includes(one));
    return consequence(
      names.length > 0,
      'realm.resolvers',
      `users of ${listNames(names)} are no longer found in the realm ${realm.name}`,
      { names },
    );
  }

  /** @param name the new default realm; null: none */
  async ofDefaultRealm(name: string | null): Promise<readonly Consequence[]> {
    const present = findRealm(await this.#deps.configuration.current(), '');
    return consequence(
      present !== undefined && present.name !== name?.trim().toLowerCase(),
      'realm.new-default',
      `users who are named without a realm are no longer looked for in ${present?.name ?? ''}`,
      { names: present === undefined ? [] : [present.name] },
    );
  }

  /** @throws ServiceError 'resolver.unknown'; 'resolver.in-use' for one of a realm: its removal is refused */
  async ofResolverRemoval(name: string): Promise<readonly Consequence[]> {
    const configuration = await this.#deps.configuration.current();
    const resolver = requireResolver(configuration, name);
    assertInNoRealm(configuration, resolver);
    const count = resolver.kind === 'managed' ? await this.#deps.users.count(resolver.id) : 0;
    return [
      { code: 'resolver.settings', text: 'its settings are gone for good' },
      ...consequence(
        count > 0,
        'resolver.users',
        `${countText(count, 'user')} with their passwords ${count === 1 ? 'is' : 'are'} removed`,
        { count },
      ),
    ];
  }

  /** @throws ServiceError 'resolver.unknown', 'resolver.invalid' */
  async ofUserRemoval({ resolver, login }: UserName): Promise<readonly Consequence[]> {
    const { id } = requireManaged(await this.#deps.configuration.current(), resolver);
    const user = await this.#deps.users.findByLogin(id, login);
    const owner = user && { resolverId: id, userId: user.userId };
    const count = owner === undefined ? 0 : await this.#deps.tokens.count({ owner });
    return consequence(
      count > 0,
      'user.tokens',
      `${countText(count, 'token')} ${count === 1 ? 'becomes' : 'become'} unassigned, and open challenges close`,
      { count },
    );
  }

  /** @throws ServiceError 'resolver.unknown', 'resolver.invalid' */
  async ofPasswordRemoval({ resolver, login }: UserName): Promise<readonly Consequence[]> {
    const { id } = requireManaged(await this.#deps.configuration.current(), resolver);
    const user = await this.#deps.users.findByLogin(id, login);
    return consequence(
      user !== undefined && user.passwordHash !== null,
      'user.password',
      `the password of ${login} is gone for good, and logins with it are refused`,
    );
  }

  /** @throws ServiceError 'token.unknown' */
  async ofTokenRemoval(serials: readonly string[]): Promise<readonly Consequence[]> {
    const found = await this.#find(serials);
    return [
      ...consequence(
        found.length > 0,
        'token.key',
        `the ${found.length === 1 ? 'key' : 'keys'} of ${listNames(found.map(({ serial }) => serial))} ${found.length === 1 ? 'is' : 'are'} gone for good`,
      ),
      ...(await this.ofTokenWithdrawal(serials)),
    ];
  }

  /** @param serials of tokens that the act removes, switches off or takes from their owners */
  async ofTokenWithdrawal(serials: readonly string[]): Promise<readonly Consequence[]> {
    const names = (await this.#deps.administrators.list())
      .filter(
        ({ secondFactor }) =>
          secondFactor?.kind === 'token' &&
          // Of a token that was removed, the serial alone is left, which another may have by now.
          secondFactor.tokenId !== undefined &&
          serials.includes(secondFactor.serial),
      )
      .map(({ name }) => name);
    return consequence(
      names.length > 0,
      'second-factor.lost',
      `${listNames(names)} cannot sign in without ${names.length === 1 ? 'this second factor' : 'these second factors'}`,
    );
  }

  /** Of an enrolment under a serial that there is already; without a serial there is no earlier token. */
  async ofEnrolment({ serial }: { readonly serial?: string | undefined }): Promise<readonly Consequence[]> {
    const token = serial === undefined ? undefined : await this.#deps.tokens.findBySerial(serial);
    return consequence(
      token !== undefined,
      'token.replaced',
      `there is a token ${token?.serial ?? ''}: its key is replaced, and the device that has it now is refused`,
    );
  }

  /** @throws ServiceError 'token.unknown' */
  async ofPinRemoval(serial: string, pin: 'pin' | 'ocraPin'): Promise<readonly Consequence[]> {
    const [token] = await this.#find([serial]);
    return consequence(
      (token?.secrets[pin] ?? null) !== null,
      'token.pin',
      pin === 'pin'
        ? `the PIN of ${serial} is gone for good: anyone with the device answers without it`
        : `the OCRA PIN of ${serial} is gone for good: responses that the device computes with it are refused`,
    );
  }

  /**
   * @param realms the new realms of the token
   * @throws ServiceError 'token.unknown'
   */
  async ofTokenRealms({ serial, realms }: Pick<Token, 'serial' | 'realms'>): Promise<readonly Consequence[]> {
    const [token] = await this.#find([serial]);
    const requested = realms.map((name) => name.trim().toLowerCase());
    const left = (token?.realms ?? []).filter((name) => !requested.includes(name));
    return consequence(
      left.length > 0,
      'token.realms',
      `${serial} leaves ${listNames(left)}: policies and administrators there no longer apply to it`,
    );
  }

  /** @throws ServiceError 'policy.invalid' */
  async ofPolicy(caller: Caller, draft: PolicyDraft): Promise<readonly Consequence[]> {
    const configuration = await this.#deps.configuration.current();
    return this.#ofChange(caller, configuration, { stored: checkPolicy(draft) });
  }

  /** @throws ServiceError 'policy.unknown' */
  async ofPolicyRemoval(caller: Caller, name: string): Promise<readonly Consequence[]> {
    const configuration = await this.#deps.configuration.current();
    const removed = name.trim();
    if (!configuration.policies.some((policy) => policy.name === removed)) {
      throw unknownPolicy(name);
    }
    return this.#ofChange(caller, configuration, { removed });
  }

  /** Of storing a policy; an invalid one is no failure. */
  async previewPolicy(caller: Caller, draft: PolicyDraft): Promise<PolicyPreview> {
    const configuration = await this.#deps.configuration.current();
    const problems = policyFindings(draft);
    if (problems.length > 0) {
      return { problems, unknownNames: [], consequences: [] };
    }
    const stored = checkPolicy(draft);
    return {
      problems,
      unknownNames: unknownNames(stored, configuration),
      consequences: await this.#ofChange(caller, configuration, { stored }),
    };
  }

  /** @throws ServiceError 'administrator.unknown'; 'administrator.invalid' for the only one: the removal is refused */
  async ofAdministratorRemoval(named: string): Promise<readonly Consequence[]> {
    const name = composed(named);
    const names = await this.#administrators();
    if (!names.includes(name)) {
      throw unknownAdministrator(name);
    }
    if (names.length === 1) {
      throw lastAdministrator();
    }
    return [
      {
        code: 'administrator.sessions',
        text: `the password, all sessions and API tokens of ${name} end`,
      },
    ];
  }

  /**
   * Of setting the second factor of an administrator, or of removing it.
   * @throws ServiceError 'administrator.unknown'
   */
  async ofSecondFactor(
    name: string,
    requested: { readonly serial: string } | undefined,
  ): Promise<readonly Consequence[]> {
    const administrator = (await this.#deps.administrators.list()).find((one) => one.name === composed(name));
    if (administrator === undefined) {
      throw unknownAdministrator(name);
    }
    const { name: signsIn, secondFactor } = administrator;
    return [
      { code: 'administrator.sessions', text: `all sessions of ${signsIn} end` },
      ...consequence(
        secondFactor?.kind === 'passkey',
        'second-factor.passkeys',
        `the passkeys of ${signsIn} are removed`,
      ),
      ...consequence(
        requested === undefined && secondFactor !== undefined,
        'second-factor.none',
        `the password alone signs ${signsIn} in`,
      ),
      ...consequence(
        requested !== undefined && secondFactor === undefined,
        'second-factor.programs',
        `programs that show the password of ${signsIn} are refused: they need an API token`,
      ),
      ...(requested === undefined ? [] : await this.#ofUnusable(signsIn, requested.serial)),
    ];
  }

  async #ofUnusable(name: string, serial: string): Promise<readonly Consequence[]> {
    const token = await this.#deps.tokens.findBySerial(serial);
    const canAnswer =
      token !== undefined &&
      isFactorToken(token) &&
      isUsable(token, this.#deps.clock.now()) &&
      token.rollout === 'complete';
    return consequence(
      !canAnswer,
      'second-factor.unusable',
      `${serial} cannot answer: ${name} cannot sign in`,
    );
  }

  /** Of revoking one API token, or all of an administrator. */
  async ofApiTokenRemoval(administrator: string, name?: string): Promise<readonly Consequence[]> {
    const all = await this.#deps.administrators.listApiTokens(composed(administrator));
    const isNamed = (label: string): boolean => all.some((token) => token.name === label);
    const meant = name === undefined || isNamed(name) ? name : composed(name);
    const revoked = all.filter((token) => meant === undefined || token.name === meant);
    return consequence(
      revoked.length > 0,
      'api-token.programs',
      `programs that show ${revoked.length === 1 ? 'it' : `one of ${revoked.length} API tokens`} are refused from then on`,
    );
  }

  async #find(serials: readonly string[]): Promise<readonly Token[]> {
    const found: Token[] = [];
    for (const serial of [...new Set(serials)].slice(0, MAX_TOKENS)) {
      found.push((await this.#deps.tokens.findBySerial(serial)) ?? nothingSelected({ serial }));
    }
    return found;
  }

  async #ofChange(
    { principal }: Caller,
    configuration: Configuration,
    change: Parameters<typeof policiesAfter>[1],
  ): Promise<readonly Consequence[]> {
    const administrators = await this.#administrators();
    const after = policiesAfter(configuration.policies, change);
    return changeConsequences(configuration, after, {
      administrators,
      principal,
      at: this.#deps.clock.now(),
    });
  }

  async #administrators(): Promise<readonly string[]> {
    return (await this.#deps.administrators.list()).map(({ name }) => name);
  }
}
