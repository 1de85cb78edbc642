import type { Issuer } from '../ocra/issuer.ts';

/** A token in an app. Holds secrets. */
export interface DeviceToken {
  readonly serial: string;
  /** The OCRA suite of phase 1 of the roll-out. */
  readonly suite: string;
  /** From phase 1, in hexadecimal: the key of phase 2 is derived from it. */
  readonly sharedSecret: string;
  /** Derived in phase 2, in hexadecimal; null until then. */
  readonly key: string | null;
  /** The next counter (RFC 6287 C), in decimal: it may exceed the safe integers of JSON. */
  readonly counter: string;
  /** From phase 2, whose code is signed; left out where it names none that can be shown. */
  readonly issuer?: Issuer | undefined;
}

/** A token after phase 2, which can respond. */
export interface ReadyToken extends DeviceToken {
  readonly key: string;
}

/** @returns the token of that serial. Serials differ by more than case */
export function findToken(tokens: readonly DeviceToken[], serial: string): DeviceToken | undefined {
  return tokens.find((token) => sameSerial(token.serial, serial));
}

/** @returns the tokens by serial, with this one in place of the one with its serial, or added */
export function putToken(tokens: readonly DeviceToken[], token: DeviceToken): readonly DeviceToken[] {
  return [...removeToken(tokens, token.serial), token].toSorted((left, right) =>
    left.serial < right.serial ? -1 : 1,
  );
}

/** @returns the tokens without the one of that serial */
export function removeToken(tokens: readonly DeviceToken[], serial: string): readonly DeviceToken[] {
  return tokens.filter((token) => !sameSerial(token.serial, serial));
}

function sameSerial(left: string, right: string): boolean {
  return left.toLowerCase() === right.toLowerCase();
}
