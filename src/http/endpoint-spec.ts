import { z } from 'zod';
import type { ProvenPassword } from '../administrators/administrator.ts';
import type { Right } from '../policy/access-control.ts';
import type { Act, Caller } from '../policy/caller.ts';
import { type Answers, inEveryDialect, valueOf } from './answers.ts';
import type { Identity } from './authentication/authenticate.ts';
import type { Family, RequestContext } from './request/exchange.ts';
import type { Reply } from './reply.ts';
import { pickParameters, type RequestValues, secretsOf } from './request/parameters.ts';
import type { LargeParameter } from './request/request-body.ts';
import type { AdministrationDialect } from './dialects/dialect.ts';

export type Method = 'GET' | 'POST';

/**
 * The credential that a caller needs: a right, as `scope:action`; any credential of an administrator; a password; the
 * cookie of a sign-in under way; the link of an operator; the id of a transaction; or nothing.
 */
export type Requirement =
  `${Right['scope']}:${string}` | 'credential' | 'password' | 'sign-in' | 'link' | 'transaction' | 'nothing';

/** The declaration of an endpoint: the source of its checks and of /openapi.json. */
export interface EndpointSpec<Shape extends z.ZodRawShape> {
  readonly path: `/${string}`;
  readonly methods: readonly Method[];
  /** POST is among the methods and deprecated. */
  readonly isPostDeprecated?: true;
  /** One line for the reference: the outcome, or the effect in the third person. */
  readonly summary: string;
  /** Shown in the reference. The services check rights, as the command line uses them, too. */
  readonly requires: Requirement;
  /** The release of LinOTP that the dialect `linotp` follows in its answers; default: `linotp2`. */
  readonly family?: Family;
  /** The words that precede the name of a missing parameter; default: none. */
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
  /** True if it answers even when the server is overloaded. */
  readonly answersAlways?: boolean;
  /** The value of a repeated parameter that is used; default: the last. */
  readonly repeated?: 'first' | 'last';
}

/** One call of an endpoint. */
export interface Call<Parameters> {
  readonly parameters: Parameters;
  readonly context: RequestContext;
  /** The client's address. */
  readonly client: string;
  /** The name under which limits count the client. */
  readonly limitedAs: string;
  readonly requestId: string;
  /** The header `If-None-Match`, which counts for reading only (RFC 9110 §13.1.2). */
  readonly ifNoneMatch: string | undefined;
  /** True if it came over https, as far as trusted proxies report. */
  readonly secure: boolean;
  /** The header `Cookie`. */
  readonly cookies: string | undefined;
}

/** @returns the act of a call whose caller is not known yet, for the audit */
export function actOfCall(
  { client, requestId }: Pick<Call<unknown>, 'client' | 'requestId'>,
  action: string,
): Act {
  return { actor: '', action, client, requestId };
}

/** A call by an authenticated administrator. */
export interface AdministratorCall<Parameters> extends Call<Parameters> {
  readonly caller: Caller;
  /** The session that authenticated the caller; undefined: another credential did. */
  readonly session: string | undefined;
  /** The session of the login that authenticated the caller; undefined: another credential did. */
  readonly login: string | undefined;
  /** The verified password, where the endpoint requires one. */
  readonly proven: ProvenPassword | undefined;
}

/** An endpoint, ready to be served. */
export type Endpoint = OpenEndpoint | AdministratorEndpoint;

interface ServedEndpoint extends EndpointSpec<z.ZodRawShape> {
  readonly family: Family;
  readonly usage: string;
  /** The methods that the path answers, as in the header `Allow`. */
  readonly allowed: readonly string[];
  /** The names of the parameters whose values only the endpoint may see. */
  readonly secrets: ReadonlySet<string>;
}

interface OpenEndpoint extends ServedEndpoint {
  readonly access: 'open';
  readonly answer: (call: Call<RequestValues>) => Promise<Reply> | Reply;
}

