import { ServiceError } from './errors.ts';

/** What the log may say of an error. Never its message, which may quote what a client sent. */
export interface FaultFields {
  /** Name and code of the error, then of its causes: `ServiceError internal < DatabaseError 22P02`. */
  readonly fault: string;
  /** The details of the errors that are ours, which never hold secrets. */
  readonly faultDetail: string | undefined;
  /** Where the innermost error was made: the frames of its stack, without its message. */
  readonly stack: string | undefined;
}

const DEEPEST = 5;
const MAX_FRAMES = 20;

/** @returns the error with its causes, in words that hold nothing of what the client sent */
export function describeFault(error: unknown): FaultFields {
  const chain = causes(error);
  const details = chain.flatMap((link) => (link instanceof ServiceError ? (link.detail ?? []) : []));
  return {
    fault: chain.map(nameOf).join(' < '),
    faultDetail: details.length === 0 ? undefined : details.join(' < '),
    stack: framesOf(chain.at(-1)),
  };
}

function causes(error: unknown): unknown[] {
  const chain: unknown[] = [error];
  for (let link = error; chain.length < DEEPEST && link instanceof Error && link.cause !== undefined;) {
    link = link.cause;
    chain.push(link);
  }
  return chain;
}

/** A name or a code that is no plain word is not to be trusted. */
function nameOf(error: unknown): string {
  if (!(error instanceof Error)) {
    return typeof error;
  }
  const code = 'code' in error ? error.code : undefined;
  return [error.name, code]
    .filter((part) => typeof part === 'string' && /^[\w.-]{1,60}$/.test(part))
    .join(' ');
}

/** The stack begins with name and message; a message may have lines that look like frames. */
function framesOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || error.stack === undefined) {
    return undefined;
  }
  const at = error.stack.indexOf(error.message) + error.message.length;
  const frames = error.stack
    .slice(at)
    .split('\n')
    .filter((line) => /^\s+at /.test(line));
  return frames.slice(0, MAX_FRAMES).join('\n');
}
