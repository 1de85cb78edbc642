import type { ResponseChecker } from '../challenges/response-check.ts';
import type { Configuration } from '../configuration/configuration.ts';
import type { ConfigurationStore } from '../configuration/configuration-store.ts';
import { isServiceError, ServiceError } from '../kernel/errors.ts';
import { type AccessControl, boundsOf } from '../policy/access-control.ts';
import type { Caller } from '../policy/caller.ts';
import { describeToken, type DescribedToken, isOtpToken, isVisible, type Token } from '../tokens/token.ts';
import type { TokenStore } from '../tokens/token-store.ts';

interface OtpSearch {
  /** A response without its PIN. */
  readonly otp: string;
  /** `hmac` or `totp`; default: both. */
  readonly type?: string | undefined;
  readonly realm?: string | undefined;
  /** Only tokens with an owner, or only those without. */
  readonly assigned?: boolean | undefined;
}

/** The most tokens whose windows are searched. */
const MOST = 1_000;
const TYPES: readonly string[] = ['hmac', 'totp'];

/** Finds the token that a response of HOTP or TOTP is of, for a help desk. */
export class OtpSearchService {
  readonly #deps;

  constructor(dependencies: {
    readonly configuration: Pick<ConfigurationStore, 'current'>;
    readonly access: AccessControl;
    readonly tokens: Pick<TokenStore, 'list'>;
    readonly check: ResponseChecker;
  }) {
    this.#deps = dependencies;
  }

  /**
   * Searches the windows of the tokens in the caller's realms. Changes nothing: the response can still be given. Not of
   * those with which administrators sign in: nothing counts guesses here.
   * @returns undefined where no token's window has it
   * @throws ServiceError 'right.missing'; 'parameter.invalid' where too many tokens would be searched, or several have it
   */
  async find(caller: Caller, { otp, type, realm, assigned }: OtpSearch): Promise<DescribedToken | undefined> {
    const { configuration: store, access, tokens } = this.#deps;
    const { configuration, grant } = await access.authorizeAdmin(store, caller, 'getserial');
    const types = TYPES.filter((name) => type === undefined || name === type.toLowerCase());
    const inRealms = boundsOf(grant);
    const filter = { types, realm: realm?.toLowerCase(), assigned, inRealms, limit: MOST + 1 };
    const searched = await tokens.list(filter);
    if (searched.length > MOST) {
      throw new ServiceError(
        'parameter.invalid',
        `More than ${MOST} tokens would be searched: name a realm, a type, or assigned or free tokens`,
      );
    }
    const found: Token[] = [];
    for (const token of searched.filter(
      (one) => isVisible(one, grant) && isOtpToken(one) && !one.isSecondFactor,
    )) {
      if (await this.#isOf(configuration, token, otp)) {
        found.push(token);
      }
    }
    const [token, another] = found;
    if (another !== undefined) {
      throw new ServiceError('parameter.invalid', 'Several tokens have this response in their windows');
    }
    return token && describeToken(token);
  }

  async #isOf(configuration: Configuration, token: Token, otp: string): Promise<boolean> {
    const provided = this.#deps.check.prepare(otp, '');
    provided.search.begin(1);
    try {
      const read = await this.#deps.check.findOtp(configuration, token, provided);
      return read?.pin === '' && read.verdict.kind === 'right';
    } catch (error) {
      if (isServiceError(error, 'secret.unreadable')) {
        return false;
      }
      throw error;
    }
  }
}
