import winston from 'winston';
import type { Clock } from '../kernel/clock.ts';
import type { Log, LogFields } from '../kernel/log.ts';
import { safeText } from '../kernel/text.ts';

const LEVELS = { error: 0, warn: 1, info: 2, debug: 3 } as const;
type LogLevel = keyof typeof LEVELS;

/** Accepts fields of any kind, as only those of the list ALLOWED are written. Fits every log port. */
export interface Logger extends Readonly<
  Record<LogLevel, (message: string, fields?: Readonly<Record<string, unknown>>) => void>
> {
  /** Ends the log: later lines are dropped. Resolves after all earlier lines are handed to the stream. */
  end(): Promise<void>;
}

export interface LoggerOptions {
  readonly level: LogLevel;
  /** `auto`: text on a terminal, JSON lines elsewhere. */
  readonly format: 'auto' | 'json' | 'text';
  /**
   * `flush` is called after errors and warnings, which must not be lost with the process. `tellUnwrittenBy` gets the
   * form of the line that tells how many lines were not written.
   */
  readonly stream: NodeJS.WritableStream & {
    readonly isTTY?: boolean;
    flush?: (() => void) | boolean;
    tellUnwrittenBy?: (notice: (lines: number) => string) => void;
  };
  readonly clock: Clock;
}

/** A line before its fields. */
interface BegunLine extends LineFields {
  readonly time: string;
  readonly level: LogLevel;
  readonly message: string;
}

/** @returns a logger that writes one line an event: JSON for machines, or text for a terminal */
export function createLogger({ level, format, stream, clock }: LoggerOptions): Logger {
  const asText = format === 'text' || (format === 'auto' && stream.isTTY === true);
  const form = asText ? textLine : jsonLine;
  const target = winston.createLogger({
    levels: LEVELS,
    level,
    format: winston.format.printf(form),
    // eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment -- winston's types name its own transports by interfaces
    transports: [new winston.transports.Stream({ stream })],
  });
  const begunLine = (eventLevel: LogLevel, message: string): BegunLine => ({
    time: clock.now().toISOString(),
    level: eventLevel,
    message,
  });
  stream.tellUnwrittenBy?.(
    (count) => `${form({ ...begunLine('warn', 'Lines of the log were not written'), count })}\n`,
  );
  let isOver = false;
  const write =
    (eventLevel: LogLevel) =>
    (message: string, fields: Readonly<Record<string, unknown>> = {}): void => {
      // A write after its end would make winston exit the process, which may still wait for its last connection.
      if (!isOver) {
        const line = begunLine(eventLevel, message);
        addAllowedFields(line, fields);
        target.log(line);
        // The stream of a file has a setting of that name.
        if (LEVELS[eventLevel] <= LEVELS.warn && typeof stream.flush === 'function') {
          stream.flush();
        }
      }
    };
  return {
    error: write('error'),
    warn: write('warn'),
    info: write('info'),
    debug: write('debug'),
    end: async () => {
      isOver = true;
      await new Promise<void>((resolve) => {
        target.once('finish', resolve);
        target.end();
      });
    },
  };
}

/** The members have their order from the logger; winston adds symbols only, which JSON leaves out. */
function jsonLine(line: winston.Logform.TransformableInfo): string {
  return visible(JSON.stringify(line));
}

/**
 * Formats `12:00:00.000 INFO  request method=GET path=/ocra/request status=200`; a stack on separate lines, indented. A
 * URL follows the message, so that terminals make a link of it: `Listening on http://127.0.0.1:5001`.
 */
function textLine({ time, level, message, stack, ...fields }: winston.Logform.TransformableInfo): string {
  const { url = '', ...others } = fields as Readonly<Record<string, string | number | boolean>>;
  const { host, port } = others;
  const isInUrl = (name: string): boolean =>
    ['host', 'port'].includes(name) && String(url).endsWith(`${String(host)}:${String(port)}`);
  const shown = Object.entries(others).filter(([name]) => !isInUrl(name));
  const pairs = shown.map(([name, value]) => `${name}=${visible(String(value))}`);
  const head = [
    String(time).slice(11, 23),
    level.toUpperCase().padEnd(5),
    visible(url === '' ? String(message) : `${String(message)} on ${String(url)}`),
    ...pairs,
  ];
  const frames =
    typeof stack === 'string' ? stack.split('\n').map((frame) => `\n    ${visible(frame.trim())}`) : [];
  return head.join(' ') + frames.join('');
}

/** Escapes control characters, which could forge lines or control the terminal. The escapes are valid in JSON. */
function visible(text: string): string {
  return text.replace(
    /[\p{Cc}\u2028\u2029]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/**
 * The fields that a log line may carry besides time, level and message. All others are dropped, so that no secret is
 * logged because a list of exceptions omits it.
 */
const ALLOWED = [
  'requestId',
  'method',
  'path',
  'status',
  'durationMs',
  'aborted',
  'client',
  'administrator',
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
  'stack',
  'component',
  'address',
  'host',
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
  'startedHere',
] as const;

type AllowedField = (typeof ALLOWED)[number];
type FieldValue = string | number | boolean;

/** The allowed fields of a line. */
type LineFields = Partial<Record<AllowedField, FieldValue>>;

const MAX_LENGTH = 500;
const MAX_STACK_LENGTH = 5_000;

/** Adds to a line the allowed fields among the given ones, long texts cut, in the order of the list. */
function addAllowedFields(line: LineFields, fields: Readonly<Record<string, unknown>>): void {
  for (const name of ALLOWED) {
    const value = fields[name];
    if (typeof value === 'string') {
      line[name] = value.slice(0, name === 'stack' ? MAX_STACK_LENGTH : MAX_LENGTH);
    } else if (typeof value === 'number' || typeof value === 'boolean') {
      line[name] = value;
    }
  }
}

const NAMES: Readonly<Record<LogLevel, string>> = {
  error: 'error',
  warn: 'warning',
  info: 'note',
  debug: 'debug',
};

/**
 * The log of a command: lines for its user, such as `tankeeper: warning: the key file can be read by others (keyId a1)`.
 * @param level lines below it are dropped
 */
export function plainLog({ level, write }: { level: LogLevel; write: (text: string) => unknown }): Log {
  const at =
    (name: LogLevel) =>
    (message: string, fields: LogFields = {}): void => {
      if (LEVELS[name] <= LEVELS[level]) {
        write(`${plainLine(name, message, fields)}\n`);
      }
    };
  return { error: at('error'), warn: at('warn'), info: at('info'), debug: at('debug') };
}

function plainLine(level: LogLevel, message: string, fields: LogFields): string {
  const shown: LineFields = {};
  addAllowedFields(shown, fields);
  const { stack } = shown;
  const pairs = Object.entries(shown)
    .filter(([name]) => name !== 'stack' && name !== 'component')
    .map(([name, value]) => `${name} ${safeText(String(value))}`);
  const head = `tankeeper: ${NAMES[level]}: ${safeText(message)}${pairs.length === 0 ? '' : ` (${pairs.join(', ')})`}`;
  const frames =
    typeof stack === 'string' ? stack.split('\n').map((frame) => `\n    ${safeText(frame.trim())}`) : [];
  return head + frames.join('');
}
