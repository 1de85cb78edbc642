import type { Grant } from '../../policy/access-control.ts';
import { actOf, type Caller } from '../../policy/caller.ts';
import type { TokenStore } from '../../tokens/ports.ts';
import { isOcraToken, type NewToken, type Token, type TokenChange } from '../../tokens/token.ts';
import { type Owner } from '../../users/owner.ts';
import { foreignRealms } from '../../tokens/token-view.ts';
import type { Random } from '../../kernel/clock.ts';
import { isServiceError, ServiceError } from '../../kernel/errors.ts';
import { assertSerial, type EnrolmentRequest } from './enrolment.ts';

/** Whom a new token is for. */
export interface Assignment {
  readonly owner: Owner | null;
  /** undefined: the request says nothing of realms. */
  readonly realms: readonly string[] | undefined;
}

/** One enrolment on its way. */
export interface Enrolment {
  readonly caller: Caller;
  readonly grant: Grant;
  readonly request: EnrolmentRequest;
  readonly assignment: Assignment;
}

/** How often a token whose realms others change at that moment is enrolled anew before the administrator is told. */
const ATTEMPTS = 5;

/** Puts enrolled tokens into the store: under a serial of their own, a given one, or one that is there already. */
export class TokenRegistration {
  readonly #tokens: TokenStore;
  readonly #random: Random;

  constructor({ tokens, random }: { tokens: TokenStore; random: Random }) {
    this.#tokens = tokens;
    this.#random = random;
  }

  /**
   * @param make makes the token for a serial
   * @param keepsKey whether the token has the very key and suite already that it is enrolled with
   * @throws ServiceError 'token.exists', 'parameter.invalid' for an unfit serial, 'right.missing', 'token.state' where others
   *   keep changing the token's realms
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

  /** Serials in the shape of LinOTP's: OCRA, four digits, four hexadecimal ones. */
  async #insertWithNewSerial(caller: Caller, make: (serial: string) => NewToken): Promise<Token> {
    for (let attempt = 0; attempt < 8; attempt += 1) {
      const number = this.#random.below(10_000).toString().padStart(4, '0');
      const serial = `OCRA${number}${this.#random.bytes(2).toString('hex').toUpperCase()}`;
      try {
        return await this.#tokens.insert(make(serial), actOf(caller, 'admin/init'));
      } catch (error) {
        if (!isServiceError(error, 'token.exists')) {
          throw error;
        }
      }
    }
    throw new ServiceError('internal', 'No free serial was found');
  }

  /** Realms are decided from those that the token has: where others change them meanwhile, it is all done anew. */
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
   * Owner and realms stay unless the request names others: enrolling anew must not lose who a token belongs to. Realms that
   * the administrator may not touch stay in any case. With the same key, counter and spent responses stay as well: what was
   * accepted once must not be accepted again. Which key it is that is replaced shows only under the token's lock: the same
   * enrolment may have been made a moment ago, and used.
   */
  async #enrolAnew(
    { caller, grant, assignment }: Enrolment,
    seen: Token,
    { owner, realms, counter, replayMarkers, ...state }: NewToken,
    keepsKey: (known: Token) => boolean,
  ): Promise<Token> {
    const { serial } = state;
    const foreign = foreignRealms(seen, grant);
    const change: TokenChange = {
      ...state,
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

/** An administrator who is bound to realms enrols tokens of these realms only. */
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
