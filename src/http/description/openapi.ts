import { z } from 'zod';

/*
 * The parts of an OpenAPI 3.1 document that the description uses (https://spec.openapis.org/oas/v3.1.1).
 */

export interface Reference {
  readonly $ref: string;
}

export interface MediaType {
  readonly schema?: JsonSchema | Reference;
  readonly examples?: Readonly<Record<string, { readonly summary?: string; readonly value: unknown }>>;
}

export interface Header {
  readonly description: string;
  readonly required?: boolean;
  readonly schema: JsonSchema;
}

export interface Response {
  readonly description: string;
  readonly headers: Readonly<Record<string, Header | Reference>>;
  readonly content?: Readonly<Record<string, MediaType>>;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'query';
  readonly description?: string;
  readonly required?: boolean;
  readonly schema: JsonSchema;
}

export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly deprecated?: true;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters: readonly (Parameter | Reference)[];
  readonly requestBody?: {
    readonly required: boolean;
    readonly content: Readonly<Record<string, MediaType>>;
  };
  /** By status; `default` for all others. */
  readonly responses: Readonly<Record<string, Response | Reference>>;
}

export type PathItem = Readonly<Partial<Record<'get' | 'post', Operation>>>;

export interface Components {
  readonly schemas: Readonly<Record<string, JsonSchema>>;
  readonly responses: Readonly<Record<string, Response>>;
  readonly parameters: Readonly<Record<string, Parameter>>;
  readonly headers: Readonly<Record<string, Header>>;
  readonly securitySchemes: Readonly<Record<string, JsonSchema>>;
}

export interface OpenApiDocument {
  readonly openapi: '3.1.1';
  readonly info: {
    readonly title: string;
    readonly version: string;
    readonly summary: string;
    readonly description: string;
    readonly license: { readonly name: string; readonly identifier: string };
  };
  readonly servers: readonly { readonly url: string; readonly description: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly components: Components;
}

/** @returns a reference to a component of the same document */
export function reference(kind: keyof Components, name: string): Reference {
  return { $ref: `#/components/${kind}/${name}` };
}

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
