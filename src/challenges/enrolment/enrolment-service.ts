import type { AccessControl, Grant } from '../../policy/access-control.ts';
import { actOf, type Caller } from '../../policy/caller.ts';
import { assertMayChangeFactor, type ConfirmedLogins } from '../../policy/recent-proof.ts';
import type { TokenStore } from '../../tokens/token-store.ts';
import {
  assertNotLost,
  assertSerial,
  foreignRealms,
  isOcraToken,
  isVisible,
  type NewToken,
  type Token,
  type TokenChange,
  type TokenSecrets,
  unknownSerial,
} from '../../tokens/token.ts';
import type { Owner } from '../../users/user.ts';
import type { Random } from '../../kernel/clock.ts';
import { isServiceError, ServiceError } from '../../kernel/errors.ts';
import {
  type Enrolled,
  type EnrolmentRequest,
  keyOf,
  otpAlgorithmOf,
  phaseOf,
  suiteOf,
  textOf,
  typeOf,
} from './enrolment.ts';
import { keyUri } from '../../ocra/key-uri.ts';
import { otpAlgorithmText, parseAlgorithm } from '../../ocra/otp.ts';
import type { ConfigurationStore } from '../../configuration/configuration-store.ts';
import { type Configuration, findRealm } from '../../configuration/configuration.ts';
import { givesValue, valuesForToken } from '../../policy/read-policy.ts';
import { ownerOf, type ResolvedUser, type UserDirectory } from '../../users/user-directory.ts';
import { readDescription, sealFirstPin, sealOcraPin } from '../../tokens/token-settings.ts';
import type { Vault } from '../../keys/vault.ts';
import { type OcraSettings, readOcraSettings } from '../../configuration/settings.ts';
import { buildInitUrl } from '../../ocra/qrtan-url.ts';
import type { RolloutPhase2 } from './rollout-phase2.ts';
import { openTokenKey } from '../token-key.ts';
import { equalBytes } from '../../kernel/constant-time.ts';
import { hmacBlock } from '../../ocra/compute.ts';

interface Assignment {
  readonly owner: Owner | null;
  /** Undefined if the request names no realms. */
  readonly realms: readonly string[] | undefined;
}

/** The key of an enrolment, and what computes with it: with the text of pw nothing. Of spass neither. */
interface GivenKey {
  readonly algorithm: string | null;
  readonly key: Buffer | undefined;
}

interface Enrolment {
  readonly caller: Caller;
  readonly grant: Grant;
  readonly request: EnrolmentRequest;
  readonly assignment: Assignment;
  readonly selfEnrolled: boolean;
}

/** Maximum number of attempts to enrol a token whose realms change meanwhile. */
const ATTEMPTS = 5;

/** The address that an app would send its responses to. */
interface AnswerAddress {
  /** The number of values that policies give: without one, and with several, the roll-out fails. */
  readonly values: number;
  /** The realms, a comma list, of a policy that would give one to this token and change no other's; null: none would. */
  readonly realm: string | null;
  /** The address of this server; null: it is not known. */
  readonly proposed: string | null;
}

/** @returns the address of this server that apps send responses to; null: it is not known */
export function ownAnswerAddress(publicUrl: string | undefined): string | null {
  return publicUrl === undefined ? null : `${publicUrl}/ocra/check_t`;
}

/** Makes tokens ready for use: in the two phases of the QR-TAN roll-out, or at once with a known key. */
export class EnrolmentService {
  readonly #deps;

  constructor(
    dependencies: ConfirmedLogins & {
      readonly configuration: Pick<ConfigurationStore, 'current'>;
      readonly access: AccessControl;
      readonly users: UserDirectory;
      readonly phase2: RolloutPhase2;
      readonly tokenStore: TokenStore;
      readonly vault: Vault;
      readonly random: Random;
      /** The address of this server in browsers; undefined: it is not known. */
      readonly publicUrl?: string | undefined;
    },
  ) {
    this.#deps = dependencies;
  }

