import { z } from 'zod';
import type { ProvenPassword } from '../administrators/administrator.ts';
import type { Act, Caller } from '../policy/caller.ts';
import type { RequiredRights, RightName } from '../policy/access-control.ts';
import { type Answers, inEveryDialect, type Shown, valueOf } from './answers.ts';
import type { ServedAt } from './authentication/cookies.ts';
import { metaOf } from '../operations/input.ts';
import type { Dialect, DialectName } from './dialects/dialect.ts';
import { type Reply, withCookies } from './reply.ts';
import type { Family, RequestContext } from './request/exchange.ts';
import type { LargeParameter } from './request/request-body.ts';

export type Method = 'GET' | 'POST';

/**
 * The credential that a caller needs: a right, as `scope:action`; any credential of an administrator; a password; the
 * cookie of a sign-in under way; the link of an operator; the id of a transaction; the password of a user, or the session
 * that it opens; or nothing.
 */
export type Requirement =
  | RightName
  | 'credential'
  | 'password'
  | 'sign-in'
  | 'link'
  | 'transaction'
  | 'user-password'
  | 'user-session'
  | 'nothing';

/** The declaration of an endpoint: the source of its checks and of /openapi.json. */
export interface EndpointSpec<Shape extends z.ZodRawShape> {
  readonly path: `/${string}`;
  readonly methods: readonly Method[];
  /** POST is among the methods and deprecated. */
  readonly isPostDeprecated?: true;
  /** One line for the reference: the outcome, or the effect in the third person. */
  readonly summary: string;
  /** Enforced by the steps `authenticateCaller` and `authorizeCaller`; for `/monitoring/config` by its service. */
  readonly requires: Requirement;
  /** The rights in place of `requires`: of several all; none where the service decides. */
  readonly rights?: RequiredRights;
  /** The release of LinOTP that the dialect `linotp` follows in its answers; default: `linotp2`. */
  readonly family?: Family;
  /** Of a path that LinOTP had: the words that precede the name of a missing parameter; default: none. */
  readonly usage?: string;
  readonly parameters: z.ZodObject<Shape>;
  /** The answers to requests that succeed. */
  readonly answers: Answers;
  /** The headers of these answers besides those of every answer, each with its meaning. */
  readonly answerHeaders?: Readonly<Record<string, string>>;
  /**
   * True if it changes anything. What a page of another site makes a browser send is then refused, and a cookie alone is
   * not enough: see `refuseForeign` and `authenticate`.
   */
  readonly changesState: boolean;
  /**
   * True if any site may make a browser call it, although it changes something: it reads no credential that a browser
   * adds, or the request itself proves to belong to this browser.
   */
  readonly fromAnySite?: true;
  /**
   * True if it ends the caller's login and changes nothing else: programs may then call it by GET with the cookie alone,
   * as LinOTP 3's clients do. What a browser sends needs the CSRF value here, too.
   */
  readonly endsLogin?: true;
  /**
   * The parameters that name the transaction, in order of precedence. Declares that the endpoint takes responses
   * without a right; those that are not accepted are limited.
   */
  readonly transactionNamedBy?: readonly (keyof Shape & string)[];
  /** True if pages of APP_ORIGINS may call it from browsers. Declares that it reads no credential that a browser adds. */
  readonly calledByApps?: true;
  /** The body of every failure, as plain text, for clients that read nothing else; default: that of the dialect. */
  readonly failureText?: string;
  /** @returns false where the path is to answer as one that is not there; default: it is there for everybody */
  readonly isOffered?: (client: string) => Promise<boolean>;
  /** True if the time of a refusal must not tell its reason: see `refuseEvenly`. */
  readonly refusesEvenly?: true;
  /** True if it answers even when the server is overloaded. */
  readonly answersAlways?: boolean;
  /** The value of a repeated parameter that is used; default: the last. */
  readonly repeated?: 'first' | 'last';
  /** The facts that differ in a dialect. Its parameters are some of `parameters`, or required where those are not. */
  readonly inDialect?: Readonly<
    Partial<
      Record<
        DialectName,
        {
          readonly parameters?: z.ZodObject<z.ZodRawShape>;
          readonly answerHeaders?: Readonly<Record<string, string>>;
          readonly repeated?: 'first' | 'last';
        }
      >
    >
  >;
  /** The parameter that needs a larger body than usual; only callers with the right `requires` may send it. */
  readonly large?: LargeParameter;
}

/** The declaration of an endpoint that only administrators may call. */
export interface AdministratorSpec<Shape extends z.ZodRawShape> extends EndpointSpec<Shape> {
  readonly requires: RightName | 'credential' | 'password';
}

/** @returns true for the paths that the account page of users calls */
export function isOfAccountPage(path: string | undefined): boolean {
  return path?.startsWith('/self/') === true;
}

