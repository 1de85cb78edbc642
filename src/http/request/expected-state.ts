import type { z } from 'zod';
import { parseJsonOrUndefined } from '../../kernel/text.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { optional } from './parameter-schemas.ts';

/** The state that the caller has read and changed. */
export const EXPECTED = optional('the state that the caller has read');

/**
 * @param text JSON
 * @param shape of the state
 * @returns the state that is expected; undefined: any
 * @throws ServiceError 'parameter.invalid'
 */
export function readExpected<Shape extends z.ZodType>(
  text: string | undefined,
  shape: Shape,
): z.output<Shape> | undefined {
  if (text === undefined || text.trim() === '') {
    return undefined;
  }
  const read = shape.safeParse(parseJsonOrUndefined(text));
  if (!read.success) {
    throw new ServiceError(
      'parameter.invalid',
      "The parameter 'expected' is JSON in the form that the documentation names, or null",
      { parameter: 'expected' },
    );
  }
  return read.data;
}
