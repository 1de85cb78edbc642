import type { ResponseChecker } from '../challenges/response-check.ts';
import type { ConfigurationStore } from '../configuration/configuration-store.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Act } from '../policy/caller.ts';
import { isOtpToken, isReserved, isUsable, type Token } from '../tokens/token.ts';
import type { TokenStore } from '../tokens/token-store.ts';
import type { PassChecker } from './pass-checker.ts';
import type { PassStore, SeenByPass } from './pass-store.ts';
import { decidePass, type PassDecision } from './pass.ts';

/** Checks responses of HOTP and TOTP at sign-ins: alone, as the person has given a password before. */
export class SignInResponseService {
  readonly #deps;

  constructor(dependencies: {
    readonly configuration: Pick<ConfigurationStore, 'current'>;
    readonly tokenStore: Pick<TokenStore, 'findBySerial'>;
    readonly check: Pick<ResponseChecker, 'prepare'>;
    readonly passCheck: PassChecker;
    readonly passes: PassStore;
    readonly clock: Clock;
  }) {
    this.#deps = dependencies;
  }

  /**
   * Accepts a response at most once, here or as a pass, over all servers. A wrong one counts as a pass does, but for a
   * token that is reserved (`isReserved`), which takes none.
   * @param token undefined id: the token is gone, or has another key
   */
  async check(
    { serial, tokenId }: { readonly serial: string; readonly tokenId: string | undefined },
    response: string,
    act: Act,
  ): Promise<boolean> {
    const { configuration: store, tokenStore, check, passCheck, passes, clock } = this.#deps;
    const configuration = await store.current();
    const token = await tokenStore.findBySerial(serial);
    if (token === undefined || token.id !== tokenId) {
      return false;
    }
    const provided = check.prepare(response, act.client);
    const decideOn = async ({ tokens }: SeenByPass): Promise<PassDecision> => {
      const now = clock.now();
      const reads = await passCheck.read(
        configuration,
        tokens.filter((one) => takesResponse(one, now)),
        provided,
      );
      const tried = reads.map(({ pin, ...read }) => ({ ...read, isPin: pin === '', hasSecret: false }));
      const decided = decidePass({ tokens: tried, open: undefined, guessed: undefined, first: token }, now);
      // What else was typed is not tried as a PIN or password.
      return tried.every(({ isPin }) => isPin)
        ? passCheck.explain(configuration, decided, provided, true)
        : decided;
    };
    return (await passes.settle({ serial }, [token], decideOn, act)).result;
  }
}

function takesResponse(token: Token, now: Date): boolean {
  return isOtpToken(token) && token.rollout === 'complete' && isUsable(token, now) && !isReserved(token);
}
