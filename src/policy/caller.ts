/** Who asks: an administrator, with the rights that this way of speaking carries. */
export interface Principal {
  /** The administrator's name, as policies name users. */
  readonly administrator: string;
  /** `*`, or what an API token is limited to: `scope:action`, each part may be `*` (`monitoring:*`, `ocra:request`). */
  readonly rights: readonly string[];
  /** Somebody at the command line of the machine itself: policies do not bind them, or a wrong one could not be mended. */
  readonly operator: boolean;
  /** The address of the client, as policies of client networks see it; empty for the command line on the machine itself. */
  readonly client: string;
}

/** What an audit row says of an act. Never holds a secret. */
export interface Act {
  /** The administrator's name; empty for the open endpoints. */
  readonly actor: string;
  /** `ocra/check_t`, `admin/init`, `token/enable`, … */
  readonly action: string;
  readonly client: string;
  /** The id of the request that did it, as the log lines carry it. */
  readonly requestId: string;
}

/** Who asks and under which request: given to each operation that is allowed to some only. */
export interface Caller {
  readonly principal: Principal;
  readonly requestId: string;
}

/** @returns the act that a caller does, for the audit */
export function actOf(caller: Caller, action: string): Act {
  return {
    actor: caller.principal.administrator,
    action,
    client: caller.principal.client,
    requestId: caller.requestId,
  };
}
