import type { Clock, Random } from '../kernel/clock.ts';
import { isServiceError, ServiceError } from '../kernel/errors.ts';
import { type AccessControl, type Grant, holdsIn } from '../policy/access-control.ts';
import { actOf, type Caller } from '../policy/caller.ts';
import { assertMayChangeFactor, type ConfirmedLogins } from '../policy/recent-proof.ts';
import type { ConfigurationStore } from '../configuration/configuration-store.ts';
import { type Configuration, visibleRealm } from '../configuration/configuration.ts';
import {
  assertNoFactor,
  assertNotLost,
  assertSerial,
  assertTokenUnchanged,
  type DescribedToken,
  describeToken,
  foreignRealms,
  isVisible,
  type LockedDecision,
  type Token,
  type TokenChange,
  weakensFactor,
} from './token.ts';
import {
  isSelected,
  MAX_PAGE_SIZE,
  nothingSelected,
  type PageRequest,
  readPageRequest,
  readTokenListing,
  selectionFilter,
  type TokenFilter,
  type TokenListing,
  type TokenPage,
  type TokenSelection,
} from './token-selection.ts';
import type { TokenStore } from './token-store.ts';
import { type TokenView, viewOf } from './token-view.ts';
import {
  copiedPin,
  fittingSettings,
  isToSet,
  sealPin,
  settingsChange,
  type TokenSettings,
} from './token-settings.ts';
import {
  ownerOf,
  type ResolvedUser,
  type UserDirectory,
  type UserReference,
} from '../users/user-directory.ts';
import type { Vault } from '../keys/vault.ts';

/** Attempts to decide on realms that others change at the same time. */
const MAX_ATTEMPTS = 5;

/** A token and its new owner; `pin` sets the token PIN with it. */
interface TokenAssignment extends UserReference, Pick<TokenSelection, 'revision'> {
  readonly serial: string;
  readonly pin?: string | undefined;
}

/** The tokens of a selection that the grant covers, at least one, and what they were read by. */
interface SelectedTokens {
  readonly configuration: Configuration;
  readonly grant: Grant;
  readonly tokens: readonly [Token, ...Token[]];
  /** @throws ServiceError 'token.unknown' for a token that the selection or the grant no longer covers */
  readonly assertSelected: (token: Token) => void;
}

/**
 * The administration of tokens. Administrators who are bound to realms see and change tokens in these realms only;
 * no other token, user or realm exists for them.
 *
 * Each method throws ServiceError 'right.missing', and 'token.unknown' where no token is there or visible.
 * A method that takes a selection changes all its tokens or none, returns their number, and throws ServiceError
 * 'parameter.missing' for neither serial nor user, 'user.unknown', 'resolver.unavailable'.
 */
export class TokenService {
  readonly #deps;

  constructor(
    dependencies: ConfirmedLogins & {
      readonly configuration: Pick<ConfigurationStore, 'current'>;
      readonly tokens: TokenStore;
      readonly users: UserDirectory;
      readonly access: AccessControl;
      readonly vault: Vault;
      readonly clock: Clock;
      readonly random: Random;
    },
  ) {
    this.#deps = dependencies;
  }

