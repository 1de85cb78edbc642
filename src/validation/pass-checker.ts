import { type ProvidedResponse, type ResponseChecker, splitPass } from '../challenges/response-check.ts';
import type { Configuration } from '../configuration/configuration.ts';
import { readOcraSettings } from '../configuration/settings.ts';
import { equalBytes } from '../kernel/constant-time.ts';
import { isServiceError } from '../kernel/errors.ts';
import type { Log } from '../kernel/log.ts';
import type { Vault } from '../keys/vault.ts';
import { hashedTextLength, isOtpToken, type Token } from '../tokens/token.ts';
import type { PasswordHasher } from '../users/password-hash.ts';
import { reportUnreadable } from './open-challenges.ts';
import { isRight, isRightResponse, type PassDecision, type TriedToken } from './pass.ts';

/** What a pass is for one token: the PIN in front, and the verdict on the rest. */
interface ReadPass extends Omit<TriedToken, 'isPin' | 'hasSecret'> {
  readonly pin: string;
}

/** Checks a pass against tokens that give responses without a challenge: always the PIN and the rest. */
export class PassChecker {
  readonly #deps;

  constructor(dependencies: {
    readonly vault: Vault;
    readonly check: ResponseChecker;
    readonly passwords: Pick<PasswordHasher, 'verify'>;
    readonly log: Log;
  }) {
    this.#deps = dependencies;
  }

  /**
   * @returns the PINs and verdicts, those with a right response first, then those of PINs alone (spass); without those of
   *   tokens whose secrets cannot be read
   */
  async read(
    configuration: Configuration,
    tokens: readonly Token[],
    provided: ProvidedResponse,
  ): Promise<readonly ReadPass[]> {
    provided.search.begin(tokens.length);
    const all = tokens.map((token) => ({ token }));
    const reads = await this.#ofReadable(all, ({ token }) => this.#read(configuration, token, provided));
    return reads
      .filter((read) => read !== undefined)
      .sort((one, other) => likelihood(other) - likelihood(one));
  }

  /**
   * A directory may count wrong passwords, so that one text is tried as password in a request: that in front of the first
   * response.
   */
  async withPins(
    configuration: Configuration,
    reads: readonly ReadPass[],
    provided: ProvidedResponse,
  ): Promise<readonly TriedToken[]> {
    const { check } = this.#deps;
    return this.#ofReadable(reads, async ({ pin, ...read }) => ({
      ...read,
      isPin: await check.isPin(configuration, read.token, pin, provided),
      hasSecret: check.secretOf(configuration, read.token, provided.client) !== undefined,
    }));
  }

  /**
   * Compares texts with hashes, which takes a second: not where the pass is right for a token without, and not in a
   * decision that is repeated, which holds locks. A right text takes the place of its hash.
   * @throws ServiceError 'server.busy'
   */
  async withTexts(
    tokens: readonly TriedToken[],
    { verified, isRepeated }: ProvidedResponse,
  ): Promise<readonly TriedToken[]> {
    const { vault, passwords } = this.#deps;
    const isToCompare = isRepeated !== true && !tokens.some(isRight);
    return this.#ofReadable(tokens, async (tried) => {
      const { text, token } = tried;
      const { seed } = token.secrets;
      if (text === undefined || seed === null) {
        return tried;
      }
      const key = `text of ${token.id}`;
      const hash = vault.open(seed, 'seed', token.serial).toString('latin1');
      const known = verified.get(key) ?? {
        password: hash,
        isRight: isToCompare ? passwords.verify(hash, text) : Promise.resolve(false),
      };
      verified.set(key, known);
      if (!(await known.isRight) || known.password !== hash) {
        return tried;
      }
      const plain = vault.seal(Buffer.from(text, 'utf8'), 'seed', token.serial);
      return { ...tried, verdict: { kind: 'right', advance: { algorithm: null, secrets: { seed: plain } } } };
    });
  }

  /** Leaves out a token whose secrets cannot be read: it must not block the user's other tokens. */
  async #ofReadable<One extends { readonly token: Token }, Result>(
    all: readonly One[],
    work: (one: One) => Promise<Result>,
  ): Promise<Result[]> {
    const results: Result[] = [];
    for (const one of all) {
      try {
        results.push(await work(one));
      } catch (error) {
        if (!isServiceError(error, 'secret.unreadable')) {
          throw error;
        }
        reportUnreadable(this.#deps.log, one.token, error);
      }
    }
    return results;
  }

  /**
   * Tells apart a wrong response of HOTP or TOTP that is right within the sync window, for the audit. Searches for all
   * tokens, as those for which the pass is counted depend on its PIN: the time must not tell more than the answer.
   * @param isPinGiven true where the response alone is enough, as in `ResponseChecker.verify`
   */
  async explain(
    configuration: Configuration,
    pass: PassDecision,
    tokens: readonly Pick<TriedToken, 'token'>[],
    provided: ProvidedResponse,
    isPinGiven = false,
  ): Promise<PassDecision> {
    if (pass.result) {
      return pass;
    }
    const searched = tokens.map(({ token }) => token).filter(isOtpToken);
    provided.search.shareBeyond(searched.length);
    let explained = pass;
    for (const token of searched) {
      const wrong = { kind: 'wrong' } as const;
      const verdict = await this.#deps.check.explain(wrong, configuration, token, '', provided, isPinGiven);
      const cause = verdict.kind === 'wrong' ? verdict.cause : undefined;
      if (token === pass.subject && cause !== undefined && pass.reason !== 'locked') {
        explained = { ...pass, cause };
      }
    }
    return explained;
  }

  async #read(
    configuration: Configuration,
    token: Token,
    provided: ProvidedResponse,
  ): Promise<ReadPass | undefined> {
    const { pass, client } = provided;
    const { check, vault } = this.#deps;
    if (token.type === 'spass') {
      // Without a PIN or password it would let anybody in.
      const hasSecret = check.secretOf(configuration, token, client) !== undefined;
      return { token, pin: pass, verdict: rightOrWrong(hasSecret && pass !== '') };
    }
    const { seed } = token.secrets;
    if (token.type !== 'pw' || seed === null) {
      const found = await check.findOtp(configuration, token, provided);
      return found && { token, ...found };
    }
    const settings = readOcraSettings(configuration.settings);
    const hashedLength = hashedTextLength(token);
    if (hashedLength !== undefined) {
      const { pin, response } = splitPass(hashedLength, pass, settings);
      return { token, pin, verdict: { kind: 'wrong' }, text: response };
    }
    const text = vault.open(seed, 'seed', token.serial);
    const { length } = text.toString('utf8');
    const { pin, response } = splitPass(length, pass, settings);
    return { token, pin, verdict: rightOrWrong(equalBytes(Buffer.from(response, 'utf8'), text)) };
  }
}

function likelihood(read: ReadPass): number {
  return isRightResponse(read) ? 2 : read.token.type === 'spass' ? 1 : 0;
}

function rightOrWrong(matches: boolean): TriedToken['verdict'] {
  return matches ? { kind: 'right', advance: {} } : { kind: 'wrong' };
}
