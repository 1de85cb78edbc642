/** How far requests in flight at the same moment share statements. */
export interface Sharing {
  /** The most requests that share a statement; 1: each has its own. */
  readonly maxItems: number;
  /** The most such statements of one kind at once. */
  readonly maxGroups: number;
}

/** Two groups at once: one is in the database while the answers of the other are made. */
export const SHARING: Sharing = { maxItems: 64, maxGroups: 2 };

/** Each request has statements of its own. */
export const UNSHARED: Sharing = { maxItems: 1, maxGroups: Infinity };
