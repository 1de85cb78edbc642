import { describe, expect, it } from '@jest/globals';
import { createWriteStream } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLogger, type Logger, type LoggerOptions } from '../../src/observability/log.ts';
import { plainLog } from '../../src/observability/plain-log.ts';

const clock = { now: () => new Date('2026-11-20T12:00:00Z') };

async function written(options: Partial<LoggerOptions>, log: (logger: Logger) => void): Promise<string> {
  const stream = new PassThrough();
  const logger = createLogger({ level: 'info', format: 'json', stream, clock, ...options });
  log(logger);
  await logger.end();
  stream.end();
  return Buffer.concat(await stream.toArray()).toString('utf8');
}

describe('createLogger', () => {
  it('writes one JSON line an event, time, level and message first', async () => {
    const text = await written({}, (log) => {
      log.info('request', { status: 200, path: '/ocra/request', requestId: 'r1' });
    });
    expect(text).toBe(
      '{"time":"2026-11-20T12:00:00.000Z","level":"info","message":"request","requestId":"r1","path":"/ocra/request","status":200}\n',
    );
  });

  it('writes warnings to a file, too', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tankeeper-log-'));
    const stream = createWriteStream(join(folder, 'log'));
    const logger = createLogger({ level: 'info', format: 'json', stream, clock });
    logger.warn('first');
    logger.error('second');
    await logger.end();
    expect((await readFile(join(folder, 'log'), 'utf8')).match(/"message":"\w+"/g)).toEqual([
      '"message":"first"',
      '"message":"second"',
    ]);
    await rm(folder, { recursive: true });
  });

  it('drops every field that is not on the list, and what is no plain value', async () => {
    const text = await written({}, (log) => {
      log.info('x', {
        pass: 'topsecret',
        otpkey: 'topsecret',
        query: 'topsecret',
        body: { pass: 'topsecret' },
      });
      log.info('y', {
        serial: { toString: () => 'topsecret' },
        client: ['topsecret'],
        message: 'topsecret',
        level: 'topsecret',
      });
    });
    expect(text).not.toContain('topsecret');
    expect(text.match(/\n/g)).toHaveLength(2);
  });

  it.each([
    ['127.0.0.1', 'http://127.0.0.1:5001', 'Listening on http://127.0.0.1:5001'],
    ['0.0.0.0', 'http://127.0.0.1:5001', 'Listening on http://127.0.0.1:5001 host=0.0.0.0 port=5001'],
  ])('shows a URL behind the message of a text line, bound to %s', async (host, url, expected) => {
    const text = await written({ format: 'text' }, (log) => {
      log.info('Listening', { host, port: 5001, url });
    });
    expect(text).toBe(`12:00:00.000 INFO  ${expected}\n`);
  });

  it('cuts long fields', async () => {
    const text = await written({}, (log) => {
      log.info('x', { path: 'p'.repeat(100_000) });
    });
    expect(text.length).toBeLessThan(1_000);
  });

  it('writes nothing below its level', async () => {
    const text = await written({ level: 'warn' }, (log) => {
      log.debug('1');
      log.info('2');
      log.warn('3');
      log.error('4');
    });
    expect(text.match(/"message":"(\d)"/g)).toEqual(['"message":"3"', '"message":"4"']);
  });

  it('keeps an event on one line, whatever is in it', async () => {
    const hostile = 'a\r\n{"level":"error"}\u2028\u001b[2J\u0085';
    const log = (logger: Logger): void => {
      logger.info(hostile, { path: hostile, serial: hostile });
    };
    for (const format of ['json', 'text'] as const) {
      const text = await written({ format }, log);
      expect(text.trimEnd()).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
    }
    expect(JSON.parse(await written({}, log))).toMatchObject({ message: hostile, path: hostile });
  });

  it('leaves out what comes after its end, and the process goes on', async () => {
    const stream = new PassThrough();
    const logger = createLogger({ level: 'info', format: 'json', stream, clock });
    logger.info('the last line');
    await logger.end();
    logger.info('one more');
    // An error of the stream would come in one of the next rounds.
    await sleep(20);
    expect(String(stream.read())).toMatch(/^\{.*"the last line"\}\n$/);
  });

  it('writes text for people where it is a terminal, with the frames of a stack below', async () => {
    const stream = Object.assign(new PassThrough(), { isTTY: true });
    const logger = createLogger({ level: 'info', format: 'auto', stream, clock });
    logger.error('request failed', { code: 'internal', stack: '    at f (a.ts:1:1)\n    at g (b.ts:2:2)' });
    await logger.end();
    expect(String(stream.read())).toBe(
      '12:00:00.000 ERROR request failed code=internal\n    at f (a.ts:1:1)\n    at g (b.ts:2:2)\n',
    );
  });
});

function logged(level: 'warn' | 'debug', write: (log: ReturnType<typeof plainLog>) => void): string {
  const lines: string[] = [];
  write(plainLog({ level, write: (text) => lines.push(text) }));
  return lines.join('');
}

describe('the log of a command', () => {
  it('is lines for people, with the allowed fields only, and nothing that a terminal would obey', () => {
    const text = logged('warn', (log) => {
      const fields = { component: 'vault', keyId: 'a1', resolver: 'a\nb', password: 's3cret' };
      log.warn('The key file can be read\u001b[2J by others', fields);
      log.error('It failed', { stack: 'Error: x\n  at y' });
    });
    expect(text).toBe(
      [
        'tankeeper: warning: The key file can be read\\u001b[2J by others (resolver a\\u000ab, keyId a1)',
        'tankeeper: error: It failed\n    Error: x\n    at y\n',
      ].join('\n'),
    );
  });
});
