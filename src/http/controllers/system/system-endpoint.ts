import { z } from 'zod';
import { type Answers, inEveryDialect, valueOf } from '../../answers.ts';
import type { AdministrationDialect } from '../../dialects/dialect.ts';
import { type AdministratorCall, administratorEndpoint, type Endpoint } from '../../endpoint-spec.ts';
import type { Reply } from '../../reply.ts';

interface Facts<Shape extends z.ZodRawShape> {
  readonly path: `/system/${string}`;
  readonly summary: string;
  /** The words that precede the name of a missing parameter; by default the summary with a full stop. */
  readonly purpose?: string;
  readonly answers: Answers;
  readonly parameters: Shape;
}

interface ChangeFacts<Shape extends z.ZodRawShape> extends Facts<Shape> {
  /** By default POST alone. */
  readonly methods?: readonly ('GET' | 'POST')[];
}

type SystemOperation<Shape extends z.ZodRawShape> = (
  call: AdministratorCall<z.output<z.ZodObject<Shape>>>,
) => Promise<Reply>;

/** @returns an endpoint of /system that only reads */
export function systemReading<Shape extends z.ZodRawShape>(
  { parameters, purpose, ...facts }: Facts<Shape>,
  answer: SystemOperation<Shape>,
): Endpoint {
  return administratorEndpoint(
    {
      ...facts,
      methods: ['GET', 'POST'],
      requires: 'system:read',
      family: 'linotp2',
      usage: usageOf(facts, purpose),
      changesState: false,
      parameters: z.object(parameters),
    },
    answer,
  );
}

/** @returns an endpoint of /system that changes something */
export function systemChange<Shape extends z.ZodRawShape>(
  { parameters, purpose, methods = ['POST'], ...facts }: ChangeFacts<Shape>,
  answer: SystemOperation<Shape>,
): Endpoint {
  return administratorEndpoint(
    {
      ...facts,
      methods,
      requires: 'system:write',
      family: 'linotp2',
      usage: usageOf(facts, purpose),
      changesState: true,
      parameters: z.object(parameters),
    },
    answer,
  );
}

/** The facts of an endpoint whose answer is one value, in the envelope of each dialect. */
interface ValueFacts<Shape extends z.ZodRawShape, Value extends z.ZodType> extends Omit<
  Facts<Shape>,
  'answers'
> {
  /** The schema of the value: the type of what the endpoint returns, and its description. */
  readonly value: Value;
  readonly example?: z.input<Value>;
}

type ValueOperation<Shape extends z.ZodRawShape, Value extends z.ZodType> = (
  call: AdministratorCall<z.output<z.ZodObject<Shape>>>,
) => Promise<z.input<Value>>;

/** @returns an endpoint of /system that only reads, and whose answer is one value */
export function valueReading<Shape extends z.ZodRawShape, Value extends z.ZodType>(
  dialect: AdministrationDialect,
  { value, example, ...facts }: ValueFacts<Shape, Value>,
  answer: ValueOperation<Shape, Value>,
): Endpoint {
  return systemReading({ ...facts, answers: answersOf(value, example) }, async (call) =>
    dialect.value(await answer(call), call.context),
  );
}

/** @returns an endpoint of /system that changes something, and whose answer is one value */
export function valueChange<Shape extends z.ZodRawShape, Value extends z.ZodType>(
  dialect: AdministrationDialect,
  { value, example, ...facts }: ValueFacts<Shape, Value>,
  answer: ValueOperation<Shape, Value>,
): Endpoint {
  return systemChange({ ...facts, answers: answersOf(value, example) }, async (call) =>
    dialect.value(await answer(call), call.context),
  );
}

function answersOf(value: z.ZodType, example: unknown): Answers {
  return inEveryDialect(valueOf(value, example === undefined ? {} : { example: { value: example } }));
}

function usageOf(
  { path, summary }: { readonly path: string; readonly summary: string },
  purpose?: string,
): string {
  return `${path.slice(1)}: ${purpose ?? `${summary}.`}`;
}
