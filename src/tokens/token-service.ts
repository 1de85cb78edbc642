import type { Random } from '../kernel/clock.ts';
import { isServiceError, ServiceError } from '../kernel/errors.ts';
import type { AccessControl, Grant } from '../policy/access-control.ts';
import { actOf, type Caller } from '../policy/caller.ts';
import { isSerial } from './serial.ts';
import type { LockedDecision, TokenStore } from './ports.ts';
import type { ConfigurationStore } from '../configuration/ports.ts';
import type { Configuration } from '../configuration/configuration.ts';
import type { Token, TokenChange } from './token.ts';
import { DISABLING, enabling, RESETTING, UNASSIGNING } from './token-decisions.ts';
import { readTokenListing, type TokenListing } from './token-listing.ts';
import { type PageWish, readPageWish, resolverKinds, type TokenPage, usualPageSize } from './token-page.ts';
import { sealPin, settingsChange, type TokenSettings } from './token-settings.ts';
import { type DescribedToken, describeToken, foreignRealms, isVisible, visibleRealm } from './token-view.ts';
import type { ResolvedUser, UserDirectory, UserReference } from '../users/user-directory.ts';
import type { Vault } from '../keys/vault.ts';

/** How often realms are decided anew before others who change them, too, are told of. */
const ATTEMPTS = 5;

export interface TokenDependencies {
  readonly configuration: ConfigurationStore;
  readonly tokens: TokenStore;
  readonly users: UserDirectory;
  readonly access: AccessControl;
  readonly vault: Vault;
  readonly random: Random;
}

/** Which token is given to whom; `pin` sets the token PIN with it. */
export interface TokenAssignment extends UserReference {
  readonly serial: string;
  readonly pin?: string | undefined;
}

/** One change: what was read for it. */
interface Change {
  readonly configuration: Configuration;
  readonly grant: Grant;
  readonly token: Token;
}

/**
 * What administrators do with tokens. Those who are bound to realms see and change tokens in these realms only;
 * no other token, user or realm exists for them.
 *
 * Each method throws ServiceError 'right.missing', and 'token.unknown' for a serial that is not there or not to be seen.
 */
export class TokenService {
  readonly #deps: TokenDependencies;

  constructor(dependencies: TokenDependencies) {
    this.#deps = dependencies;
  }

