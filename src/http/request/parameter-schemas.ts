import { z } from 'zod';

/*
 * Schemas of parameters, as endpoints declare them. Each has a description for the reference of endpoints.
 */

/** @param example a value, for the description of the interface */
export function required(meaning: string, example?: string): z.ZodString {
  return z.string().meta(facts(meaning, example));
}

/** @param example a value, for the description of the interface */
export function optional(meaning: string, example?: string): z.ZodOptional<z.ZodString> {
  return z.string().optional().meta(facts(meaning, example));
}

function facts(description: string, example: string | undefined): z.core.GlobalMeta {
  return { description, ...(example !== undefined && { examples: [example] }) };
}

/** @returns the schema of a secret: only the endpoint gets its value, not the dialects, the log or the audit */
export function secret<Schema extends z.ZodType>(schema: Schema): Schema {
  return schema.meta({ ...schema.meta(), secret: true });
}

/** @returns the names of the parameters that are declared as secrets */
export function secretsOf(parameters: z.ZodObject): ReadonlySet<string> {
  return new Set(
    Object.entries(parameters.shape).flatMap(([name, schema]) =>
      (schema as z.ZodType).meta()?.secret === true ? [name] : [],
    ),
  );
}
