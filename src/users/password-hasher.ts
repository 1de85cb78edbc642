/** Slow, salted hashes of passwords. */
export interface PasswordHasher {
  hash(password: string): Promise<string>;
  /** Takes the same time for a right and a wrong password. @returns true if it is the password */
  verify(hash: string, password: string): Promise<boolean>;
  /**
   * Takes as long as `verify`, for an account that does not exist.
   * @param account distinguishes it from others, as a hash would: work shared between accounts would reveal that
   *   neither exists
   */
  verifyNothing(password: string, account: string): Promise<false>;
  /** @returns true for a hash of another form than `hash` makes, to be replaced when the password is known */
  isForeign(hash: string): boolean;
}