  /**
   * Enrols a token, or moves its roll-out to the second phase. An existing serial is enrolled anew.
   * @param selfEnrolled true where the owner begins it, at the account page
   * @throws ServiceError 'right.missing', 'parameter.missing', 'parameter.invalid', 'suite.invalid', 'user.unknown',
   *   'realm.unknown', 'token.exists' for a token of another type, 'token.unknown', 'token.ambiguous', 'token.state',
   *   'activation-code.invalid', 'key.unavailable'
   */
  async init(caller: Caller, request: EnrolmentRequest, selfEnrolled = false): Promise<Enrolled> {
    const configuration = await this.#deps.configuration.current();
    const grant = this.#deps.access.authorize(configuration, caller, {
      scope: 'admin',
      action: 'init',
    });
    const phase = phaseOf(request);
    const user = await this.#user(configuration, request);
    if (phase === 'phase2') {
      const own = { ...request, selfEnrolled };
      return this.#deps.phase2.start(caller, grant, configuration, own, user);
    }
    const assignment = assign(configuration, request, user);
    const enrolment = { caller, grant, request, assignment, selfEnrolled };
    const settings = readOcraSettings(configuration.settings);
    return phase === 'pass'
      ? this.#enrolPass(enrolment, user, settings)
      : this.#enrol(enrolment, phase, settings);
  }

  /**
   * Looks for the address before a roll-out begins. Changes nothing.
   * @throws ServiceError 'right.missing', 'user.unknown', 'realm.unknown'
   */
  async answerAddress(
    caller: Caller,
    request: Pick<EnrolmentRequest, 'serial' | 'user' | 'realm'>,
  ): Promise<AnswerAddress> {
    const { access, clock, publicUrl } = this.#deps;
    const { configuration, grant } = await access.authorizeAdmin(this.#deps.configuration, caller, 'init');
    const token = await this.#target(configuration, grant, request);
    const { realms } = token;
    assertGranted(grant, realms, 'every');
    const { policies } = configuration;
    const asks = { client: caller.principal.client, at: clock.now() };
    const hasOthers = policies.some(
      (policy) => givesValue(policy, 'qrtanurl') && (realms.length === 0 || policy.covers(realms)),
    );
    return {
      values: valuesForToken(policies, 'qrtanurl', token, asks).length,
      realm: hasOthers ? null : realms.join(',') || '*',
      proposed: ownAnswerAddress(publicUrl),
    };
  }

  /** @returns owner and realms that the token of an enrolment would have */
  async #target(
    configuration: Configuration,
    grant: Grant,
    { serial = '', user = '', realm }: Pick<EnrolmentRequest, 'serial' | 'user' | 'realm'>,
  ): Promise<Pick<Token, 'realms' | 'owner'>> {
    const { tokenStore, users } = this.#deps;
    const known = serial === '' ? undefined : await tokenStore.findBySerial(serial);
    const named = user === '' ? undefined : await users.resolve(configuration, { user, realm }, grant.realms);
    const { owner, realms } = assign(configuration, { realm }, named);
    const before = known ?? { owner: null, realms: [] };
    return { owner: owner ?? before.owner, realms: realms ?? before.realms };
  }

  async #user(
    configuration: Configuration,
    { user = '', realm }: EnrolmentRequest,
  ): Promise<ResolvedUser | undefined> {
    return user === '' ? undefined : this.#deps.users.resolve(configuration, { user, realm });
  }

  async #enrol(enrolment: Enrolment, phase: 'phase1' | 'plain', settings: OcraSettings): Promise<Enrolled> {
    const { request } = enrolment;
    const key = keyOf(request, (size) => this.#deps.random.bytes(size));
    const suite = suiteOf(request, phase === 'phase1' ? settings.qrDefaultSuite : settings.defaultSuite);
    const make = (serial: string): NewToken => ({
      ...newToken(enrolment, settings, serial),
      active: phase === 'plain',
      algorithm: suite,
      rollout: phase === 'phase1' ? 'phase1' : 'complete',
      secrets: this.#secrets(phase, serial, key, request),
    });
    const token = await this.#store(enrolment, make, { algorithm: suite, key });
    const secret = key.toString('hex');
    return phase === 'plain'
      ? { kind: 'plain', serial: token.serial, otpkey: secret }
      : {
          kind: 'phase1',
          serial: token.serial,
          sharedSecret: secret,
          appImport: buildInitUrl({ sharedSecret: key, suite, serial: token.serial }),
        };
  }

  /**
   * Enrols a token without a challenge, which the owner who begins that has yet to prove (`isUnproven`). With the key
   * that it has it keeps its counter, as every token does.
   */
  async #enrolPass(
    enrolment: Enrolment,
    user: ResolvedUser | undefined,
    settings: OcraSettings,
  ): Promise<Enrolled> {
    const { request, selfEnrolled } = enrolment;
    const { type } = typeOf(request);
    const algorithm = otpAlgorithmOf(request);
    const bytes = (size: number): Buffer => this.#deps.random.bytes(size);
    const key = algorithm !== undefined ? keyOf(request, bytes) : type === 'pw' ? textOf(request) : undefined;
    const text = algorithm === undefined ? null : otpAlgorithmText(algorithm);
    const make = (serial: string): NewToken => ({
      ...newToken(enrolment, settings, serial),
      active: !selfEnrolled,
      algorithm: text,
      rollout: selfEnrolled ? 'phase1' : 'complete',
      secrets: this.#secrets(selfEnrolled ? 'phase1' : 'plain', serial, key, request),
    });
    const { serial, counter } = await this.#store(enrolment, make, { algorithm: text, key });
    return {
      kind: 'pass',
      serial,
      ...(key !== undefined && { otpkey: key.toString(algorithm === undefined ? 'utf8' : 'hex') }),
      ...(algorithm !== undefined &&
        key !== undefined && {
          keyUri: keyUri(algorithm, key, { issuer: KEY_ISSUER, account: user?.login ?? serial, counter }),
        }),
    };
  }

  /**
   * Stores a token under a generated serial, a given one, or an existing one.
   * @param make makes the token for a serial
   * @throws ServiceError 'token.exists', 'parameter.invalid' for an invalid serial, 'right.missing', 'token.state'
   *   where the token's realms keep changing
   */
  async #store(enrolment: Enrolment, make: (serial: string) => NewToken, given: GivenKey): Promise<Token> {
    const { caller, grant, request, assignment } = enrolment;
    const { serial = '' } = request;
    const known = serial === '' ? undefined : await this.#deps.tokenStore.findBySerial(serial);
    if (known !== undefined) {
      return this.#replace(enrolment, known, make(known.serial), given);
    }
    assertGranted(grant, assignment.realms ?? [], 'every');
    if (serial === '') {
      return this.#insertWithNewSerial(caller, typeOf(request).prefix, make);
    }
    assertSerial(serial);
    return this.#deps.tokenStore.insert(make(serial), actOf(caller, 'admin/init'));
  }

  /** Generates serials of LinOTP's form: the prefix of the type, four digits, four hexadecimal digits. */
  async #insertWithNewSerial(
    caller: Caller,
    prefix: string,
    make: (serial: string) => NewToken,
  ): Promise<Token> {
    for (let attempt = 0; attempt < 8; attempt += 1) {
      const number = this.#deps.random.below(10_000).toString().padStart(4, '0');
      const serial = `${prefix}${number}${this.#deps.random.bytes(2).toString('hex').toUpperCase()}`;
      try {
        return await this.#deps.tokenStore.insert(make(serial), actOf(caller, 'admin/init'), 'generated');
      } catch (error) {
        if (!isServiceError(error, 'token.exists')) {
          throw error;
        }
      }
    }
    throw new ServiceError('internal', 'No free serial was found');
  }

  /** Repeats the enrolment where the token's realms change meanwhile, because the new realms depend on them. */
  async #replace(enrolment: Enrolment, known: Token, made: NewToken, given: GivenKey): Promise<Token> {
    let seen: Token | undefined = known;
    for (let attempt = 1; seen !== undefined; attempt += 1) {
      try {
        return await this.#enrolAnew(enrolment, seen, made, given);
      } catch (error) {
        if (attempt === ATTEMPTS || !isServiceError(error, 'token.state')) {
          throw error;
        }
      }
      seen = await this.#deps.tokenStore.findBySerial(made.serial);
    }
    throw unknownSerial(made.serial);
  }

  /**
   * Owner, realms and PINs stay unless the request names others, so that a new enrolment loses neither the owner nor a
   * factor. Realms outside the administrator's rights always stay. With the same key, counter and replay markers also stay: an
   * accepted response must not be accepted again. The replaced key is known only under the token's lock, because the
   * same enrolment may have been made and used a moment ago.
   */
  async #enrolAnew(
    { caller, grant, assignment }: Enrolment,
    seen: Token,
    { owner, realms, counter, replayMarkers, secrets, selfEnrolled = false, ...state }: NewToken,
    given: GivenKey,
  ): Promise<Token> {
    const { serial } = state;
    const foreign = foreignRealms(seen, grant);
    const mayChangeFactor = seen.isSecondFactor && isVisible(seen, grant);
    if (mayChangeFactor) {
      await assertMayChangeFactor(caller, this.#deps);
    }
    const { pin, ocraPin, ...keys } = secrets;
    const change: TokenChange = {
      ...state,
      secrets: { ...keys, ...(pin !== null && { pin }), ...(ocraPin !== null && { ocraPin }) },
      syncMarker: null,
      mayChangeFactor,
      ...(assignment.owner !== null && { owner }),
      ...(assignment.realms !== undefined && { realms: [...new Set([...foreign, ...realms])].sort() }),
    };
    const changed = await this.#deps.tokenStore.update(
      serial,
      change,
      actOf(caller, 'admin/init'),
      (known) => {
        assertGranted(grant, known.realms, 'some');
        assertGranted(grant, assignment.realms ?? known.realms, 'every');
        if (known.type !== state.type && !(isOcraToken(known) && isOcraToken(state))) {
          throw new ServiceError('token.exists', `A token of another type has the serial '${serial}'`);
        }
        if (assignment.realms !== undefined && foreignRealms(known, grant).join() !== foreign.join()) {
          throw new ServiceError('token.state', `Others are changing the realms of the token '${serial}'`);
        }
        const isSameKey = keepsKey(this.#deps.vault, known, given);
        return {
          ...(known.selfEnrolled === true && { selfEnrolled }),
          ...(isSameKey ? {} : { counter, replayMarkers }),
        };
      },
    );
    if (changed === undefined) {
      throw unknownSerial(serial);
    }
    return changed;
  }

  #secrets(
    phase: 'phase1' | 'plain',
    serial: string,
    key: Buffer | undefined,
    { pin = '', ocrapin = '' }: EnrolmentRequest,
  ): TokenSecrets {
    const { vault, random } = this.#deps;
    return {
      seed: phase === 'plain' && key !== undefined ? vault.seal(key, 'seed', serial) : null,
      sharedSecret: phase === 'phase1' && key !== undefined ? vault.seal(key, 'shared-secret', serial) : null,
      nonce: null,
      pin: sealFirstPin(pin, serial, vault, random),
      ocraPin: sealOcraPin(ocrapin, serial, vault),
    };
  }
}

