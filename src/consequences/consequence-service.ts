import { unknownAdministrator } from '../administrators/administrator-service.ts';
import { type Administrator, lastAdministrator } from '../administrators/administrator.ts';
import type { AdministratorStore } from '../administrators/administrator-store.ts';
import { canonicalKey, OCRA_DEFAULTS } from '../configuration/settings.ts';
import type { Configuration, Realm } from '../configuration/configuration.ts';
import type { ConfigurationStore } from '../configuration/configuration-store.ts';
import type { Clock } from '../kernel/clock.ts';
import { composed, listNames, splitList } from '../kernel/text.ts';
import type { TokenCountStore } from '../monitoring/token-count-store.ts';
import type { Caller } from '../policy/caller.ts';
import { policiesAfter } from '../policy/granting.ts';
import { checkPolicy, type PolicyDraft, policyFindings } from '../policy/policy.ts';
import { unknownPolicy } from '../policy/policy-service.ts';
import type { ReadPolicy } from '../policy/read-policy.ts';
import { unknownNames } from '../policy/policy-names.ts';
import type { ManagedUserStore } from '../users/managed-user-store.ts';
import type { UserName } from '../users/user-service.ts';
import { requireManaged } from '../resolvers/resolver-lookup.ts';
import type { TokenStore } from '../tokens/token-store.ts';
import { nothingSelected } from '../tokens/token-selection.ts';
import { boundOf, isOcraToken, isUsable, type Token, type UseBound, isOwnedBy } from '../tokens/token.ts';
import { readUse, type UseSettings } from '../tokens/token-settings.ts';
import { type Consequence, consequence, countText } from './consequence.ts';
import { changeConsequences, type PolicyPreview, settingConsequences } from './configuration-consequences.ts';
import { RealmConsequences } from './realm-consequences.ts';

/** Tokens and owners that are examined for one question. */
const MAX_TOKENS = 100;

const BOUNDS: Readonly<Record<UseBound, string>> = {
  early: 'its period begins later',
  expired: 'its period has ended',
  'used-up': 'it has been used as often as it may',
};

interface ConsequenceDependencies {
  readonly configuration: Pick<ConfigurationStore, 'current'>;
  readonly counts: Pick<TokenCountStore, 'snapshot'>;
  readonly tokens: Pick<TokenStore, 'findBySerial' | 'count'>;
  readonly users: Pick<ManagedUserStore, 'count' | 'findByLogin'>;
  readonly administrators: Pick<AdministratorStore, 'list' | 'listApiTokens'>;
  readonly clock: Clock;
}

/**
 * Foretells what follows from an act that removes or locks out. Reads only; the cost does not grow with the number of
 * tokens. Where the present state refuses the act, so does the foretelling, as far as it sees that. What is foretold may change until the act: the act
 * itself stays atomic.
 */
export class ConsequenceService {
  readonly #deps: ConsequenceDependencies;
  readonly #realms: RealmConsequences;

  constructor(dependencies: ConsequenceDependencies) {
    this.#deps = dependencies;
    this.#realms = new RealmConsequences(dependencies);
  }

  async ofRealmRemoval(name: string): Promise<readonly Consequence[]> {
    return this.#realms.ofRemoval(await this.#deps.configuration.current(), name);
  }

  async ofRealmChange({
    name,
    resolvers,
  }: Pick<Realm, 'name' | 'resolvers'>): Promise<readonly Consequence[]> {
    return this.#realms.ofChange(await this.#deps.configuration.current(), name, resolvers);
  }

  async ofDefaultRealm(name: string | null): Promise<readonly Consequence[]> {
    return this.#realms.ofDefault(await this.#deps.configuration.current(), name);
  }

  async ofResolverRemoval(name: string): Promise<readonly Consequence[]> {
    return this.#realms.ofResolverRemoval(await this.#deps.configuration.current(), name);
  }

