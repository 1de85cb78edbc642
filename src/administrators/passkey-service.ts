import type { Random } from '../kernel/clock.ts';
import { ServiceError } from '../kernel/errors.ts';
import { composed, plainName } from '../kernel/text.ts';
import { unknownAdministrator } from './administrator-service.ts';
import { lackingRight } from '../policy/api-token-rights.ts';
import { type Act, actOf, type Caller } from '../policy/caller.ts';
import { assertConfirmed, type ConfirmedLogins } from '../policy/recent-proof.ts';
import {
  attemptHash,
  isSessionShaped,
  newSession,
  sessionHash,
  SIGN_IN_LIFETIME,
  type SignInContent,
} from './session.ts';
import { assertPasskeys, type Passkey, type PasskeyOptions, type UsedPasskey, WebAuthn } from './passkey.ts';
import type { PasskeyStore } from './passkey-store.ts';
import type { SignInStore } from './sign-in-store.ts';

/** A registration that the browser goes on with. */
export interface BegunRegistration {
  readonly attempt: string;
  readonly expiresAt: Date;
  /** For `navigator.credentials.create`, as JSON. */
  readonly options: PasskeyOptions;
}

/** The permission of a registration. */
interface RegistrationBasis {
  readonly administrator: string;
  /** The hash of the confirmed login, which stays open. */
  readonly login?: Buffer | undefined;
  /** The hash of the link that is used up. */
  readonly replaces?: Buffer | undefined;
}

const CHALLENGE_SIZE = 32;
/** Seconds. */
const LINK_LIFETIME = 3_600;
/** Passkeys of one administrator. */
const MAX_PASSKEYS = 20;

/** The passkeys of administrators: registered by a confirmed login or a link, used as second factor, removed. */
export class PasskeyService {
  readonly #deps;

  constructor(
    dependencies: ConfirmedLogins & {
      readonly passkeys: PasskeyStore;
      readonly attempts: SignInStore;
      /** The address of the server in browsers, to which passkeys are bound; without a slash at its end. */
      readonly publicUrl?: string | undefined;
      readonly random: Random;
    },
  ) {
    this.#deps = dependencies;
  }

  /**
   * @returns the caller's own, oldest first.
   * @throws ServiceError 'right.missing' for an API token with some rights only
   */
  async list({ principal }: Caller): Promise<readonly Passkey[]> {
    assertWhole(principal.rights);
    return this.#deps.passkeys.list(principal.administrator);
  }

  /**
   * Begins the registration of a passkey of the caller. The first one takes the place of a token.
   * @throws ServiceError 'right.missing', 'confirmation.required', 'passkey.invalid', 'configuration.invalid'
   */
  async beginOwn(caller: Caller): Promise<BegunRegistration> {
    const { administrator, rights, proof } = caller.principal;
    assertWhole(rights);
    const webAuthn = this.#webAuthn();
    await assertConfirmed(caller, this.#deps);
    const login = typeof proof === 'object' && proof.kind === 'login' ? proof.hash : undefined;
    const begun = await this.#begin(
      webAuthn,
      { administrator, login },
      actOf(caller, 'admin/passkey/options'),
    );
    if (begun === undefined) {
      throw new ServiceError(
        'confirmation.required',
        'This confirmation has ended: begin again with the password',
      );
    }
    return begun;
  }

