import { z } from 'zod';
import { parseJsonObject, parseJsonOrUndefined, splitList } from '../kernel/text.ts';

/*
 * Fields of inputs. All come as texts: from a query string or a form, or from the words of a command.
 */

declare module 'zod' {
  interface GlobalMeta {
    /** Only the operation gets the value. A command reads it from a prompt or a file. */
    readonly secret?: boolean;
    /** How a command takes it; default: what is required as a word, the rest by an option. */
    readonly given?: 'word' | 'words' | 'option' | 'flag' | 'known' | 'pairs';
    /** The title of the column in the table of a command; absent: it is in JSON and in the sight of one thing alone. */
    readonly column?: string;
  }
}

/** @returns what is declared of a field, optional or not */
export function metaOf(schema: z.ZodType): z.core.GlobalMeta {
  return schema.meta() ?? (schema instanceof z.ZodOptional ? metaOf(schema.unwrap() as z.ZodType) : {});
}

/** @param example a value, for the description of the interface and the help of the command */
export function text(description: string, example: string): z.ZodString {
  return z
    .string()
    .trim()
    .meta({ description, examples: [example] });
}

/** A condition on what is listed: an empty text, as forms send it, does not restrict. */
export function filter(
  description: string,
  example: string,
): z.ZodOptional<z.ZodPipe<z.ZodString, z.ZodTransform<string | undefined, string>>> {
  return text(description, example)
    .transform((given) => (given === '' ? undefined : given))
    .meta({ description, examples: [example] })
    .optional();
}

/** A secret that is being made: a command asks for it twice. */
export function password(description: string): z.ZodString {
  return z.string().meta({ description, secret: true });
}

/** A secret that exists: a command asks for it once. */
export function knownSecret(description: string): z.ZodString {
  return z.string().trim().meta({ description, secret: true, given: 'known' });
}

/** One of some words. */
export function choice<const Word extends string>(
  description: string,
  words: readonly [Word, ...Word[]],
): z.ZodEnum<{ readonly [Each in Word]: Each }> {
  return z
    .enum(words, `it must be one of ${words.join(', ')}`)
    .meta({ description: `${description}: ${words.join(', ')}`, examples: [words[0]] });
}

/** A whole number within bounds, both included. */
export function wholeNumber(
  description: string,
  min: number,
  max: number,
): z.ZodPipe<z.ZodString, z.ZodTransform<number, string>> {
  const isWithin = (text: string): boolean =>
    /^\d{1,10}$/.test(text) && Number(text) >= min && Number(text) <= max;
  return z
    .string()
    .refine(isWithin, `it must be a whole number from ${min} to ${max}`)
    .transform(Number)
    .meta({ description, examples: [String(min)] });
}

/** A list: with commas, or as several words of a command. */
export function list(
  description: string,
  example: string,
): z.ZodPipe<z.ZodString, z.ZodTransform<readonly string[], string>> {
  return z
    .string()
    .transform(splitList)
    .meta({ description, examples: [example], given: 'words' });
}

/** Texts by name: a JSON object, or `NAME=VALUE` of a command, as often as there are such. */
export function pairs(
  description: string,
  example: string,
): z.ZodPipe<z.ZodString, z.ZodTransform<Readonly<Record<string, string>>, string>> {
  return z
    .string()
    .transform((given, context) => {
      const read = z.record(z.string(), z.string()).safeParse(parseJsonObject(given));
      if (!read.success) {
        context.addIssue('it must be a JSON object of texts');
        return z.NEVER;
      }
      return read.data;
    })
    .meta({ description, examples: [example], given: 'pairs' });
}

/** `1` or `true`, `0` or `false`, or an empty text for the latter; an option without a value. */
export function flag(
  description: string,
): z.ZodPipe<z.ZodOptional<z.ZodString>, z.ZodTransform<boolean, string | undefined>> {
  return (
    z
      .string()
      // Anything else could be meant as either.
      .refine((given) => ['', '0', '1', 'false', 'true'].includes(given), 'it must be 1 or 0')
      .optional()
      .transform((given) => given === '1' || given === 'true')
      .meta({ description, examples: ['1'], given: 'flag' })
  );
}

/** What the caller has read, as JSON: where it has changed since then, nothing is done. Empty: it may be anything. */
export function expected<Shape extends z.ZodType>(
  shape: Shape,
  description: string,
): z.ZodOptional<z.ZodPipe<z.ZodString, z.ZodTransform<z.output<Shape> | undefined, string>>> {
  return z
    .string()
    .transform((given, context) => {
      if (given.trim() === '') {
        return undefined;
      }
      const read = shape.safeParse(parseJsonOrUndefined(given));
      if (!read.success) {
        context.addIssue('it must be JSON in the form that the documentation names, or null');
        return z.NEVER;
      }
      return read.data;
    })
    .meta({ description, examples: ['null'], given: 'option' })
    .optional();
}