/** One call of an endpoint. */
export interface Call<Parameters> {
  readonly parameters: Parameters;
  readonly context: RequestContext;
  /** The form of the answer. */
  readonly dialect: Dialect;
  /** The client's address. */
  readonly client: string;
  /** The name under which limits count the client. */
  readonly limitedAs: string;
  readonly requestId: string;
  /** The header `If-None-Match`, which counts for reading only (RFC 9110 §13.1.2). */
  readonly ifNoneMatch: string | undefined;
  readonly servedAt: ServedAt;
  /** The header `Cookie`. */
  readonly cookies: string | undefined;
  /** The header `X-CSRF-TOKEN`. */
  readonly csrfToken: string | undefined;
}

/** @returns the act of a call whose caller is not known yet, for the audit */
export function actOfCall(
  { client, requestId }: Pick<Call<unknown>, 'client' | 'requestId'>,
  action: string,
): Act {
  return { actor: '', action, client, requestId };
}

/** A call by an authenticated administrator. */
interface AdministratorCall<Parameters> extends Call<Parameters> {
  readonly caller: Caller;
  /** The session that authenticated the caller; undefined: another credential did. */
  readonly session: string | undefined;
  /** The session of the login that authenticated the caller; undefined: another credential did. */
  readonly login: string | undefined;
  /** The verified password, where the endpoint requires one. */
  readonly proven: ProvenPassword | undefined;
}

/** A call as it is served: with a caller unless the endpoint is open. */
type ServedCall = Call<Picked> &
  Pick<AdministratorCall<unknown>, 'session' | 'login' | 'proven'> & { readonly caller: Caller | undefined };

/** The parameters of a request that an endpoint declares. */
export type Picked = Readonly<Record<string, unknown>>;

/** An endpoint, ready to be served. */
export interface Endpoint extends Omit<EndpointSpec<z.ZodRawShape>, 'transactionNamedBy'> {
  readonly family: Family;
  readonly usage: string;
  readonly transactionNamedBy?: readonly string[];
  /** The methods that the path answers, as in the header `Allow`. */
  readonly allowed: readonly string[];
  /** The names of the parameters whose values only the endpoint may see. */
  readonly secrets: ReadonlySet<string>;
  /** `password`: the administrator must give the password with the request. */
  readonly access: 'open' | 'administrator' | 'password';
  readonly rights: RequiredRights;
  readonly answer: (call: ServedCall) => Promise<Reply> | Reply;
}

/** @returns the endpoint as it is served in that dialect */
export function endpointIn(dialect: DialectName, endpoint: Endpoint): Endpoint {
  return { ...endpoint, ...endpoint.inDialect?.[dialect] };
}

type Output<Shape extends z.ZodRawShape> = z.output<z.ZodObject<Shape>>;

/** @returns an endpoint that requires no administrator, and so no right */
export function openEndpoint<Shape extends z.ZodRawShape>(
  spec: EndpointSpec<Shape> & { readonly requires: Exclude<Requirement, RightName | 'credential'> },
  answer: (call: Call<Output<Shape>>) => Promise<Reply> | Reply,
): Endpoint {
  return {
    ...served(spec),
    access: 'open',
    answer: (call: Call<unknown>) => answer(call as Call<Output<Shape>>),
  };
}

/** @returns an endpoint for administrators */
export function administratorEndpoint<Shape extends z.ZodRawShape>(
  spec: AdministratorSpec<Shape>,
  answer: (call: AdministratorCall<Output<Shape>>) => Promise<Reply> | Reply,
): Endpoint {
  return {
    ...served(spec),
    access: spec.requires === 'password' ? 'password' : 'administrator',
    answer: (call) => {
      if (call.caller === undefined) {
        throw new Error('the caller has not been authenticated');
      }
      return answer(call as AdministratorCall<Output<Shape>>);
    },
  };
}

/** The step `answer` has read the parameters by the declared schema: here their types are known again. */
function served<Shape extends z.ZodRawShape>(spec: EndpointSpec<Shape>) {
  const { requires, methods, parameters } = spec;
  const rights: RequiredRights = isRightName(requires) ? [requires] : [];
  return {
    family: 'linotp2',
    usage: '',
    rights,
    ...spec,
    allowed: allowedMethods(methods),
    secrets: secretsOf(parameters),
  } as const;
}

function isRightName(requires: Requirement): requires is RightName {
  return requires.includes(':');
}

function allowedMethods(methods: readonly Method[]): readonly string[] {
  return methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).concat('OPTIONS');
}

/*
 * Endpoints whose answer is one value, the same in every dialect. Its schema is the type of what they return, the
 * description in /openapi.json and the type in the console.
 */

