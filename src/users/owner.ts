/** The user who owns a token: the resolver's own id counts, the login is what people read. */
export interface Owner {
  readonly resolverId: string;
  readonly resolver: string;
  /** The user's id in that resolver; stable where the login changes. */
  readonly userId: string;
  readonly login: string;
}
