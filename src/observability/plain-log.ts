import { type Log, LOG_FIELDS, type LogField, type LogFields } from '../kernel/log.ts';
import { safeText } from '../kernel/text.ts';

/** From the gravest on. */
export const LEVELS = { error: 0, warn: 1, info: 2, debug: 3 } as const;
export type LogLevel = keyof typeof LEVELS;

type FieldValue = string | number | boolean;

/** The allowed fields of a line. */
export type LineFields = Partial<Record<LogField, FieldValue>>;

const MAX_LENGTH = 500;
const MAX_STACK_LENGTH = 5_000;

/** Adds to a line the allowed fields among the given ones, long texts cut, in the order of the list. */
export function addAllowedFields(line: LineFields, fields: Readonly<Record<string, unknown>>): void {
  for (const name of LOG_FIELDS) {
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
