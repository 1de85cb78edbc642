import { z } from 'zod';

/*
 * Schemas of parameters, as endpoints declare them. Each has a description for the reference of endpoints.
 */

export function required(meaning: string): z.ZodString {
  return z.string().describe(meaning);
}

export function optional(meaning: string): z.ZodOptional<z.ZodString> {
  return z.string().optional().describe(meaning);
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
