import { z } from 'zod';
import type { Answers } from '../../answers.ts';
import { type AdministratorCall, administratorEndpoint, type Endpoint } from '../../endpoint-spec.ts';
import type { Reply } from '../../reply.ts';

interface Facts<Shape extends z.ZodRawShape> {
  readonly path: `/system/${string}`;
  readonly summary: string;
  readonly answers: Answers;
  readonly parameters: Shape;
}

type Answer<Shape extends z.ZodRawShape> = (
  call: AdministratorCall<z.output<z.ZodObject<Shape>>>,
) => Promise<Reply>;

/** @returns an endpoint of /system that only reads */
export function systemReading<Shape extends z.ZodRawShape>(
  { parameters, ...facts }: Facts<Shape>,
  answer: Answer<Shape>,
): Endpoint {
  return administratorEndpoint(
    {
      ...facts,
      methods: ['GET', 'POST'],
      requires: 'system:read',
      family: 'linotp2',
      usage: `${facts.path.slice(1)}: ${facts.summary}.`,
      changesState: false,
      parameters: z.object(parameters),
    },
    answer,
  );
}

/** @returns an endpoint of /system that changes something; it takes POST alone */
export function systemChange<Shape extends z.ZodRawShape>(
  { parameters, ...facts }: Facts<Shape>,
  answer: Answer<Shape>,
): Endpoint {
  return administratorEndpoint(
    {
      ...facts,
      methods: ['POST'],
      requires: 'system:write',
      family: 'linotp2',
      usage: `${facts.path.slice(1)}: ${facts.summary}.`,
      changesState: true,
      parameters: z.object(parameters),
    },
    answer,
  );
}
