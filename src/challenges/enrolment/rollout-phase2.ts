import type { Grant } from '../../policy/access-control.ts';
import { actOf, type Caller } from '../../policy/caller.ts';
import type { Configuration } from '../../configuration/configuration.ts';
import { readOcraSettings } from '../../configuration/settings.ts';
import { isOcraToken, isVisible, type Token, type TokenChange } from '../../tokens/token.ts';
import { sealOcraPin, sealPin } from '../../tokens/token-settings.ts';
import type { ResolvedUser } from '../../users/user-directory.ts';
import type { Sealed, Vault } from '../../keys/vault.ts';
import type { Random } from '../../kernel/clock.ts';
import { equalBytes } from '../../kernel/constant-time.ts';
import { isServiceError, ServiceError } from '../../kernel/errors.ts';
import { deriveTokenKey, normalizeActivationCode } from '../../ocra/key-derivation.ts';
import type { ChallengeFactory } from '../challenge-factory.ts';
import type { Enrolled, EnrolmentRequest } from './enrolment.ts';
import type { ChallengeIssueStore } from '../challenge-issue-store.ts';
import { buildNonceUrl } from '../../ocra/qrtan-url.ts';
import { ShownQuestions } from '../../ocra/question.ts';
import { type OcraSuite, parseOcraSuite } from '../../ocra/suite.ts';
import type { TokenChoice } from '../token-choice.ts';

/** Bytes; the last eight are the salt of the key derivation. */
const NONCE_BYTES = 64;

/** `selfEnrolled`: begun at the account page, so that no portal takes the challenge for one of its own. */
type Phase2Request = EnrolmentRequest & { readonly selfEnrolled: boolean };

/** Roll-out phase 2: key from shared secret, activation code and nonce; first challenge. */
export class RolloutPhase2 {
  readonly #deps;

  constructor(dependencies: {
    readonly tokens: TokenChoice;
    readonly issues: ChallengeIssueStore;
    readonly factory: ChallengeFactory;
    readonly vault: Vault;
    readonly random: Random;
  }) {
    this.#deps = dependencies;
  }

  /**
   * Starts phase 2 for the token of that serial, or for the user's only token in roll-out. May be repeated until the
   * roll-out is complete, each time with a new nonce: only the last code remains valid, and the token's earlier
   * challenges are closed.
   * @throws ServiceError 'token.unknown', 'token.ambiguous', 'token.state', 'activation-code.invalid', 'right.missing'
   */
  async start(
    caller: Caller,
    grant: Grant,
    configuration: Configuration,
    request: Phase2Request,
    user: ResolvedUser | undefined,
  ): Promise<Enrolled> {
    const token = await this.#token(grant, request, user);
    try {
      return await this.#start(caller, grant, configuration, request, token, user);
    } catch (error) {
      if (!isServiceError(error, 'token.state')) {
        throw error;
      }
      // Owner, realms or shared secret of the token changed meanwhile. A changed secret is another roll-out or the same
      // secret sealed anew.
      const again = await this.#token(grant, request, user);
      if (again.id !== token.id || !this.#isSameSecret(token, again)) {
        throw error;
      }
      return this.#start(caller, grant, configuration, request, again, user);
    }
  }

