import { z } from 'zod';

/** What edges show of the output of an operation: JSON. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/**
 * @param schema of the output
 * @param value the output; may hold fields that are not declared: they stay here
 * @returns the declared fields, in snake_case, times in ISO 8601, whole numbers of any size in decimal
 */
export function shown(schema: z.ZodType, value: unknown): Json {
  if (schema instanceof z.ZodVoid) {
    return true;
  }
  if (value === null || value === undefined) {
    return null;
  }
  if (schema instanceof z.ZodObject) {
    const fields = fieldsOf(schema).flatMap(([name, field]) => {
      const part = (value as Readonly<Record<string, unknown>>)[name];
      return part === undefined ? [] : [[snakeCase(name), shown(field, part)] as const];
    });
    return Object.fromEntries(fields);
  }
  if (schema instanceof z.ZodArray) {
    return (value as readonly unknown[]).map((item) => shown(schema.element as z.ZodType, item));
  }
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional) {
    return shown(schema.unwrap() as z.ZodType, value);
  }
  if (schema instanceof z.ZodDate) {
    return (value as Date).toISOString();
  }
  return typeof value === 'bigint' ? value.toString() : (value as Json);
}

/** @returns the schema of what `shown` returns */
export function shownSchema(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodVoid) {
    return z.literal(true);
  }
  const described = (made: z.ZodType): z.ZodType => {
    const meta = schema.meta();
    return meta === undefined ? made : made.meta(meta);
  };
  if (schema instanceof z.ZodObject) {
    return described(
      z.strictObject(
        Object.fromEntries(fieldsOf(schema).map(([name, field]) => [snakeCase(name), shownSchema(field)])),
      ),
    );
  }
  if (schema instanceof z.ZodArray) {
    return described(z.array(shownSchema(schema.element as z.ZodType)));
  }
  if (schema instanceof z.ZodNullable) {
    return described(shownSchema(schema.unwrap() as z.ZodType).nullable());
  }
  if (schema instanceof z.ZodOptional) {
    return described(shownSchema(schema.unwrap() as z.ZodType).optional());
  }
  if (schema instanceof z.ZodDate) {
    return described(z.iso.datetime());
  }
  return schema instanceof z.ZodBigInt ? described(z.string()) : schema;
}

/** @returns the fields of an object, each with its schema */
export function fieldsOf(schema: z.ZodType): readonly (readonly [string, z.ZodType])[] {
  return Object.entries((schema as z.ZodObject).shape);
}

/** `lastFailureAt` as `last_failure_at`. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
