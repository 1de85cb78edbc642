import { z } from 'zod';
import type { AnswerExample, EnvelopeAnswer } from '../answers.ts';
import type { DialectName } from '../dialects/dialects.ts';
import type { Family } from '../dialects/family.ts';

/** The envelopes: that of the documented dialect, and those of the two releases of LinOTP. */
export type Envelope = 'documented' | Family;

/** @returns the envelope of answers to requests of that family */
export function envelopeOf(dialect: DialectName, family: Family): Envelope {
  return dialect === 'documented' ? 'documented' : family;
}

const version = z.string().meta({ description: 'the version of the server', examples: ['Tankeeper'] });
const HEADS = {
  documented: {
    version,
    jsonrpc: z.literal('2.0'),
    id: z.int().meta({ description: 'the parameter `id`; default: 1', examples: [1] }),
  },
  linotp2: { version, jsonrpc: z.literal('2.0802'), id: z.literal([0, 1]) },
  linotp3: { version, jsonrpc: z.literal('2.0802'), id: z.literal(1), versionNumber: z.string() },
} as const satisfies Record<Envelope, z.ZodRawShape>;

const EXAMPLE_HEADS = {
  documented: { version: 'Tankeeper', jsonrpc: '2.0', id: 1 },
  linotp2: { version: 'LinOTP 2.12.6', jsonrpc: '2.0802', id: 1 },
  linotp3: { version: 'LinOTP 3.4.4', jsonrpc: '2.0802', id: 1, versionNumber: '3.4.4' },
} as const satisfies Record<Envelope, object>;

/** @returns the schema of the whole answer to a request that succeeded */
export function successSchema(envelope: Envelope, { result, detail }: EnvelopeAnswer): z.ZodType {
  return z.strictObject({
    ...HEADS[envelope],
    result: z.strictObject({ status: z.literal(true), ...result }),
    ...(detail !== undefined && { detail }),
  });
}

/** @returns the schema of the whole answer to a request that failed */
export function failureSchema(envelope: Envelope): z.ZodType {
  return z.strictObject({
    ...HEADS[envelope],
    result: z.strictObject({
      status: z.literal(false),
      error: z.strictObject({
        code: z.int().meta({
          description:
            '77 a missing parameter, 410 a missing right, 1205 an unknown user, 707 the security module, else -311',
          examples: [-311],
        }),
        message: z.string().meta({ examples: ['There is no token QR9'] }),
      }),
    }),
  });
}

/** @returns the whole answer around that content */
export function exampleAnswer(envelope: Envelope, { result, detail }: AnswerExample): unknown {
  return {
    ...EXAMPLE_HEADS[envelope],
    result: { status: true, ...result },
    ...(detail !== undefined && { detail }),
  };
}
