import { z } from 'zod';
import { type Answers, inEveryDialect, valueOf } from './answers.ts';
import type { AdministrationDialect } from './dialects/dialect.ts';
import {
  type AdministratorCall,
  type AdministratorSpec,
  administratorEndpoint,
  type Endpoint,
  type EndpointSpec,
  type Method,
  type Requirement,
} from './endpoint-spec.ts';
import type { Reply } from './reply.ts';
import type { RequestContext } from './request/exchange.ts';

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