  /**
   * @returns tokens by serial
   * @throws ServiceError 'user.unknown', 'realm.unknown', 'parameter.invalid'
   */
  async list(caller: Caller, listing: TokenListing): Promise<readonly TokenView[]> {
    const { configuration, grant } = await this.#authorize(caller, 'show');
    const filter = await readTokenListing(configuration, grant, listing, this.#deps.users);
    const found = filter === undefined ? [] : await this.#deps.tokens.list(filter);
    const viewing = { configuration, grant, now: this.#deps.clock.now() };
    return found.filter((token) => isVisible(token, grant)).map((token) => viewOf(token, viewing));
  }

  /** @returns the number of tokens that `list` would find without its `limit` and `offset` */
  async count(caller: Caller, listing: TokenListing): Promise<number> {
    const { configuration, grant } = await this.#authorize(caller, 'show');
    const filter = await readTokenListing(configuration, grant, listing, this.#deps.users);
    return filter === undefined ? 0 : this.#deps.tokens.count(filter);
  }

  /** @returns a page of what `list` would find without its `limit` and `offset` */
  async page(
    caller: Caller,
    { page: requested, ...listing }: TokenListing & { page: PageRequest },
  ): Promise<TokenPage> {
    const { configuration, grant } = await this.#authorize(caller, 'show');
    const { page, pageSize, limit, offset } = readPageRequest(requested);
    const filter = await readTokenListing(configuration, grant, listing, this.#deps.users);
    const { tokens, total } = filter
      ? await this.#deps.tokens.page({ ...filter, limit, offset })
      : { tokens: [], total: 0 };
    return {
      tokens: describeVisible(tokens, grant),
      total,
      page,
      pageSize: pageSize ?? Math.min(total, MAX_PAGE_SIZE),
      resolverKinds: kindsOf(configuration),
    };
  }

  /**
   * @returns all tokens that `list` would find, by serial, read piece by piece as they are taken; the right is checked
   *   before
   */
  async allPages(
    caller: Caller,
    listing: Omit<TokenListing, 'sort' | 'limit' | 'offset'>,
  ): Promise<AsyncIterable<TokenPage>> {
    const { configuration, grant } = await this.#authorize(caller, 'show');
    const filter = await readTokenListing(configuration, grant, listing, this.#deps.users);
    return this.#pages(configuration, grant, filter && { ...filter, sort: undefined, limit: MAX_PAGE_SIZE });
  }

  async *#pages(
    configuration: Configuration,
    grant: Grant,
    filter: TokenFilter | undefined,
  ): AsyncGenerator<TokenPage> {
    const resolverKinds = kindsOf(configuration);
    let after: string | undefined;
    for (let page = 1; filter !== undefined; page += 1) {
      const found = await this.#deps.tokens.list({ ...filter, after });
      const tokens = describeVisible(found, grant);
      yield { tokens, total: tokens.length, page, pageSize: MAX_PAGE_SIZE, resolverKinds };
      after = found.at(-1)?.serial;
      if (after === undefined || found.length < MAX_PAGE_SIZE) {
        return;
      }
    }
  }

  async show(caller: Caller, serial: string): Promise<TokenView> {
    const { configuration, grant, tokens } = await this.#select(caller, 'show', { serial });
    return viewOf(tokens[0], { configuration, grant, now: this.#deps.clock.now() });
  }

  /**
   * @returns the owner of a token as the resolver has them; undefined: nobody, or no realm of the right has their resolver
   * @throws ServiceError 'resolver.unavailable'
   */
  async owner(caller: Caller, serial: string): Promise<ResolvedUser | undefined> {
    const { configuration, grant, tokens } = await this.#select(caller, 'show', { serial });
    const { owner } = tokens[0];
    const realm = configuration.realms.find(
      ({ name, resolvers }) => owner !== null && resolvers.includes(owner.resolver) && holdsIn(grant, name),
    );
    if (owner === null || realm === undefined) {
      return undefined;
    }
    const reference = { user: owner.login, realm: realm.name, resolver: owner.resolver };
    const found = await this.#deps.users.find(configuration, reference, grant.realms);
    return found?.userId === owner.userId ? found : undefined;
  }

  /**
   * @returns the serial if no token has it, else a free one that begins with it
   * @throws ServiceError 'parameter.invalid' for what can be no serial
   */
  async freeSerial(caller: Caller, serial: string): Promise<string> {
    await this.#authorize(caller, 'init');
    assertSerial(serial);
    const begin = serial.slice(0, 60);
    const others = Array.from({ length: 99 }, (_, index) => `${begin}_${String(index + 1).padStart(2, '0')}`);
    const candidates = [serial, ...others];
    const taken = await this.#deps.tokens.existingSerials(candidates);
    const free = candidates.find((one) => !taken.has(one.toLowerCase()));
    if (free === undefined) {
      throw new ServiceError('token.exists', `There are too many tokens whose serials begin with '${begin}'`);
    }
    return free;
  }

  /**
   * @param isFoundAgain true also enables tokens that were reported lost
   * @throws ServiceError 'token.state' while the roll-out has not given a token its key; 'token.lost'
   */
  enable(caller: Caller, selection: TokenSelection, isFoundAgain = false): Promise<number> {
    const decideLocked = (token: Token) => enableChange(token, isFoundAgain);
    return this.#change(caller, 'enable', selection, () => ({}), { decideLocked });
  }

  disable(caller: Caller, selection: TokenSelection): Promise<number> {
    return this.#change(caller, 'disable', selection, () => ({ active: false }));
  }

  /** Disables tokens whose device is lost, and closes their open challenges. Takes the right `admin:disable`. */
  lose(
    caller: Caller,
    selection: TokenSelection,
    assertLosable: (token: Token) => void = () => undefined,
  ): Promise<number> {
    const decideLocked = (token: Token) => {
      assertLosable(token);
      return {};
    };
    const options = { act: 'lost', decideLocked };
    return this.#change(caller, 'disable', selection, () => ({ active: false, isLost: true }), options);
  }

  /** Sets the fail counters to 0, which unlocks the tokens. */
  reset(caller: Caller, selection: TokenSelection): Promise<number> {
    return this.#change(caller, 'reset', selection, () => ({ failCount: 0 }));
  }

  /** Takes the tokens from their users; they stay in their realms. */
  unassign(caller: Caller, selection: TokenSelection): Promise<number> {
    return this.#change(caller, 'unassign', selection, () => ({ owner: null }));
  }

  /** @throws ServiceError 'parameter.missing' when there is nothing to set, 'parameter.invalid' */
  set(caller: Caller, selection: TokenSelection, settings: TokenSettings): Promise<number> {
    return this.#change(caller, 'set', selection, (token) =>
      settingsChange(settings, token, this.#deps.vault, this.#deps.random),
    );
  }

  /**
   * Sets those of the settings that all of the tokens can have, as clients of LinOTP send all fields of a form.
   * @param settings one each, by the names under which the others are told
   * @returns why others were not set, in sentences, by their names
   * @throws ServiceError as `set`, where there are no others, and for a PIN that cannot be
   */
  async setFitting(
    caller: Caller,
    selection: TokenSelection,
    settings: ReadonlyMap<string, TokenSettings>,
  ): Promise<{ readonly count: number; readonly unfit: ReadonlyMap<string, string> }> {
    const { vault, random } = this.#deps;
    let found: ReturnType<typeof fittingSettings> | undefined;
    const count = await this.#change(caller, 'set', selection, (token, tokens) => {
      found ??= fittingSettings(settings, tokens, vault, random);
      return settingsChange(found.fitting, token, vault, random);
    });
    return { count, unfit: found?.unfit ?? new Map() };
  }

  /**
   * Removes the token PIN, or the PIN of a suite with P: an act of its own, as responses are then accepted without it.
   */
  removePin(caller: Caller, selection: TokenSelection, pin: 'pin' | 'ocraPin'): Promise<number> {
    const act = pin === 'pin' ? 'remove-pin' : 'remove-ocra-pin';
    return this.#change(caller, 'set', selection, () => ({ secrets: { [pin]: null } }), { act });
  }

  /**
   * Gives a token the token PIN of another one, as it is at that moment.
   * @throws ServiceError 'token.state' where the other one has none, 'parameter.invalid' for one token twice
   */
  async copyPin(caller: Caller, serials: { readonly from: string; readonly to: string }): Promise<void> {
    const { grant } = await this.#authorize(caller, 'copytokenpin');
    if (serials.from === serials.to) {
      throw new ServiceError('parameter.invalid', "The parameters 'from' and 'to' name the same token", {
        parameter: 'to',
      });
    }
    const known = await Promise.all(
      [serials.from, serials.to].map((serial) => this.#deps.tokens.findBySerial(serial)),
    );
    const touchesFactor = known.some((token) => token?.isSecondFactor === true && isVisible(token, grant));
    if (touchesFactor) {
      await assertMayChangeFactor(caller, this.#deps);
    }
    await this.#deps.tokens.changeBy(serials, actOf(caller, 'token/copy-pin'), (source, target) => {
      const hidden = [source, target].find((token) => !isVisible(token, grant));
      if (hidden !== undefined) {
        nothingSelected(hidden);
      }
      // A copy of its PIN could be guessed at without its counter.
      assertNoFactor(source, touchesFactor);
      const pin = copiedPin(source, target.serial, this.#deps.vault);
      return { secrets: { pin }, mayChangeFactor: touchesFactor };
    });
  }

  /** Removes the tokens and their challenges. */
  async remove(
    caller: Caller,
    selection: TokenSelection,
    assertRemovable: (token: Token) => void = () => undefined,
  ): Promise<number> {
    const { tokens, assertSelected } = await this.#select(caller, 'remove', selection);
    const serials = tokens.map(({ serial }) => serial);
    const mayChangeFactor = tokens.some(({ isSecondFactor }) => isSecondFactor);
    if (mayChangeFactor) {
      await assertMayChangeFactor(caller, this.#deps);
    }
    const assure = (locked: Token): void => {
      assertSelected(locked);
      assertRemovable(locked);
    };
    await this.#deps.tokens.removeAll(serials, actOf(caller, 'token/remove'), { assure, mayChangeFactor });
    return serials.length;
  }

  /**
   * Gives the token to a user, also where another user has it, and adds the user's realm to its realms. The PIN stays
   * unless a new one is given: a token must not lose a factor by changing hands.
   * @throws ServiceError 'user.unknown', 'resolver.unavailable'
   */
  assign(caller: Caller, { serial, revision, pin, ...reference }: TokenAssignment): Promise<DescribedToken> {
    return this.#changeRealms(
      caller,
      'assign',
      { serial, revision },
      async ({ configuration, grant }, token) => {
        const user = await this.#deps.users.resolve(configuration, reference, grant.realms);
        return {
          owner: ownerOf(user),
          realms: [...new Set([...token.realms, user.realm.name])].sort(),
          ...(isToSet(pin, token.secrets.pin) && {
            secrets: { pin: sealPin(pin, token.serial, this.#deps.vault, this.#deps.random) },
          }),
        };
      },
    );
  }

  /**
   * Puts the token into these realms and no others; realms that the administrator may not touch stay as they are.
   * @throws ServiceError 'realm.unknown'
   */
  setRealms(
    caller: Caller,
    {
      realms,
      ...selection
    }: Pick<TokenSelection, 'revision'> & { readonly serial: string; readonly realms: readonly string[] },
  ): Promise<DescribedToken> {
    return this.#changeRealms(caller, 'tokenrealm', selection, ({ configuration, grant }, token) => {
      const requested = realms.map((name) => visibleRealm(configuration, grant, name));
      return { realms: [...new Set([...foreignRealms(token, grant), ...requested])].sort() };
    });
  }

  async #change(
    caller: Caller,
    action: string,
    selection: TokenSelection,
    decide: (token: Token, tokens: readonly Token[]) => TokenChange,
    options: { readonly act?: string; readonly decideLocked?: LockedDecision } = {},
  ): Promise<number> {
    const { act = action, decideLocked = () => ({}) } = options;
    const { tokens, assertSelected } = await this.#select(caller, action, selection);
    const changes = new Map<string, TokenChange>();
    for (const token of tokens) {
      changes.set(token.serial, await this.#withFactorRight(caller, token, decide(token, tokens)));
    }
    await this.#deps.tokens.updateAll(changes, actOf(caller, `token/${act}`), (locked) => {
      assertSelected(locked);
      return decideLocked(locked);
    });
    return tokens.length;
  }

  /** Decides from the realms that the token has, and anew where others change them meanwhile. */
  async #changeRealms(
    caller: Caller,
    action: string,
    { serial, revision }: Pick<TokenSelection, 'revision'> & { readonly serial: string },
    decide: (selected: SelectedTokens, token: Token) => TokenChange | Promise<TokenChange>,
  ): Promise<DescribedToken> {
    for (let attempt = 1; ; attempt += 1) {
      const selected = await this.#select(caller, action, { serial, revision });
      const [token] = selected.tokens;
      const change = await this.#withFactorRight(caller, token, await decide(selected, token));
      try {
        const act = actOf(caller, `token/${action}`);
        const changed = await this.#deps.tokens.update(serial, change, act, (locked) => {
          selected.assertSelected(locked);
          if (locked.realms.join() !== token.realms.join()) {
            throw new ServiceError('token.state', `Others are changing the realms of the token '${serial}'`);
          }
          return {};
        });
        return describeToken(changed ?? nothingSelected({ serial }));
      } catch (error) {
        if (attempt === MAX_ATTEMPTS || !isServiceError(error, 'token.state')) {
          throw error;
        }
      }
    }
  }