  /**
   * @returns tokens by serial
   * @throws ServiceError 'user.unknown', 'realm.unknown', 'parameter.invalid'
   */
  async list(caller: Caller, listing: TokenListing): Promise<readonly DescribedToken[]> {
    const { configuration, grant } = await this.#authorize(caller, 'show');
    const filter = await readTokenListing(configuration, grant, listing, this.#deps.users);
    const tokens = filter === undefined ? [] : await this.#deps.tokens.list(filter);
    return tokens.filter((token) => isVisible(token, grant)).map(describeToken);
  }

  /** @returns how many tokens `list` would find without its `limit` and `offset` */
  async count(caller: Caller, listing: TokenListing): Promise<number> {
    const { configuration, grant } = await this.#authorize(caller, 'show');
    const filter = await readTokenListing(configuration, grant, listing, this.#deps.users);
    return filter === undefined ? 0 : this.#deps.tokens.count(filter);
  }

  /** @returns a page of what `list` would find without its `limit` and `offset` */
  async page(
    caller: Caller,
    { page: wish, ...listing }: TokenListing & { page: PageWish },
  ): Promise<TokenPage> {
    const { configuration, grant } = await this.#authorize(caller, 'show');
    const { page, pageSize, limit, offset } = readPageWish(wish);
    const filter = await readTokenListing(
      configuration,
      grant,
      { ...listing, limit, offset },
      this.#deps.users,
    );
    const tokens = filter === undefined ? [] : await this.#deps.tokens.list(filter);
    const total = filter === undefined ? 0 : await this.#deps.tokens.count(filter);
    return {
      tokens: tokens.filter((token) => isVisible(token, grant)).map(describeToken),
      total,
      page,
      pageSize: pageSize ?? usualPageSize(total),
      resolverKinds: resolverKinds(configuration),
    };
  }

  async show(caller: Caller, serial: string): Promise<DescribedToken> {
    const { token } = await this.#open(caller, 'show', serial);
    return describeToken(token);
  }

  /** @throws ServiceError 'token.state' while the roll-out has not given the token its key */
  enable(caller: Caller, serial: string): Promise<DescribedToken> {
    return this.#change(caller, 'enable', serial, () => ({}), enabling);
  }

  disable(caller: Caller, serial: string): Promise<DescribedToken> {
    return this.#change(caller, 'disable', serial, () => DISABLING);
  }

  /** Sets the fail counter to 0, which unlocks the token. */
  reset(caller: Caller, serial: string): Promise<DescribedToken> {
    return this.#change(caller, 'reset', serial, () => RESETTING);
  }

  /** Removes the token and its challenges. */
  async remove(caller: Caller, serial: string): Promise<void> {
    const { grant } = await this.#open(caller, 'remove', serial);
    const act = actOf(caller, 'token/remove');
    const assure = (token: Token): void => {
      assertVisible(token, grant);
    };
    if (!(await this.#deps.tokens.remove(serial, act, assure))) {
      gone(serial);
    }
  }

  /**
   * Gives the token to a user, whoever had it, and puts it into the user's realm besides those that it is in. Its PIN
   * stays, unless a new one is given: a token must not lose a factor by changing hands.
   * @throws ServiceError 'user.unknown'
   */
  assign(caller: Caller, { serial, pin, ...reference }: TokenAssignment): Promise<DescribedToken> {
    return this.#change(caller, 'assign', serial, async ({ configuration, grant, token }) => {
      const user = await this.#deps.users.resolve(configuration, reference, grant.realms);
      return {
        owner: ownerOf(user),
        realms: [...new Set([...token.realms, user.realm.name])].sort(),
        ...(pin !== undefined && {
          secrets: { pin: sealPin(pin, token.serial, this.#deps.vault, this.#deps.random) },
        }),
      };
    });
  }

  /** Takes the token from its user; it stays in its realms. */
  unassign(caller: Caller, serial: string): Promise<DescribedToken> {
    return this.#change(caller, 'unassign', serial, () => UNASSIGNING);
  }

  /**
   * Puts the token into these realms and no others; realms that the administrator may not touch stay as they are.
   * @throws ServiceError 'realm.unknown'
   */
  setRealms(
    caller: Caller,
    { serial, realms }: { serial: string; realms: readonly string[] },
  ): Promise<DescribedToken> {
    return this.#change(caller, 'tokenrealm', serial, ({ configuration, grant, token }) => {
      const wanted = realms.map((name) => visibleRealm(configuration, grant, name));
      return { realms: [...new Set([...foreignRealms(token, grant), ...wanted])].sort() };
    });
  }

  /** @throws ServiceError 'parameter.missing' when there is nothing to set, 'parameter.invalid' */
  set(caller: Caller, { serial, ...settings }: TokenSettings & { serial: string }): Promise<DescribedToken> {
    return this.#change(caller, 'set', serial, ({ token }) =>
      settingsChange(settings, token.serial, this.#deps.vault, this.#deps.random),
    );
  }

  /** Realms are decided from those that the token has: where others change them meanwhile, it is all done anew. */
  async #change(
    caller: Caller,
    action: string,
    serial: string,
    decide: (change: Change) => TokenChange | Promise<TokenChange>,
    decideLocked: LockedDecision = () => ({}),
  ): Promise<DescribedToken> {
    for (let attempt = 1; ; attempt += 1) {
      const { configuration, grant, token } = await this.#open(caller, action, serial);
      const change = await decide({ configuration, grant, token });
      const decideOnSeen: LockedDecision = (locked) => {
        assertVisible(locked, grant);
        if (change.realms !== undefined && locked.realms.join() !== token.realms.join()) {
          throw new ServiceError('token.state', `Others are changing the realms of the token '${serial}'`);
        }
        return decideLocked(locked);
      };
      try {
        const act = actOf(caller, `token/${action}`);
        const changed = await this.#deps.tokens.update(serial, change, act, decideOnSeen);
        return describeToken(changed ?? gone(serial));
      } catch (error) {
        if (change.realms === undefined || attempt === ATTEMPTS || !isServiceError(error, 'token.state')) {
          throw error;
        }
      }
    }
  }

  async #open(caller: Caller, action: string, serial: string): Promise<Change> {
    const { configuration, grant } = await this.#authorize(caller, action);
    const found = isSerial(serial) ? await this.#deps.tokens.findBySerial(serial) : undefined;
    const token = found ?? gone(serial);
    assertVisible(token, grant);
    return { configuration, grant, token };
  }

  async #authorize(caller: Caller, action: string): Promise<{ configuration: Configuration; grant: Grant }> {
    const configuration = await this.#deps.configuration.current();
    const grant = this.#deps.access.authorize(configuration, caller, { scope: 'admin', action });
    return { configuration, grant };
  }
}

function ownerOf({ resolver, userId, login }: ResolvedUser): NonNullable<Token['owner']> {
  return { resolverId: resolver.id, resolver: resolver.name, userId, login };
}

function assertVisible(token: Token, grant: Grant): void {
  if (!isVisible(token, grant)) {
    gone(token.serial);
  }
}

function gone(serial: string): never {
  throw new ServiceError('token.unknown', `No token found with the serial '${serial.slice(0, 64)}'`);
}
