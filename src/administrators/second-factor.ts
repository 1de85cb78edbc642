/** The proof that an administrator gives besides the password. */
export type SecondFactor =
  | { readonly kind: 'token'; /** Of an OCRA token of this server. */ readonly serial: string }
  | { readonly kind: 'passkey' };

/** @returns true if both are the same factor, or both are none */
export function isSameFactor(left: SecondFactor | undefined, right: SecondFactor | undefined): boolean {
  return left?.kind === right?.kind && serialOf(left) === serialOf(right);
}

/** @returns the serial of the token; undefined for other factors and none */
export function serialOf(factor: SecondFactor | undefined): string | undefined {
  return factor?.kind === 'token' ? factor.serial : undefined;
}
