import winston from 'winston';
import type { Clock } from '../kernel/clock.ts';
import { LEVELS, addAllowedFields, type LogLevel, type LineFields } from './plain-log.ts';

/** Accepts fields of any kind, as only those of the list LOG_FIELDS are written. Fits every log port. */
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
  /** `flush` is called after errors and warnings, which must not be lost with the process. */
  readonly stream: NodeJS.WritableStream & {
    readonly isTTY?: boolean;
    flush?: (() => void) | boolean;
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
  const target = winston.createLogger({
    levels: LEVELS,
    level,
    format: winston.format.printf(asText ? textLine : jsonLine),
    // eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment -- winston's types name its own transports by interfaces
    transports: [new winston.transports.Stream({ stream })],
  });
  const begunLine = (eventLevel: LogLevel, message: string): BegunLine => ({
    time: clock.now().toISOString(),
    level: eventLevel,
    message,
  });
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
