import { ServiceError } from './errors.ts';

/**
 * The fields that a log line may carry besides time, level and message. All others are dropped, so that no secret is
 * logged because a list of exceptions omits it.
 */
export const LOG_FIELDS = [
  'requestId',
  'method',
  'path',
  'status',
  'durationMs',
  'aborted',
  'client',
  'administrator',
  'transaction',
  'serial',
  'realm',
  'realms',
  'resolver',
  'policy',
  'webhook',
  'scope',
  'action',
  'code',
  'limit',
  'fault',
  'faultDetail',
  'reason',
  'stack',
  'component',
  'address',
  'host',
  'issuer',
  'port',
  'url',
  'keyId',
  'attempts',
  'count',
  'clockOffset',
  'checkpoint',
  'migration',
  'version',
  'dataDir',
  'dataFolder',
  'home',
  'drainSeconds',
] as const;

export type LogField = (typeof LOG_FIELDS)[number];

/** Fields of a log line besides its message. */
export type LogFields = Readonly<Partial<Record<LogField, string | number | boolean | undefined>>>;

/** Log of the domain, for operators. Never gets a secret. */
export interface Log {
  error(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  debug(message: string, fields?: LogFields): void;
}

/** Loggable description of an error. Never its message, which may quote a client's request. */
export interface FaultFields {
  /** Name and code of the error, then of its causes: `ServiceError internal < DatabaseError 22P02`. */
  readonly fault: string;
  /** The details of `ServiceError`s, which never hold secrets. */
  readonly faultDetail: string | undefined;
  /** The origin of the innermost error: the frames of its stack, without its message. */
  readonly stack: string | undefined;
}

const MAX_CAUSES = 5;
const MAX_FRAMES = 20;

/** @returns a description of the error and its causes, without any text of the client */
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
  for (let link = error; chain.length < MAX_CAUSES && link instanceof Error && link.cause !== undefined;) {
    link = link.cause;
    chain.push(link);
  }
  return chain;
}

/** Keeps name and code only if they are plain words: others are not trusted. */
function nameOf(error: unknown): string {
  if (!(error instanceof Error)) {
    return typeof error;
  }
  const code = 'code' in error ? error.code : undefined;
  return [error.name, code]
    .filter((part) => typeof part === 'string' && /^[\w.-]{1,60}$/.test(part))
    .join(' ');
}

/** Extracts the frames behind name and message; a message may have lines that look like frames. */
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