interface Facts<Shape extends z.ZodRawShape> extends Pick<
  EndpointSpec<Shape>,
  'path' | 'summary' | 'large' | 'usage'
> {
  readonly parameters: Shape;
  /** By default `system:read`, of a change `system:write`. */
  readonly requires?: AdministratorSpec<Shape>['requires'];
  /** By default GET and POST, of a change POST alone. */
  readonly methods?: readonly Method[];
}

interface ValueFacts<Shape extends z.ZodRawShape, Value extends z.ZodType> extends Facts<Shape> {
  readonly value: Value;
  readonly example?: Shown<Value>;
}

/** Facts of an endpoint of LinOTP, whose answers differ by dialect. */
interface SystemFacts<Shape extends z.ZodRawShape> extends Facts<Shape> {
  readonly answers: Answers;
}

type Operation<Shape extends z.ZodRawShape, Result> = (
  call: AdministratorCall<Output<Shape>>,
) => Promise<Result>;

/** What stands beside the value of an answer. */
interface Beside {
  readonly detail?: Readonly<Record<string, unknown>>;
  /** One cookie, or several. */
  readonly cookie?: string | readonly string[];
}

/** @returns the answers of an endpoint that sets cookies, and the replies that fit them */
export function answerWithCookie<Value extends z.ZodType>(
  value: Value,
  facts: NonNullable<Parameters<typeof valueOf>[1]> = {},
): {
  readonly answers: Answers;
  readonly reply: (
    content: Shown<Value>,
    call: Pick<Call<unknown>, 'context' | 'dialect'>,
    beside?: Beside,
  ) => Reply;
} {
  return {
    answers: inEveryDialect(valueOf(value, facts)),
    reply: (content, { context, dialect }, { detail, cookie } = {}) => {
      const reply = dialect.administration.value(content, context, detail);
      return cookie === undefined ? reply : withCookies(reply, cookie);
    },
  };
}

/** @returns an endpoint that only reads */
export function valueReading<Shape extends z.ZodRawShape, Value extends z.ZodType>(
  facts: ValueFacts<Shape, Value>,
  answer: Operation<Shape, Shown<Value>>,
): Endpoint {
  return systemReading(withAnswers(facts), valueReply(answer));
}

/** @returns an endpoint that changes something */
export function valueChange<Shape extends z.ZodRawShape, Value extends z.ZodType>(
  facts: ValueFacts<Shape, Value>,
  answer: Operation<Shape, Shown<Value>>,
): Endpoint {
  return systemChange({ methods: ['POST'], ...withAnswers(facts) }, valueReply(answer));
}

/** @returns an endpoint that changes something and has nothing to report: true */
export function plainChange<Shape extends z.ZodRawShape>(
  facts: Facts<Shape>,
  change: Operation<Shape, void>,
): Endpoint {
  return valueChange({ ...facts, value: z.literal(true) }, async (call) => {
    await change(call);
    return true as const;
  });
}

/** @returns an endpoint that only reads, with answers of its own in each dialect */
export function systemReading<Shape extends z.ZodRawShape>(
  facts: SystemFacts<Shape>,
  answer: Operation<Shape, Reply>,
): Endpoint {
  return administratorEndpoint({ requires: 'system:read', ...specOf(facts), changesState: false }, answer);
}

/** @returns an endpoint that changes something, with answers of its own in each dialect */
export function systemChange<Shape extends z.ZodRawShape>(
  facts: SystemFacts<Shape>,
  answer: Operation<Shape, Reply>,
): Endpoint {
  return administratorEndpoint({ requires: 'system:write', ...specOf(facts), changesState: true }, answer);
}

function valueReply<Shape extends z.ZodRawShape, Value>(
  answer: Operation<Shape, Value>,
): Operation<Shape, Reply> {
  return async (call) => call.dialect.administration.value(await answer(call), call.context);
}

function withAnswers<Shape extends z.ZodRawShape, Value extends z.ZodType>({
  value,
  example,
  ...facts
}: ValueFacts<Shape, Value>): SystemFacts<Shape> {
  const answers = inEveryDialect(
    valueOf(value, example === undefined ? {} : { example: { value: example } }),
  );
  return { ...facts, answers };
}

function specOf<Shape extends z.ZodRawShape>({ parameters, ...facts }: SystemFacts<Shape>) {
  return { methods: ['GET', 'POST'], ...facts, parameters: z.object(parameters) } as const;
}

/** @returns the names of the parameters that are declared as secrets */
function secretsOf(parameters: z.ZodObject): ReadonlySet<string> {
  return new Set(
    Object.entries(parameters.shape).flatMap(([name, schema]) =>
      metaOf(schema as z.ZodType).secret === true ? [name] : [],
    ),
  );
}