  /**
   * Makes a link by which the administrator may register a passkey, within an hour and once. It stands for a second
   * factor, not for the password.
   * @returns the link, with its secret in the fragment, which no server sees
   * @throws ServiceError 'confirmation.required', 'administrator.unknown', 'configuration.invalid' without a name in
   *   PUBLIC_URL
   */
  async makeLink(caller: Caller, administrator: string): Promise<{ link: string; expiresAt: Date }> {
    await assertConfirmed(caller, this.#deps);
    const { attempts, publicUrl, clock, random } = this.#deps;
    assertPasskeys(publicUrl);
    const secret = newSession(random);
    const expiresAt = new Date(clock.now().getTime() + LINK_LIFETIME * 1000);
    const act = actOf(caller, 'administrator/second-factor');
    const attempt = { hash: attemptHash(secret), content: { kind: 'link' }, expiresAt } as const;
    const owner = { administrator: composed(administrator) };
    if (!(await attempts.begin({ ...attempt, owner, client: act.client }, clock.now(), act))) {
      throw unknownAdministrator(administrator);
    }
    return { link: `${publicUrl}/console/#link=${secret}`, expiresAt };
  }

  /**
   * As `beginOwn`, for the holder of a link, which ends.
   * @throws ServiceError 'sign-in.ended', 'passkey.invalid', 'configuration.invalid'
   */
  async beginByLink(link: string, act: Act): Promise<BegunRegistration> {
    const { attempts, clock } = this.#deps;
    const webAuthn = this.#webAuthn();
    const replaces = attemptHash(link);
    const found = isSessionShaped(link) ? await attempts.find(replaces, ['link'], clock.now()) : undefined;
    const administrator = found?.administrator;
    const begun =
      administrator === undefined
        ? undefined
        : await this.#begin(webAuthn, { administrator, replaces }, { ...act, actor: administrator });
    if (begun === undefined) {
      throw new ServiceError('sign-in.ended', 'This link has been used or has expired: ask for another one');
    }
    return begun;
  }

  /**
   * Registers the passkey that the browser has made.
   * @param secret of the registration
   * @throws ServiceError 'sign-in.ended', 'passkey.invalid', 'configuration.invalid'
   */
  async register(
    secret: string | undefined,
    registration: { readonly credential: string; readonly name: string },
    act: Act,
  ): Promise<void> {
    const { attempts, passkeys, clock } = this.#deps;
    const webAuthn = this.#webAuthn();
    const hash = attemptHash(secret ?? '');
    const found = await attempts.find(hash, ['registration'], clock.now());
    if (found?.content.kind !== 'registration') {
      throw new ServiceError('sign-in.ended', 'This registration has ended: begin again');
    }
    const { administrator, content } = found;
    const credential = await webAuthn.verifyCreation(registration.credential, content.challenge);
    if (credential === undefined) {
      await attempts.consume(hash, ['registration'], clock.now());
      throw invalid('The passkey cannot be accepted: begin again');
    }
    const keeps = content.keeps === undefined ? undefined : Buffer.from(content.keeps, 'base64');
    const stored = { ...credential, administrator, name: readPasskeyName(registration.name) };
    if (!(await passkeys.register(hash, stored, keeps, { ...act, actor: administrator }))) {
      throw invalid('The registration has ended, or the passkey is registered already');
    }
  }

  /**
   * Removes a passkey of the caller. The last one stays: an operator can remove the second factor.
   * @param keeps the login that stays open, unlike the others
   * @throws ServiceError 'right.missing', 'confirmation.required', 'passkey.unknown', 'passkey.invalid'
   */
  async remove(caller: Caller, id: string, keeps: string | undefined): Promise<void> {
    const { principal } = caller;
    assertWhole(principal.rights);
    await assertConfirmed(caller, this.#deps);
    const kept = keeps === undefined ? undefined : sessionHash(keeps, 'login');
    const act = actOf(caller, 'admin/passkey/remove');
    const isKnown =
      /^[1-9]\d{0,17}$/.test(id) &&
      (await this.#deps.passkeys.remove(principal.administrator, id, kept, act));
    if (!isKnown) {
      throw new ServiceError('passkey.unknown', `There is no passkey '${id.slice(0, 32)}'`);
    }
  }

  /**
   * Asks for a passkey of the administrator as second factor.
   * @returns the options for `navigator.credentials.get`, and their challenge, base64url, which `verify` takes
   * @throws ServiceError 'configuration.invalid'
   */
  async request(
    administrator: string,
  ): Promise<{ readonly options: PasskeyOptions; readonly challenge: string }> {
    const challenge = this.#deps.random.bytes(CHALLENGE_SIZE);
    const known = await this.#deps.passkeys.credentials(administrator);
    const options = await this.#webAuthn().requestOptions(known, challenge);
    return { options, challenge: challenge.toString('base64url') };
  }

  /**
   * @param challenge that of `request`
   * @param credential the answer of the browser, as JSON
   * @returns the passkey that was used, undefined if the credential proves none of the administrator's
   * @throws ServiceError 'configuration.invalid'
   */
  async verify(
    administrator: string,
    challenge: string,
    credential: string,
  ): Promise<UsedPasskey | undefined> {
    const known = await this.#deps.passkeys.credentials(administrator);
    return this.#webAuthn().verifyAssertion(credential, challenge, known);
  }

  async #begin(
    webAuthn: WebAuthn,
    { administrator, login, replaces }: RegistrationBasis,
    act: Act,
  ): Promise<BegunRegistration | undefined> {
    const { attempts, passkeys, random, clock } = this.#deps;
    const known = await passkeys.credentials(administrator);
    if (known.length >= MAX_PASSKEYS) {
      throw invalid(`An administrator has ${MAX_PASSKEYS} passkeys at most`);
    }
    const challenge = random.bytes(CHALLENGE_SIZE);
    const options = await webAuthn.creationOptions(administrator, known, challenge);
    const secret = newSession(random);
    const expiresAt = new Date(clock.now().getTime() + SIGN_IN_LIFETIME * 1000);
    const content: SignInContent = {
      kind: 'registration',
      challenge: challenge.toString('base64url'),
      ...(login !== undefined && { keeps: login.toString('base64') }),
    };
    const attempt = { hash: attemptHash(secret), content, expiresAt, client: act.client };
    const owner = { administrator };
    const isBegun = await attempts.begin({ ...attempt, owner, login, replaces }, clock.now(), act);
    return isBegun ? { attempt: secret, expiresAt, options } : undefined;
  }

  #webAuthn(): WebAuthn {
    const { publicUrl } = this.#deps;
    assertPasskeys(publicUrl);
    return new WebAuthn({ publicUrl });
  }
}

function readPasskeyName(text: string): string {
  const name = plainName(text);
  if (!/^[\p{L}\p{N}][\p{L}\p{N}\p{M} ._@+()'-]{0,63}$/u.test(name)) {
    throw invalid("The name of a passkey has 1 to 64 letters, digits, blanks and any of . _ @ + ( ) ' -");
  }
  return name;
}

function assertWhole(rights: readonly string[]): void {
  if (!rights.includes('*')) {
    throw lackingRight('*');
  }
}

function invalid(message: string): ServiceError {
  return new ServiceError('passkey.invalid', message);
}
