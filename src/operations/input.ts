import { z } from 'zod';
import { splitList } from '../kernel/text.ts';

/*
 * Fields of inputs. All come as texts: from a query string or a form, or from the words of a command.
 */

declare module 'zod' {
  interface GlobalMeta {
    /** Only the operation gets the value. A command reads it from a prompt or a file. */
    readonly secret?: boolean;
    /** How a command takes it; default: a word. */
    readonly given?: 'words' | 'flag' | 'known';
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

/** A secret that is being made: a command asks for it twice. */
export function password(description: string): z.ZodString {
  return z.string().meta({ description, secret: true });
}

/** A secret that exists: a command asks for it once. */
export function knownSecret(description: string): z.ZodString {
  return z.string().trim().meta({ description, secret: true, given: 'known' });
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
