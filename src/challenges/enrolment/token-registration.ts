import type { Grant } from '../../policy/access-control.ts';
import { actOf, type Caller } from '../../policy/caller.ts';
import type { TokenStore } from '../../tokens/token-store.ts';
import {
  foreignRealms,
  isOcraToken,
  type NewToken,
  type Token,
  type TokenChange,
} from '../../tokens/token.ts';
import type { Owner } from '../../users/user.ts';
import type { Random } from '../../kernel/clock.ts';
import { isServiceError, ServiceError } from '../../kernel/errors.ts';
import { assertSerial, type EnrolmentRequest } from './enrolment.ts';

/** Owner and realms of a new token. */
export interface Assignment {
  readonly owner: Owner | null;
  /** Undefined if the request names no realms. */
  readonly realms: readonly string[] | undefined;
}

/** One enrolment in progress. */
export interface Enrolment {
  readonly caller: Caller;
  readonly grant: Grant;
  readonly request: EnrolmentRequest;
  readonly assignment: Assignment;
}

/** Maximum number of attempts to enrol a token whose realms change meanwhile. */
const ATTEMPTS = 5;

/** Stores enrolled tokens: under a generated serial, a given one, or an existing one. */
export class TokenRegistration {
  readonly #tokens: TokenStore;
  readonly #random: Random;

  constructor({ tokens, random }: { tokens: TokenStore; random: Random }) {
    this.#tokens = tokens;
    this.#random = random;
  }

  /**
   * @param make makes the token for a serial
   * @param keepsKey true if the token already has the key and suite of the enrolment
   * @throws ServiceError 'token.exists', 'parameter.invalid' for an invalid serial, 'right.missing', 'token.state'
   *   where the token's realms keep changing
   */
  async store(
    enrolment: Enrolment,
    make: (serial: string) => NewToken,
    keepsKey: (known: Token) => boolean,
  ): Promise<Token> {
    const { caller, grant, request, assignment } = enrolment;
    const { serial = '' } = request;
    const known = serial === '' ? undefined : await this.#tokens.findBySerial(serial);
    if (known !== undefined) {
      return this.#replace(enrolment, known, make(known.serial), keepsKey);
    }
    assertGranted(grant, assignment.realms ?? [], 'every');
    if (serial === '') {
      return this.#insertWithNewSerial(caller, make);
    }
    assertSerial(serial);
    return this.#tokens.insert(make(serial), actOf(caller, 'admin/init'));
  }

  /** Generates serials of LinOTP's form: OCRA, four digits, four hexadecimal digits. */
  async #insertWithNewSerial(caller: Caller, make: (serial: string) => NewToken): Promise<Token> {
    for (let attempt = 0; attempt < 8; attempt += 1) {
      const number = this.#random.below(10_000).toString().padStart(4, '0');
      const serial = `OCRA${number}${this.#random.bytes(2).toString('hex').toUpperCase()}`;
      try {
        return await this.#tokens.insert(make(serial), actOf(caller, 'admin/init'), 'generated');
      } catch (error) {
        if (!isServiceError(error, 'token.exists')) {
          throw error;
        }
      }
    }
    throw new ServiceError('internal', 'No free serial was found');
  }

  /** Repeats the enrolment where the token's realms change meanwhile, because the new realms depend on them. */
  async #replace(
    enrolment: Enrolment,
    known: Token,
    made: NewToken,
    keepsKey: (known: Token) => boolean,
  ): Promise<Token> {
    let seen: Token | undefined = known;
    for (let attempt = 1; seen !== undefined; attempt += 1) {
      try {
        return await this.#enrolAnew(enrolment, seen, made, keepsKey);
      } catch (error) {
        if (attempt === ATTEMPTS || !isServiceError(error, 'token.state')) {
          throw error;
        }
      }
      seen = await this.#tokens.findBySerial(made.serial);
    }
    throw gone(made.serial);
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
    { owner, realms, counter, replayMarkers, secrets, ...state }: NewToken,
    keepsKey: (known: Token) => boolean,
  ): Promise<Token> {
    const { serial } = state;
    const foreign = foreignRealms(seen, grant);
    const { pin, ocraPin, ...keys } = secrets;
    const change: TokenChange = {
      ...state,
      secrets: { ...keys, ...(pin !== null && { pin }), ...(ocraPin !== null && { ocraPin }) },
      syncMarker: null,
      ...(assignment.owner !== null && { owner }),
      ...(assignment.realms !== undefined && { realms: [...new Set([...foreign, ...realms])].sort() }),
    };
    const changed = await this.#tokens.update(serial, change, actOf(caller, 'admin/init'), (known) => {
      assertGranted(grant, known.realms, 'some');
      assertGranted(grant, assignment.realms ?? known.realms, 'every');
      if (!isOcraToken(known)) {
        throw new ServiceError('token.exists', `A token of another type has the serial '${serial}'`);
      }
      if (assignment.realms !== undefined && foreignRealms(known, grant).join() !== foreign.join()) {
        throw new ServiceError('token.state', `Others are changing the realms of the token '${serial}'`);
      }
      return keepsKey(known) ? {} : { counter, replayMarkers };
    });
    if (changed === undefined) {
      throw gone(serial);
    }
    return changed;
  }
}

function gone(serial: string): ServiceError {
  return new ServiceError('token.unknown', `No token found with the serial '${serial}'`);
}

/** Restricts an administrator who is bound to realms to tokens of these realms. */
export function assertGranted(
  { realms: allowed }: Grant,
  realms: readonly string[],
  how: 'some' | 'every',
): void {
  const isAllowed = (realm: string): boolean => allowed !== 'all' && allowed.includes(realm);
  const granted = allowed === 'all' || (realms.length > 0 && realms[how](isAllowed));
  if (!granted) {
    throw new ServiceError(
      'right.missing',
      'You do not have the administrative right to init tokens in this realm',
    );
  }
}
