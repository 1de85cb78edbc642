import { z } from 'zod';
import type { ReadonlyDeep } from '../kernel/readonly-deep.ts';
import type { DialectName } from './dialects/dialect.ts';

/** The answers of an endpoint to requests that succeed, by dialect. Those to failures are the same everywhere. */
export type Answers = Readonly<Record<DialectName, DialectAnswers>>;

/** The answers of an endpoint in one dialect. */
export interface DialectAnswers {
  /** JSON in the envelope of the dialect, with status 200. */
  readonly envelope?: EnvelopeAnswer;
  /** The answer to a wrong password, with status 401: an envelope that reports success, or the usual failure. */
  readonly refusal?: EnvelopeAnswer | 'failure';
  readonly others?: readonly OtherAnswer[];
}

/** An answer in an envelope. */
export interface EnvelopeAnswer {
  /** The members of `result` besides `status`. */
  readonly result: Readonly<Record<string, z.ZodType>>;
  readonly detail?: z.ZodType | undefined;
  readonly example?: AnswerExample | undefined;
}

/** The content of an envelope, as an example. */
export interface AnswerExample {
  readonly result: Readonly<Record<string, unknown>>;
  readonly detail?: Readonly<Record<string, unknown>>;
}

/** An answer without an envelope. */
export interface OtherAnswer {
  /** Default: 200. */
  readonly status?: number;
  /** Undefined: there is no body. */
  readonly contentType?:
    | 'application/json'
    | 'image/png'
    | 'text/css'
    | 'application/x-ndjson'
    | 'text/csv'
    | 'text/html'
    | 'text/javascript'
    | 'text/plain';
  readonly meaning: string;
  /** The body, where it is JSON; default: a text, or the bytes of a picture. */
  readonly body?: z.ZodType;
  /** Headers of the answer, each with its meaning. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A number of things. */
export const count = z.int().nonnegative();

/** @returns the answer whose `result` has that `value` */
export function valueOf(
  value: z.ZodType,
  {
    detail,
    example,
  }: {
    readonly detail?: z.ZodType | undefined;
    readonly example?: Omit<AnswerExample, 'result'> & { readonly value: unknown };
  } = {},
): DialectAnswers {
  const { value: shown, ...rest } = example ?? {};
  return {
    envelope: {
      result: { value },
      detail,
      example: example === undefined ? undefined : { result: { value: shown }, ...rest },
    },
  };
}

/** The schemas of a value, by dialect. */
type ValueSchemas = Readonly<Record<DialectName, z.ZodType>>;

/** @returns the answers with that value, which differs by dialect */
export function valuesOf({ documented, linotp }: ValueSchemas, detail?: z.ZodType): Answers {
  return { documented: valueOf(documented, { detail }), linotp: valueOf(linotp, { detail }) };
}

/** @returns answers that are the same in every dialect, but for the envelope */
export function inEveryDialect(answers: DialectAnswers): Answers {
  return { documented: answers, linotp: answers };
}

/** @returns the answers of an endpoint that has nothing to report: true */
export function done(): Answers {
  return inEveryDialect(valueOf(z.literal(true)));
}

/** The pictures that the parameter `qr` requests. */
const PICTURES: readonly OtherAnswer[] = [
  { contentType: 'image/png', meaning: 'the QR code, with `qr=png`' },
  { contentType: 'text/html', meaning: 'an `<img>` with `qr=img`, a page with any other value of `qr`' },
];

/** @returns these answers, and the pictures that the parameter `qr` requests in their place */
export function orPicture(answers: DialectAnswers): DialectAnswers {
  return { ...answers, others: [...(answers.others ?? []), ...PICTURES] };
}

/** @returns the answers of a page */
export function pageAnswer(meaning: string): Answers {
  return inEveryDialect({ others: [{ contentType: 'text/html', meaning }] });
}

/** What fits the schema of an answer; it may be read-only. */
export type Shown<Value extends z.ZodType> = ReadonlyDeep<z.input<Value>>;

/** What fits the schema of an answer in that dialect. */
export type ShownIn<Name extends DialectName, Values extends ValueSchemas> = Shown<Values[Name]>;
