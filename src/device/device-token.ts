/** A token in the app. Holds secrets. */
export interface DeviceToken {
  readonly serial: string;
  /** The text of the OCRA suite, from phase 1 of the roll-out. */
  readonly suite: string;
  /** From phase 1, in hexadecimal: the key of phase 2 is derived from it. */
  readonly sharedSecret: string;
  /** Derived in phase 2, in hexadecimal; null until then. */
  readonly key: string | null;
  /** The next counter (RFC 6287 C), in decimal: it may exceed JSON's safe integers. */
  readonly counter: string;
}
