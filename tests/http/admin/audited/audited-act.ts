export type RequestValues = Readonly<Record<string, string>>;

/** The input of one request beside its path. */
export interface ActRequest {
  readonly values: RequestValues;
  /** Headers in place of those of the administrator. */
  readonly headers?: RequestValues;
  /** The actor in the audit, if it is another than usual. */
  readonly actor?: string;
}

export interface Act {
  /** Makes what the act is about. */
  readonly prepare: () => Promise<ActRequest>;
  readonly outcomes: readonly string[];
  /** The action in the audit, or that of each row; by default the path, as commands do the same. */
  readonly action?: string | readonly string[];
  /** True if it changes nothing but the audit. */
  readonly isIdle?: true;
  /** undefined: the open endpoints, where there is no right to be missed. */
  readonly isOpen?: true;
  /** Nobody needs a right for it. */
  readonly isFree?: true;
}
