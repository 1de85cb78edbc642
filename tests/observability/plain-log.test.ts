import { describe, expect, it } from '@jest/globals';
import { plainLog } from '../../src/observability/plain-log.ts';

function logged(level: 'warn' | 'debug', write: (log: ReturnType<typeof plainLog>) => void): string {
  const lines: string[] = [];
  write(plainLog({ level, write: (text) => lines.push(text) }));
  return lines.join('');
}

describe('the log of a command', () => {
  it('is lines for people, with the allowed fields only, and nothing that a terminal would obey', () => {
    const text = logged('warn', (log) => {
      log.warn('The key file can be read\u001b[2J by others', {
        component: 'vault',
        keyId: 'a1',
        resolver: 'a\nb',
        password: 's3cret',
      });
      log.error('It failed', { stack: 'Error: x\n  at y' });
    });
    expect(text).toBe(
      [
        'tankeeper: warning: The key file can be read\\u001b[2J by others (resolver a\\u000ab, keyId a1)',
        'tankeeper: error: It failed\n    Error: x\n    at y\n',
      ].join('\n'),
    );
  });

  it('leaves out what is below its level', () => {
    const write = (log: ReturnType<typeof plainLog>): void => {
      log.info('Listening');
      log.debug('a detail');
    };
    expect(logged('warn', write)).toBe('');
    expect(logged('debug', write)).toBe('tankeeper: note: Listening\ntankeeper: debug: a detail\n');
  });
});
