import { z } from 'zod';
import type { Consequence } from '../consequences/consequence.ts';
import type { Caller } from '../policy/caller.ts';
import type { RequiredRights, RightName } from '../policy/access-control.ts';
import type { Services } from '../services.ts';
import type { ReadonlyDeep } from '../kernel/readonly-deep.ts';

/**
 * An act of people and programs, declared once. Its path, its step of authorization, its command, its entry in
 * /openapi.json and the console's types follow from it.
 */
interface OperationFacts<Input extends z.ZodRawShape, Output extends z.ZodType> {
  /** `webhook add`: the command `tankeeper webhook add` and the path /admin/webhook/add. */
  readonly name: string;
  /** One line: the effect in the third person, or what is shown. */
  readonly does: string;
  /** Of several the caller needs all; of a list among them, one. */
  readonly right: RightName | RequiredRights;
  /** True: by POST alone, not with a cookie alone, and never by a page of another site. */
  readonly changes: boolean;
  /**
   * By names in snake_case; others are refused. What is required is an argument of the command, in this order; the rest
   * are options.
   */
  readonly input: Input;
  /**
   * What `run` returns; absent: nothing, and the answer is true. Edges show the fields that are declared, in snake_case,
   * and times in ISO 8601.
   */
  readonly output?: Output;
  /** True: only a server can do it, and no command does. */
  readonly onlyServed?: true;
  readonly run: (
    services: Services,
    caller: Caller,
    input: z.output<z.ZodObject<Input>>,
  ) => Promise<ReadonlyDeep<z.output<Output>>>;
  /** What follows, before it is done: the command asks whether to go on. */
  readonly asks?: (
    services: Services,
    caller: Caller,
    input: z.output<z.ZodObject<Input>>,
  ) => Promise<readonly Consequence[]>;
  /** Only the command asks: what that takes, such as a connection to an address, no request does that changes nothing. */
  readonly asksByCommand?: true;
  /** The sentence of the command that has changed something. */
  readonly says?: (output: z.output<Output>, input: z.output<z.ZodObject<Input>>) => string;
  /** The sentence of the command where it was done in vain. The exit code is then 1. @returns undefined: it was not */
  readonly fails?: (output: z.output<Output>, input: z.output<z.ZodObject<Input>>) => string | undefined;
}

/** An operation of any types, as edges serve it: `input` is of its own schema. */
export interface Operation extends Pick<
  OperationFacts<z.ZodRawShape, z.ZodType>,
  'name' | 'does' | 'right' | 'changes' | 'onlyServed' | 'asksByCommand'
> {
  readonly input: z.ZodObject;
  readonly output: z.ZodType;
  run(services: Services, caller: Caller, input: unknown): Promise<unknown>;
  asks?(services: Services, caller: Caller, input: unknown): Promise<readonly Consequence[]>;
  says?(output: unknown, input: unknown): string;
  fails?(output: unknown, input: unknown): string | undefined;
}

/** Operations on things of one kind: the commands of one group. */
export interface OperationGroup {
  /** The first word of their names. */
  readonly name: string;
  /** One line for the help. */
  readonly about: string;
  readonly operations: readonly Operation[];
}

/** The output of an operation that has nothing to report. */
const DONE = z.void();

export function operation<Input extends z.ZodRawShape, Output extends z.ZodType = z.ZodVoid>(
  facts: OperationFacts<Input, Output>,
): Operation {
  return { output: DONE, ...facts, input: z.strictObject(facts.input) };
}
