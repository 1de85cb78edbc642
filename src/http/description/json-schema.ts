import { z } from 'zod';

/** A JSON Schema (draft 2020-12), as OpenAPI 3.1 contains them. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * @param io `input`: of values that are read; `output`: of values that are sent, in which unknown members are refused
 * @returns the JSON Schema of the same values
 */
export function jsonSchemaOf(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const described: Record<string, unknown> = z.toJSONSchema(schema, {
    target: 'draft-2020-12',
    io,
    override: ({ jsonSchema }) => {
      if (jsonSchema.secret === true) {
        delete jsonSchema.secret;
        jsonSchema.format = 'password';
      }
    },
  });
  // The document names the dialect of JSON Schema once, by its version.
  delete described.$schema;
  return described;
}
