/** Slow, salted hashes for passwords that people choose. */
export interface PasswordHasher {
  hash(password: string): Promise<string>;
  /** @returns whether it is the password; takes as long for a wrong one */
  verify(hash: string, password: string): Promise<boolean>;
  /**
   * Takes as long as `verify` does, for an account that does not exist.
   * @param account tells it from others, as its hash would: work that is shared between accounts would show that neither exists
   */
  verifyNothing(password: string, account: string): Promise<false>;
}