interface AdministratorSpec {
  /** The parameter that needs a larger body than usual; only authorised callers may send it. */
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

/** @returns an endpoint that requires no administrator */
export function openEndpoint<Shape extends z.ZodRawShape>(
  spec: EndpointSpec<Shape>,
  answer: (call: Call<z.output<z.ZodObject<Shape>>>) => Promise<Reply> | Reply,
): Endpoint {
  return {
    family: 'linotp2',
    usage: '',
    ...spec,
    access: 'open',
    allowed: allowedMethods(spec.methods),
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
    family: 'linotp2',
    usage: '',
    ...spec,
    access: spec.requires === 'password' ? 'password' : 'administrator',
    allowed: allowedMethods(spec.methods),
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

function allowedMethods(methods: readonly Method[]): readonly string[] {
  return methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).concat('OPTIONS');
}

/*
 * Endpoints whose answer is one value, the same in every dialect. Its schema is the type of what they return, the
 * description in /openapi.json and the type in the console.
 */

type ReadonlyDeep<Type> = Type extends readonly (infer Item)[]
  ? readonly ReadonlyDeep<Item>[]
  : Type extends object
    ? { readonly [Key in keyof Type]: ReadonlyDeep<Type[Key]> }
    : Type;

/** What fits the schema of an answer; it may be read-only. */
export type Shown<Value extends z.ZodType> = ReadonlyDeep<z.input<Value>>;

type Facts<Shape extends z.ZodRawShape> = Pick<EndpointSpec<Shape>, 'path' | 'summary'> &
  AdministratorSpec & {
    readonly parameters: Shape;
    /** The words that precede the name of a missing parameter; by default the summary with a full stop. */
    readonly purpose?: string;
    /** By default `system:read`, of a change `system:write`. */
    readonly requires?: Requirement;
    /** By default GET and POST, of a change POST alone. */
    readonly methods?: readonly Method[];
  };

type ValueFacts<Shape extends z.ZodRawShape, Value extends z.ZodType> = Facts<Shape> & {
  readonly value: Value;
  readonly example?: Shown<Value>;
};

type Operation<Shape extends z.ZodRawShape, Result> = (
  call: AdministratorCall<z.output<z.ZodObject<Shape>>>,
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
    dialect: AdministrationDialect,
    content: Shown<Value>,
    context: RequestContext,
    beside?: Beside,
  ) => Reply;
} {
  return {
    answers: inEveryDialect(valueOf(value, facts)),
    reply: (dialect, content, context, { detail, cookie } = {}) => {
      const reply = dialect.value(content, context, detail);
      return cookie === undefined ? reply : { ...reply, headers: { ...reply.headers, 'Set-Cookie': cookie } };
    },
  };
}

/** @returns an endpoint that only reads */
export function valueReading<Shape extends z.ZodRawShape, Value extends z.ZodType>(
  dialect: AdministrationDialect,
  facts: ValueFacts<Shape, Value>,
  answer: Operation<Shape, Shown<Value>>,
): Endpoint {
  const { methods = ['GET', 'POST'], requires = 'system:read' } = facts;
  return administratorEndpoint({ ...specOf(facts), methods, requires, changesState: false }, async (call) =>
    dialect.value(await answer(call), call.context),
  );
}

/** @returns an endpoint that changes something */
export function valueChange<Shape extends z.ZodRawShape, Value extends z.ZodType>(
  dialect: AdministrationDialect,
  facts: ValueFacts<Shape, Value>,
  answer: Operation<Shape, Shown<Value>>,
): Endpoint {
  const { methods = ['POST'], requires = 'system:write' } = facts;
  return administratorEndpoint({ ...specOf(facts), methods, requires, changesState: true }, async (call) =>
    dialect.value(await answer(call), call.context),
  );
}

/** @returns an endpoint that changes something and has nothing to report: true */
export function plainChange<Shape extends z.ZodRawShape>(
  dialect: AdministrationDialect,
  facts: Facts<Shape>,
  change: Operation<Shape, void>,
): Endpoint {
  return valueChange(dialect, { ...facts, value: z.literal(true) }, async (call) => {
    await change(call);
    return true as const;
  });
}

function specOf<Shape extends z.ZodRawShape, Value extends z.ZodType>({
  purpose,
  parameters,
  value,
  example,
  ...facts
}: ValueFacts<Shape, Value>) {
  return {
    ...facts,
    answers: inEveryDialect(valueOf(value, example === undefined ? {} : { example: { value: example } })),
    usage: `${facts.path.slice(1)}: ${purpose ?? `${facts.summary}.`}`,
    parameters: z.object(parameters),
  } as const;
}

interface SystemFacts<Shape extends z.ZodRawShape> {
  readonly path: `/system/${string}`;
  readonly summary: string;
  /** The words that precede the name of a missing parameter. */
  readonly purpose: string;
  readonly answers: Answers;
  readonly parameters: Shape;
}

type SystemOperation<Shape extends z.ZodRawShape> = (
  call: AdministratorCall<z.output<z.ZodObject<Shape>>>,
) => Promise<Reply>;

/** @returns an endpoint that LinOTP has in /system, and that only reads */
export function systemReading<Shape extends z.ZodRawShape>(
  { parameters, purpose, ...facts }: SystemFacts<Shape>,
  answer: SystemOperation<Shape>,
): Endpoint {
  return administratorEndpoint(
    {
      ...facts,
      methods: ['GET', 'POST'],
      requires: 'system:read',
      family: 'linotp2',
      usage: `${facts.path.slice(1)}: ${purpose}`,
      changesState: false,
      parameters: z.object(parameters),
    },
    answer,
  );
}

/** @returns an endpoint that LinOTP has in /system, and that changes something */
export function systemChange<Shape extends z.ZodRawShape>(
  { parameters, purpose, ...facts }: SystemFacts<Shape>,
  answer: SystemOperation<Shape>,
): Endpoint {
  return administratorEndpoint(
    {
      ...facts,
      methods: ['GET', 'POST'],
      requires: 'system:write',
      family: 'linotp2',
      usage: `${facts.path.slice(1)}: ${purpose}`,
      changesState: true,
      parameters: z.object(parameters),
    },
    answer,
  );
}