/** The issuer that authenticator apps show, as LinOTP names it. */
const KEY_ISSUER = 'LinOTP';

/** @returns a new token without what depends on its type */
function newToken({ request, assignment, selfEnrolled }: Enrolment, settings: OcraSettings, serial: string) {
  return {
    serial,
    type: typeOf(request).type,
    description: readDescription(request.description ?? ''),
    failCount: 0,
    maxFail: settings.defaultMaxFail,
    counter: 0n,
    counterWindow: settings.defaultCountWindow,
    syncWindow: settings.defaultSyncWindow,
    timeShift: 0,
    timeWindow: null,
    replayMarkers: [],
    owner: assignment.owner,
    realms: assignment.realms ?? [],
    selfEnrolled,
  };
}

function assign(
  configuration: Configuration,
  { realm = '' }: EnrolmentRequest,
  user: ResolvedUser | undefined,
): Assignment {
  if (user !== undefined) {
    return { owner: ownerOf(user), realms: [user.realm.name] };
  }
  if (realm.trim() === '') {
    return { owner: null, realms: undefined };
  }
  const found = findRealm(configuration, realm);
  if (found === undefined) {
    throw new ServiceError('realm.unknown', `There is no realm '${realm}'`, { name: realm });
  }
  return { owner: null, realms: [found.name] };
}

