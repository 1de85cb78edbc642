import type { z } from 'zod';
import type { ProvenPassword } from '../administrators/ports.ts';
import type { Right } from '../policy/access-control.ts';
import type { Caller } from '../policy/caller.ts';
import type { Identity } from './authentication/authenticate.ts';
import type { Family } from './dialects/family.ts';
import type { Reply } from './reply.ts';
import type { RequestContext } from './request/exchange.ts';
import { secretsOf } from './request/parameter-schemas.ts';
import { pickParameters, type RequestValues } from './request/parameters.ts';
import type { LargeParameter } from './request/request-body.ts';

export type Method = 'GET' | 'POST';

/**
 * What a caller needs: a right, as `scope:action`; any credential of an administrator; a password; a transaction that the
 * caller knows; or nothing.
 */
export type Requirement =
  `${Right['scope']}:${string}` | 'credential' | 'password' | 'transaction' | 'nothing';

/** The declaration of an endpoint: the source of its checks and of docs/reference/endpoints.md. */
export interface EndpointSpec<Shape extends z.ZodRawShape> {
  readonly path: `/${string}`;
  readonly methods: readonly Method[];
  /** Whether POST, though it is among the methods, is deprecated. */
  readonly isPostDeprecated?: true;
  /** One line for the reference: the outcome, or the effect in the third person. */
  readonly summary: string;
  /** Rights are checked by the services, which the command line uses, too. */
  readonly requires: Requirement;
  /** The release of LinOTP whose manners its answers have in the dialect `linotp`. */
  readonly family: Family;
  /** The words that precede the name of a missing parameter. */
  readonly usage: string;
  readonly parameters: z.ZodObject<Shape>;
  /** Whether it changes anything; requests that other sites made a browser send are then refused. */
  readonly changesState: boolean;
  /**
   * Declares that anybody may send responses to it, of which those that are not accepted are bounded. The parameters that
   * name the transaction; the first one that is given counts.
   */
  readonly transactionNamedBy?: readonly (keyof Shape & string)[];
  /** Whether it answers also while the server has too much to do. */
  readonly answersAlways?: boolean;
  /** Which value of a repeated parameter counts; the last unless told. */
  readonly repeated?: 'first' | 'last';
}

/** One call of an endpoint. */
export interface Call<Parameters> {
  readonly parameters: Parameters;
  readonly context: RequestContext;
  /** The client's address. */
  readonly client: string;
  /** As whom limits count the client. */
  readonly limitedAs: string;
  readonly requestId: string;
  /** Whether it came over https, as far as trusted proxies tell. */
  readonly secure: boolean;
}

/** A call of which it is known who makes it. */
export interface AdministratorCall<Parameters> extends Call<Parameters> {
  readonly caller: Caller;
  /** The session that proved who calls; undefined: another credential did. */
  readonly session: string | undefined;
  /** The session of the login that proved who calls; undefined: another credential did. */
  readonly login: string | undefined;
  /** The password that was given, where the endpoint asks for one. */
  readonly proven: ProvenPassword | undefined;
}

/** An endpoint, ready to be served. */
export type Endpoint = OpenEndpoint | AdministratorEndpoint;

interface ServedEndpoint extends EndpointSpec<z.ZodRawShape> {
  /** The names of the parameters whose values only the endpoint may see. */
  readonly secrets: ReadonlySet<string>;
}

interface OpenEndpoint extends ServedEndpoint {
  readonly access: 'open';
  readonly answer: (call: Call<RequestValues>) => Promise<Reply> | Reply;
}

interface AdministratorSpec {
  /** The parameter that needs a larger body than usual, for those who may send it. */
  readonly large?: LargeParameter & {
    /** @throws ServiceError 'right.missing' */
    readonly authorize: (caller: Caller) => Promise<void>;
  };
}

interface AdministratorEndpoint extends ServedEndpoint, AdministratorSpec {
  /** `password`: the administrator must give the password with the request. */
  readonly access: 'administrator' | 'password';
  readonly answer: (call: Call<RequestValues>, identity: Identity) => Promise<Reply> | Reply;
}

/** @returns an endpoint that is open to all */
export function openEndpoint<Shape extends z.ZodRawShape>(
  spec: EndpointSpec<Shape>,
  answer: (call: Call<z.output<z.ZodObject<Shape>>>) => Promise<Reply> | Reply,
): Endpoint {
  return {
    ...spec,
    access: 'open',
    secrets: secretsOf(spec.parameters),
    answer: (call) => answer({ ...call, parameters: pickParameters(spec.parameters, call.parameters) }),
  };
}

/** @returns an endpoint for administrators */
export function administratorEndpoint<Shape extends z.ZodRawShape>(
  spec: EndpointSpec<Shape> & AdministratorSpec,
  answer: (call: AdministratorCall<z.output<z.ZodObject<Shape>>>) => Promise<Reply> | Reply,
): Endpoint {
  return {
    ...spec,
    access: spec.requires === 'password' ? 'password' : 'administrator',
    secrets: secretsOf(spec.parameters),
    answer: (call, { principal, session, login, proven }) =>
      answer({
        ...call,
        parameters: pickParameters(spec.parameters, call.parameters),
        session,
        login,
        proven,
        caller: { principal, requestId: call.requestId },
      }),
  };
}
