import { ServiceError } from '../kernel/errors.ts';
import type { Grant } from '../policy/access-control.ts';
import { actOf, type Caller } from '../policy/caller.ts';
import { isSerial } from './serial.ts';
import type { LockedDecision, TokenFilter } from './ports.ts';
import type { Configuration } from '../configuration/configuration.ts';
import type { Token, TokenChange, TokenStateChange } from './token.ts';
import { DISABLING, enabling, RESETTING, UNASSIGNING } from './token-decisions.ts';
import type { TokenDependencies } from './token-service.ts';
import { settingsChange, type TokenSettings } from './token-settings.ts';
import { isVisible } from './token-view.ts';
import type { UserReference } from '../users/user-directory.ts';

/** A token by its serial, or all tokens of a user. With both, the token must be the user's. Nothing is a wildcard. */
export interface TokenSelection extends Omit<UserReference, 'user'> {
  readonly serial?: string | undefined;
  readonly user?: string | undefined;
}

interface Selected {
  readonly tokens: readonly Token[];
  /** Throws for a token that has been given to somebody else since, or taken out of sight. */
  readonly assure: (token: Token) => void;
}

/**
 * What administrators do with a token or with all tokens of a user: to all of them, or, when it cannot be done to one, to
 * none. Those who are bound to realms meet tokens and users in these realms only.
 *
 * Each method returns the number of tokens, and throws ServiceError 'right.missing', 'parameter.missing' when neither
 * serial nor user is given, 'user.unknown', and 'token.unknown' when there is no such token to be seen.
 */
export class TokenGroupService {
  readonly #deps: TokenDependencies;

  constructor(dependencies: TokenDependencies) {
    this.#deps = dependencies;
  }

  /** @throws ServiceError 'token.state' while the roll-out has not given a token its key */
  enable(caller: Caller, selection: TokenSelection): Promise<number> {
    return this.#change(caller, 'enable', selection, () => ({}), enabling);
  }

  disable(caller: Caller, selection: TokenSelection): Promise<number> {
    return this.#change(caller, 'disable', selection, () => DISABLING);
  }

  reset(caller: Caller, selection: TokenSelection): Promise<number> {
    return this.#change(caller, 'reset', selection, () => RESETTING);
  }

  unassign(caller: Caller, selection: TokenSelection): Promise<number> {
    return this.#change(caller, 'unassign', selection, () => UNASSIGNING);
  }

  /** @throws ServiceError 'parameter.missing' when there is nothing to set, 'parameter.invalid' */
  set(caller: Caller, selection: TokenSelection, settings: TokenSettings): Promise<number> {
    return this.#change(caller, 'set', selection, ({ serial }) =>
      settingsChange(settings, serial, this.#deps.vault, this.#deps.random),
    );
  }

  /** Removes the tokens and their challenges. */
  async remove(caller: Caller, selection: TokenSelection): Promise<number> {
    const { tokens, assure } = await this.#select(caller, 'remove', selection);
    const serials = tokens.map(({ serial }) => serial);
    await this.#deps.tokens.removeAll(serials, actOf(caller, 'token/remove'), assure);
    return serials.length;
  }

  async #change(
    caller: Caller,
    action: string,
    selection: TokenSelection,
    decide: (token: Token) => TokenChange,
    decideLocked: LockedDecision = () => ({}),
  ): Promise<number> {
    const { tokens, assure } = await this.#select(caller, action, selection);
    const changes = new Map(tokens.map((token) => [token.serial, decide(token)]));
    const decideOnSelected = (token: Token): TokenStateChange => {
      assure(token);
      return decideLocked(token);
    };
    await this.#deps.tokens.updateAll(changes, actOf(caller, `token/${action}`), decideOnSelected);
    return tokens.length;
  }

  async #select(caller: Caller, action: string, selection: TokenSelection): Promise<Selected> {
    const configuration = await this.#deps.configuration.current();
    const grant = this.#deps.access.authorize(configuration, caller, { scope: 'admin', action });
    const filter = await this.#filter(configuration, grant, selection);
    const found = filter === undefined ? [] : await this.#deps.tokens.list(filter);
    const visible = found.filter((token) => isVisible(token, grant));
    const assure = (token: Token): void => {
      if (!isVisible(token, grant) || !isOf(token, filter?.owner)) {
        throw new ServiceError('token.unknown', unknownText(selection));
      }
    };
    if (visible.length === 0) {
      throw new ServiceError('token.unknown', unknownText(selection));
    }
    return { tokens: visible, assure };
  }

  /** @returns undefined where nothing can match */
  async #filter(
    configuration: Configuration,
    grant: Grant,
    selection: TokenSelection,
  ): Promise<TokenFilter | undefined> {
    const { serial = '', user = '', realm, resolver } = selection;
    if (serial === '' && user.trim() === '') {
      throw new ServiceError('parameter.missing', "Missing parameter 'serial' or 'user'.", {
        parameters: ['serial', 'user'],
      });
    }
    const owner =
      user.trim() === ''
        ? undefined
        : await this.#deps.users.resolve(configuration, { user, realm, resolver }, grant.realms);
    return serial === '' || isSerial(serial)
      ? {
          serial: serial === '' ? undefined : serial,
          owner: owner && { resolverId: owner.resolver.id, userId: owner.userId },
        }
      : undefined;
  }
}

function isOf({ owner }: Token, user: TokenFilter['owner']): boolean {
  return user === undefined || (owner?.resolverId === user.resolverId && owner.userId === user.userId);
}

function unknownText({ serial = '', user = '' }: TokenSelection): string {
  return serial === ''
    ? `The user '${user.slice(0, 320)}' has no token`
    : `No token found with the serial '${serial.slice(0, 64)}'`;
}
