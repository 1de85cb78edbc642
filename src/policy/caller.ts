import { ServiceError } from '../kernel/errors.ts';

/** An authenticated administrator, with the rights of the credential. */
export interface Principal {
  /** The administrator's name, as policies name users. */
  readonly administrator: string;
  /**
   * The groups of a person who signed in by single sign-on, who has only the rights of policies that name the person or
   * a group. Undefined for administrators of this server.
   */
  readonly groups?: readonly string[] | undefined;
  /** `*`, or the rights of an API token: `scope:action`, each part may be `*` (`monitoring:*`, `ocra:request`). */
  readonly rights: readonly string[];
  /** A user of the command line on the machine itself. Policies do not apply, so that a wrong one can be repaired. */
  readonly operator: boolean;
  /**
   * The proof of the person: the password, which came with the request; or the session, by its hash: that of a login,
   * which may have been confirmed, or one of old clients, which cannot be. Undefined: none, as of API tokens, which speak
   * for the person and may not touch the person's own credentials.
   */
  readonly proof?: 'password' | { readonly kind: 'session' | 'login'; readonly hash: Buffer } | undefined;
  /**
   * The address of the client, as policies of client networks see it; empty for the command line on the machine itself.
   */
  readonly client: string;
}

/** An act, as recorded in the audit. Never holds a secret. */
export interface Act {
  /** The administrator's name; empty for the open endpoints. */
  readonly actor: string;
  /** `ocra/check_t`, `admin/init`, `token/enable`, … */
  readonly action: string;
  readonly client: string;
  /** The id of the request, as in the log lines. */
  readonly requestId: string;
  /** The id of an existing transaction that the act is about. Never text of the client. */
  readonly transaction?: string;
}

/** The principal and the request of an operation that needs a right. */
export interface Caller {
  readonly principal: Principal;
  readonly requestId: string;
}

/** @returns the act of a caller, for the audit */
export function actOf(caller: Caller, action: string): Act {
  return {
    actor: caller.principal.administrator,
    action,
    client: caller.principal.client,
    requestId: caller.requestId,
  };
}

/** @returns the server, which asks on its own behalf: the actor needs no right. The audit names the actor */
export function serverCaller({ actor, client, requestId }: Omit<Act, 'action'>): Caller {
  return { principal: { administrator: actor, rights: ['*'], operator: true, client }, requestId };
}

/** @throws ServiceError 'right.missing' for a caller who is no operator, with these words for what is done */
export function assertOperator({ principal }: Caller, what: string): void {
  if (!principal.operator) {
    throw new ServiceError('right.missing', `${what} at the machine itself only`);
  }
}
