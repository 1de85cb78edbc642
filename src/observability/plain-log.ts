import type { Log, LogFields } from '../kernel/log.ts';
import { safeText } from '../kernel/text.ts';
import { addAllowedFields } from './log-fields.ts';

const LEVELS = ['error', 'warn', 'info', 'debug'] as const;
type Level = (typeof LEVELS)[number];

const NAMES: Readonly<Record<Level, string>> = {
  error: 'error',
  warn: 'warning',
  info: 'note',
  debug: 'debug',
};

/**
 * The log of a command: lines for its user, such as `tankeeper: warning: the key file can be read by others (keyId a1)`.
 * @param level lines below it are dropped
 */
export function plainLog({ level, write }: { level: Level; write: (text: string) => unknown }): Log {
  const at =
    (name: Level) =>
    (message: string, fields: LogFields = {}): void => {
      if (LEVELS.indexOf(name) <= LEVELS.indexOf(level)) {
        write(`${plainLine(name, message, fields)}\n`);
      }
    };
  return { error: at('error'), warn: at('warn'), info: at('info'), debug: at('debug') };
}

function plainLine(level: Level, message: string, fields: LogFields): string {
  const shown: Record<string, string | number | boolean> = {};
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