  /** @throws ServiceError 'resolver.unknown', 'resolver.invalid' */
  async ofUserRemoval({ resolver, login }: UserName): Promise<readonly Consequence[]> {
    const { id } = requireManaged(await this.#deps.configuration.current(), resolver);
    const user = await this.#deps.users.findByLogin(id, login);
    return user === undefined ? [] : this.#ofOwner({ resolverId: id, userId: user.userId });
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
      ...(await this.#ofLockedOut(found)),
      ...(await this.#ofSecondFactors(serials)),
    ];
  }

  /** Of switching tokens off, or taking them from their owners. @throws ServiceError 'token.unknown' */
  async ofTokenWithdrawal(serials: readonly string[]): Promise<readonly Consequence[]> {
    const found = await this.#find(serials);
    return [...(await this.#ofLockedOut(found)), ...(await this.#ofSecondFactors(serials))];
  }

  /**
   * Of a change of its period or its counts; nothing where it goes on to take responses, or takes none as it is.
   * @throws ServiceError 'token.unknown', 'parameter.invalid'
   */
  async ofTokenUse(serial: string, settings: UseSettings): Promise<readonly Consequence[]> {
    const now = this.#deps.clock.now();
    const [token] = await this.#find([serial]);
    const use = token && { ...token.use, ...readUse(settings, token.use) };
    const bound = use && boundOf(use, now);
    return token === undefined || bound === undefined || !isUsable(token, now)
      ? []
      : [
          { code: 'token.use', text: `${serial} takes no responses from now on: ${BOUNDS[bound]}` },
          ...(await this.#ofLockedOut([token])),
          ...(await this.#ofSecondFactors([serial])),
        ];
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
    const requested = new Set(realms.map((name) => name.trim().toLowerCase()));
    const left = (token?.realms ?? []).filter((name) => !requested.has(name));
    return [
      ...consequence(
        left.length > 0,
        'token.realms',
        `${serial} leaves ${listNames(left)}: policies and administrators of ${left.length === 1 ? 'this realm' : 'these realms'} no longer apply to it`,
      ),
      ...consequence(left.length > 0 && requested.size === 0, 'token.no-realm', 'it is in no realm then'),
    ];
  }

  /** @throws ServiceError 'policy.invalid' */
  async ofPolicy(caller: Caller, draft: PolicyDraft): Promise<readonly Consequence[]> {
    const configuration = await this.#deps.configuration.current();
    const after = policiesAfter(configuration.policies, { stored: checkPolicy(draft) });
    return this.#ofChange(caller, configuration, after);
  }

  /** @throws ServiceError 'policy.unknown' */
  async ofPolicyRemoval(caller: Caller, name: string): Promise<readonly Consequence[]> {
    const configuration = await this.#deps.configuration.current();
    const removed = name.trim();
    if (!configuration.policies.some((policy) => policy.name === removed)) {
      throw unknownPolicy(name);
    }
    return this.#ofChange(caller, configuration, policiesAfter(configuration.policies, { removed }));
  }

  /** Of storing a policy; an invalid one is no failure. */
  async previewPolicy(caller: Caller, draft: PolicyDraft): Promise<PolicyPreview> {
    const configuration = await this.#deps.configuration.current();
    const problems = policyFindings(draft);
    if (problems.length > 0) {
      return { problems, unknownNames: [], consequences: [] };
    }
    const stored = checkPolicy(draft);
    const after = policiesAfter(configuration.policies, { stored });
    return {
      problems,
      unknownNames: unknownNames(stored, configuration),
      consequences: await this.#ofChange(caller, configuration, after),
    };
  }

  /**
   * @param value undefined: the default applies again
   * @throws ServiceError 'configuration.invalid'
   */
  async ofSetting(key: string, value: string | undefined): Promise<readonly Consequence[]> {
    const { settings } = await this.#deps.configuration.current();
    return settingConsequences(settings, canonicalKey(key, OCRA_DEFAULTS.keys()), value);
  }

  /** @throws ServiceError 'administrator.unknown'; 'administrator.invalid' for the only one: the removal is refused */
  async ofAdministratorRemoval(named: string): Promise<readonly Consequence[]> {
    const name = composed(named);
    const { policies } = await this.#deps.configuration.current();
    const names = await this.#administrators();
    if (!names.includes(name)) {
      throw unknownAdministrator(name);
    }
    const others = names.filter((one) => one !== name);
    if (others.length === 0) {
      throw lastAdministrator();
    }
    const apiTokens = (await this.#deps.administrators.listApiTokens(name)).length;
    const naming = policies.filter(({ user }) => splitList(user).includes(name)).map((policy) => policy.name);
    return [
      { code: 'administrator.sessions', text: `the password and all sessions of ${name} end` },
      ...consequence(
        apiTokens > 0,
        'administrator.api-tokens',
        `${countText(apiTokens, 'API token')} of ${name} ${apiTokens === 1 ? 'is' : 'are'} refused from then on`,
      ),
      ...consequence(
        naming.length > 0,
        'administrator.policies',
        `the policies ${listNames(naming)} name ${name}`,
      ),
      ...consequence(
        others.length === 1,
        'administrator.last',
        `${others[0] ?? ''} is then the only administrator`,
      ),
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
    const administrators = await this.#deps.administrators.list();
    const administrator = administrators.find((one) => one.name === composed(name));
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
      ...(requested === undefined
        ? consequence(
            secondFactor !== undefined,
            'second-factor.none',
            `the password alone signs ${signsIn} in`,
          )
        : await this.#ofNewFactor(administrator, requested.serial, administrators.length === 1)),
    ];
  }

  async #ofNewFactor(
    { name, secondFactor }: Administrator,
    serial: string,
    isOnlyAdministrator: boolean,
  ): Promise<readonly Consequence[]> {
    const token = await this.#deps.tokens.findBySerial(serial);
    const canAnswer =
      token !== undefined &&
      isOcraToken(token) &&
      isUsable(token, this.#deps.clock.now()) &&
      token.rollout === 'complete';
    return [
      ...consequence(
        secondFactor === undefined,
        'second-factor.programs',
        `programs that show the password of ${name} are refused: they need an API token`,
      ),
      ...consequence(!canAnswer, 'second-factor.unusable', `${serial} cannot answer: ${name} cannot sign in`),
      ...consequence(
        isOnlyAdministrator,
        'second-factor.last',
        `${name} is the only administrator: without the token, only commands on this machine let anybody in`,
      ),
    ];
  }

  /** @param serials tokens that the act removes, switches off or replaces */
  async #ofSecondFactors(serials: readonly string[]): Promise<readonly Consequence[]> {
    const names = (await this.#deps.administrators.list())
      .filter(
        ({ secondFactor }) =>
          secondFactor?.kind === 'token' &&
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

  /** Of revoking one API token, or all of an administrator. */
  async ofApiTokenRemoval(administrator: string, name?: string): Promise<readonly Consequence[]> {
    const all = await this.#deps.administrators.listApiTokens(composed(administrator));
    const isNamed = (label: string): boolean => all.some((token) => token.name === label);
    const meant = name === undefined || isNamed(name) ? name : composed(name);
    const revoked = all.filter((token) => meant === undefined || token.name === meant);
    const rights = [...new Set(revoked.flatMap((token) => token.rights))];
    return consequence(
      revoked.length > 0,
      'api-token.programs',
      `programs that show ${revoked.length === 1 ? 'it' : `one of ${revoked.length} API tokens`} are refused from then on (${listNames(rights)})`,
    );
  }

  /** @param owner a user whom the act removes */
  async #ofOwner(owner: {
    readonly resolverId: string;
    readonly userId: string;
  }): Promise<readonly Consequence[]> {
    const tokens = await this.#deps.tokens.count({ owner });
    return consequence(
      tokens > 0,
      'user.tokens',
      `${countText(tokens, 'token')} ${tokens === 1 ? 'becomes' : 'become'} unassigned, and open challenges close`,
      { count: tokens },
    );
  }

  async #find(serials: readonly string[]): Promise<readonly Token[]> {
    const found: Token[] = [];
    for (const serial of [...new Set(serials)].slice(0, MAX_TOKENS)) {
      found.push((await this.#deps.tokens.findBySerial(serial)) ?? nothingSelected({ serial }));
    }
    return found;
  }

  /** @returns the owners who have no active token besides these */
  async #ofLockedOut(tokens: readonly Token[]): Promise<readonly Consequence[]> {
    const active = tokens.filter((token) => token.active && token.owner !== null);
    const owners = new Map(
      active.map(({ owner }) => [`${owner?.resolverId ?? ''} ${owner?.userId ?? ''}`, owner]),
    );
    const lockedOut: string[] = [];
    for (const owner of owners.values()) {
      if (owner !== null) {
        const all = await this.#deps.tokens.count({ owner, active: true });
        const these = active.filter((token) => isOwnedBy(token, owner));
        if (all <= these.length) {
          lockedOut.push(owner.login);
        }
      }
    }
    return consequence(
      lockedOut.length > 0,
      'token.last',
      `${listNames(lockedOut)} ${lockedOut.length === 1 ? 'has' : 'have'} no other active token`,
    );
  }

  async #ofChange(
    { principal }: Caller,
    configuration: Configuration,
    after: readonly ReadPolicy[],
  ): Promise<readonly Consequence[]> {
    const administrators = await this.#administrators();
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
