import { z } from 'zod';
import type { Answers } from '../../answers.ts';
import { type AdministratorCall, administratorEndpoint, type Endpoint } from '../../endpoint-spec.ts';
import type { Reply } from '../../reply.ts';

interface Facts<Shape extends z.ZodRawShape> {
  readonly path: `/system/${string}`;
  readonly summary: string;
  /** The words that precede the name of a missing parameter. */
  readonly purpose: string;
  readonly answers: Answers;
  readonly parameters: Shape;
}

type SystemOperation<Shape extends z.ZodRawShape> = (
  call: AdministratorCall<z.output<z.ZodObject<Shape>>>,
) => Promise<Reply>;

/** @returns an endpoint that LinOTP has in /system, and that only reads */
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
      usage: `${facts.path.slice(1)}: ${purpose}`,
      changesState: false,
      parameters: z.object(parameters),
    },
    answer,
  );
}

/** @returns an endpoint that LinOTP has in /system, and that changes something */
export function systemChange<Shape extends z.ZodRawShape>(
  { parameters, purpose, ...facts }: Facts<Shape>,
  answer: SystemOperation<Shape>,
): Endpoint {
  return administratorEndpoint(
    {
      ...facts,
      methods: ['GET', 'POST'],
      requires: 'system:write',
      family: 'linotp2',
      usage: `${facts.path.slice(1)}: ${purpose}`,
      changesState: true,
      parameters: z.object(parameters),
    },
    answer,
  );
}