/** Restricts an administrator who is bound to realms to tokens of these realms. */
function assertGranted({ realms: allowed }: Grant, realms: readonly string[], how: 'some' | 'every'): void {
  const isAllowed = (realm: string): boolean => allowed !== 'all' && allowed.includes(realm);
  const granted = allowed === 'all' || (realms.length > 0 && realms[how](isAllowed));
  if (!granted) {
    throw new ServiceError(
      'right.missing',
      'You do not have the administrative right to init tokens in this realm',
    );
  }
}

/**
 * @returns true if the token computes the same responses with its own key
 * @throws ServiceError 'token.lost' where a device that is lost would answer again, 'key.unavailable' where possibly only
 *   this server cannot open the token's key: another server may have accepted responses with the same key
 */
function keepsKey(vault: Vault, known: Token, given: GivenKey): boolean {
  const isSameKey = hasKey(vault, known, given);
  if (isSameKey || isOfLostDevice(vault, known, given)) {
    assertNotLost(known);
  }
  return isSameKey;
}

/** HMAC treats some different keys as equal. Of HOTP and TOTP, digits and hash may change and change back. */
function hasKey(vault: Vault, token: Token, { algorithm, key }: GivenKey): boolean {
  if (algorithm === null || key === undefined) {
    return false;
  }
  const suite = parseAlgorithm(algorithm);
  const isSame = suite.question === undefined || token.algorithm === suite.text;
  const ownKey = isSame ? unlessUnreadable(() => openTokenKey(vault, token)?.key) : undefined;
  return ownKey !== undefined && equalBytes(hmacBlock(suite.hash, ownKey), hmacBlock(suite.hash, key));
}

/** @returns true if a device that is lost has the key, with whatever suite, or is told from no other: that of spass */
function isOfLostDevice(vault: Vault, { serial, secrets, lostAt }: Token, { key }: GivenKey): boolean {
  const { seed, sharedSecret } = secrets;
  const own = (): readonly (Buffer | null | undefined)[] => [
    unlessUnreadable(() => seed && vault.open(seed, 'seed', serial)),
    unlessUnreadable(() => sharedSecret && vault.open(sharedSecret, 'shared-secret', serial)),
  ];
  return lostAt !== null && (key === undefined || own().some((one) => one && equalBytes(one, key)));
}

/** @returns undefined where the secret was altered and cannot be opened */
function unlessUnreadable<Secret>(open: () => Secret): Secret | undefined {
  try {
    return open();
  } catch (error) {
    if (isServiceError(error, 'secret.unreadable')) {
      return undefined;
    }
    throw error;
  }
}