  async #start(
    caller: Caller,
    grant: Grant,
    configuration: Configuration,
    request: Phase2Request,
    token: Token,
    user: ResolvedUser | undefined,
  ): Promise<Enrolled> {
    const { factory, issues } = this.#deps;
    const owner = user && { resolverId: user.resolver.id, userId: user.userId };
    const realms = grant.realms === 'all' ? undefined : token.realms;
    const { suite, key, nonce, change, sharedSecret } = await this.#derive(token, request);
    const act = actOf(caller, 'admin/init');
    const callbackUrl = factory.callbackUrl(configuration, token, act);
    const issuer = factory.issuer(configuration, token, act);
    const data = request.message ?? '';
    const signIn = request.selfEnrolled || undefined;
    const issued = await factory.draw(
      readOcraSettings(configuration.settings),
      new ShownQuestions(suite, data, this.#deps.random),
      (transactionId, question) =>
        buildNonceUrl(suite, key, {
          message: request.message,
          callbackUrl,
          question,
          nonce,
          transactionId,
          serial: token.serial,
          issuer,
        }),
      (drawn) =>
        issues.issue(
          { ...drawn, tokenId: token.id, data, signIn, owner, realms, sharedSecret },
          1,
          act,
          change,
        ),
    );
    return {
      kind: 'phase2',
      serial: token.serial,
      nonce: nonce.toString('hex'),
      transactionId: issued.transactionId,
      expiresAt: issued.expiresAt,
      question: issued.question,
      callbackUrl,
      signature: issued.url.slice(issued.url.lastIndexOf('=') + 1),
      appImport: issued.url,
    };
  }

  #isSameSecret(before: Token, now: Token): boolean {
    const [one, other] = [before, now].map(({ serial, secrets: { sharedSecret } }) =>
      sharedSecret === null ? undefined : this.#deps.vault.open(sharedSecret, 'shared-secret', serial),
    );
    return one !== undefined && other !== undefined && equalBytes(one, other);
  }

  async #token(
    grant: Grant,
    { serial = '' }: EnrolmentRequest,
    user: ResolvedUser | undefined,
  ): Promise<Token> {
    return serial === '' ? this.#ofUser(grant, user) : this.#bySerial(grant, serial, user);
  }

  async #bySerial(grant: Grant, serial: string, user: ResolvedUser | undefined): Promise<Token> {
    const token = await this.#deps.tokens.bySerial(serial, user);
    if (!isVisible(token, grant)) {
      throw new ServiceError(
        'right.missing',
        'You do not have the administrative right to init tokens in this realm',
      );
    }
    if (!isInRollout(token)) {
      throw new ServiceError(
        'token.state',
        `The token '${serial}' is not in roll-out: it has no shared secret`,
      );
    }
    return token;
  }

  /** Skips tokens that the administrator may not see: no message may name them. */
  async #ofUser(grant: Grant, user: ResolvedUser | undefined): Promise<Token> {
    const owned = await this.#deps.tokens.ofUser(user);
    const [token, ...others] = owned.filter((one) => isInRollout(one) && isVisible(one, grant));
    if (token === undefined) {
      const login = user?.login ?? '';
      throw new ServiceError('token.unknown', `The user '${login}' has no token in roll-out`, {
        login,
      });
    }
    if (others.length > 0) {
      const serials = [token, ...others].map(({ serial }) => serial);
      throw new ServiceError(
        'token.ambiguous',
        `Multiple tokens found in roll-out state: ${serials.map((serial) => `'${serial}'`).join(', ')}`,
        { login: user?.login ?? '', serials },
      );
    }
    return token;
  }

  async #derive(
    token: Token,
    { activationcode = '', pin = '', ocrapin = '' }: EnrolmentRequest,
  ): Promise<{
    suite: OcraSuite;
    key: Uint8Array;
    nonce: Buffer;
    change: TokenChange;
    sharedSecret: Sealed;
  }> {
    const { vault, random } = this.#deps;
    const { sharedSecret } = token.secrets;
    if (sharedSecret === null || token.algorithm === null) {
      throw new ServiceError(
        'token.state',
        `The token '${token.serial}' is not in roll-out: it has no shared secret`,
      );
    }
    const nonce = random.bytes(NONCE_BYTES);
    const key = await deriveTokenKey({
      sharedSecret: vault.open(sharedSecret, 'shared-secret', token.serial),
      activationCode: normalizeActivationCode(activationcode),
      nonce,
    });
    const change: TokenChange = {
      active: true,
      rollout: 'phase2',
      failCount: 0,
      counter: 0n,
      replayMarkers: [],
      syncMarker: null,
      secrets: {
        seed: vault.seal(key, 'seed', token.serial),
        nonce: vault.seal(nonce, 'nonce', token.serial),
        ...(pin !== '' && { pin: sealPin(pin, token.serial, vault, random) }),
        ...(ocrapin !== '' && {
          ocraPin: sealOcraPin(ocrapin, token.serial, vault),
        }),
      },
    };
    return { suite: parseOcraSuite(token.algorithm), key, nonce, change, sharedSecret };
  }
}

function isInRollout(token: Token): boolean {
  // A lost device has the shared secret.
  const isToBegin = token.secrets.sharedSecret !== null && token.lostAt === null;
  return isOcraToken(token) && token.rollout !== 'complete' && isToBegin;
}
