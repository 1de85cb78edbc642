/** The user who owns a token, identified by resolver and user id; the login is for display. */
export interface Owner {
  readonly resolverId: string;
  readonly resolver: string;
  /** The user's id in that resolver; stable where the login changes. */
  readonly userId: string;
  readonly login: string;
}
