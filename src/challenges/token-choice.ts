import type { Grant } from '../policy/access-control.ts';
import type { TokenStore } from '../tokens/token-store.ts';
import type { Configuration } from '../configuration/configuration.ts';
import { isOcraToken, type Token, isOwnedBy, unknownSerial } from '../tokens/token.ts';
import { ownerOf, type ResolvedUser, type UserDirectory } from '../users/user-directory.ts';
import { ServiceError } from '../kernel/errors.ts';

/** A client's reference to a token: by its serial, by its owner, or both. */
export interface TokenReference {
  readonly serial?: string | undefined;
  readonly user?: string | undefined;
  readonly realm?: string | undefined;
}

/** The bounds of a choice: what is beyond them is unknown. */
interface ChoiceBounds {
  /** The realms of users. */
  readonly realms: Grant['realms'];
  readonly includes: (token: Token) => boolean;
  /** The tokens that can be meant; default: OCRA tokens. By user, others only where there is no OCRA token. */
  readonly isMeant?: (token: Token) => boolean;
}

/** Finds the one token of a reference. */
export class TokenChoice {
  readonly #tokens: TokenStore;
  readonly #users: UserDirectory;

  constructor({ tokens, users }: { tokens: TokenStore; users: UserDirectory }) {
    this.#tokens = tokens;
    this.#users = users;
  }

  /**
   * Of a user's tokens, those in roll-out do not count where another one is left, and those of other types never.
   * @returns the only token that matches and can be meant; with serial and user, it must be that user's
   * @throws ServiceError 'parameter.missing', 'user.unknown', 'token.unknown', 'token.ambiguous', 'token.not-ocra'
   */
  async only(
    configuration: Configuration,
    reference: TokenReference,
    { realms, includes, isMeant = isOcraToken }: ChoiceBounds,
  ): Promise<Token> {
    const { serial = '', user = '', realm } = reference;
    const owner = user === '' ? undefined : await this.#users.resolve(configuration, { user, realm }, realms);
    const token =
      serial === ''
        ? await this.#onlyOf(owner, includes, isMeant)
        : await this.bySerial(serial, owner, includes);
    if (!isMeant(token)) {
      throw new ServiceError('token.not-ocra', `The token '${token.serial}' is not an OCRA token`);
    }
    return token;
  }

  /**
   * @param owner the required owner; undefined: any
   * @throws ServiceError 'token.unknown'
   */
  async bySerial(
    serial: string,
    owner: ResolvedUser | undefined,
    includes: ChoiceBounds['includes'] = () => true,
  ): Promise<Token> {
    const token = await this.#tokens.findBySerial(serial);
    if (
      token === undefined ||
      (owner !== undefined && !isOwnedBy(token, ownerOf(owner))) ||
      !includes(token)
    ) {
      throw unknownSerial(serial);
    }
    return token;
  }

  async #onlyOf(
    owner: ResolvedUser | undefined,
    includes: ChoiceBounds['includes'],
    isMeant: (token: Token) => boolean,
  ): Promise<Token> {
    const owned = (await this.ofUser(owner)).filter(includes);
    const meant = owned.some(isOcraToken) ? owned.filter(isOcraToken) : owned.filter(isMeant);
    const complete = meant.filter(({ rollout }) => rollout === 'complete');
    // Somebody who adds a phone must not shut the portals out that name the user alone.
    const ready = complete.length > 0 ? complete : meant;
    const tokens = ready.length > 0 ? ready : owned.slice(0, 1);
    const [token, another] = tokens;
    const login = owner?.login ?? '';
    if (token === undefined) {
      throw new ServiceError('token.unknown', `No token found for the user '${login}'`, { login });
    }
    if (another !== undefined) {
      throw new ServiceError(
        'token.ambiguous',
        `More than one token found for the user '${login}': name its serial`,
        { login, serials: tokens.map(({ serial }) => serial) },
      );
    }
    return token;
  }

  /**
   * @returns all tokens of a user, of any type
   * @throws ServiceError 'parameter.missing' where no user is named
   */
  async ofUser(owner: ResolvedUser | undefined): Promise<readonly Token[]> {
    if (owner === undefined) {
      throw new ServiceError('parameter.missing', 'No token is named: neither a user nor a serial is given', {
        parameters: ['user', 'serial'],
      });
    }
    return this.#tokens.ofOwner({ resolverId: owner.resolver.id, userId: owner.userId });
  }
}