  /** @throws ServiceError 'right.missing', 'confirmation.required' for what weakens a second factor */
  async #withFactorRight(caller: Caller, token: Token, change: TokenChange): Promise<TokenChange> {
    if (!token.isSecondFactor || !weakensFactor(change)) {
      return change;
    }
    await assertMayChangeFactor(caller, this.#deps);
    return { ...change, mayChangeFactor: true };
  }

  async #select(caller: Caller, action: string, selection: TokenSelection): Promise<SelectedTokens> {
    const { configuration, grant } = await this.#authorize(caller, action);
    const filter = await selectionFilter(configuration, grant, selection, this.#deps.users);
    const found = filter === undefined ? [] : await this.#deps.tokens.list(filter);
    const [first, ...others] = found.filter((token) => isVisible(token, grant));
    return {
      configuration,
      grant,
      tokens: [first ?? nothingSelected(selection), ...others],
      assertSelected: (token) => {
        if (filter === undefined || !isSelected(token, filter, grant)) {
          nothingSelected(selection);
        }
        assertTokenUnchanged(token, selection.revision);
      },
    };
  }

  #authorize(caller: Caller, action: string): Promise<{ configuration: Configuration; grant: Grant }> {
    return this.#deps.access.authorizeAdmin(this.#deps.configuration, caller, action);
  }
}

function describeVisible(tokens: readonly Token[], grant: Grant): readonly DescribedToken[] {
  return tokens.filter((token) => isVisible(token, grant)).map(describeToken);
}

function kindsOf({ resolvers }: Configuration): TokenPage['resolverKinds'] {
  return new Map(resolvers.map(({ name, kind }) => [name, kind]));
}

/**
 * @returns the change that switches the token on
 * @throws ServiceError 'token.state' while the roll-out has not given the token its key, 'token.lost'
 */
function enableChange(token: Token, isFoundAgain: boolean): ReturnType<LockedDecision> {
  if (token.rollout === 'phase1') {
    throw new ServiceError(
      'token.state',
      `The roll-out of the token '${token.serial}' is not finished: it cannot be enabled`,
    );
  }
  if (!isFoundAgain) {
    assertNotLost(token);
  }
  return { active: true, ...(token.lostAt !== null && { isLost: false }) };
}
