import { describe, expect, it } from '@jest/globals';
import { EventEmitter } from 'node:events';
import { watchSignals, LogOutput, descriptorWarning } from '../../src/compose/process.ts';
import { readinessOf } from '../../src/compose/http-server.ts';
import { ServiceError } from '../../src/kernel/errors.ts';
import { deferred } from '../support/values/until.ts';
import { PassThrough } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { loadConfig } from '../../src/config/config.ts';

/** A process in name only, with a clock that the test sets. */
class FakeProcess extends EventEmitter {
  readonly exits: number[] = [];
  milliseconds = 5_000;
  readonly signals = watchSignals(this, () => this.milliseconds);

  exit(code: number): void {
    this.exits.push(code);
  }

  /** A signal so many milliseconds after the one before. */
  signal(name: 'SIGINT' | 'SIGTERM' | 'SIGHUP', later = 0): void {
    this.milliseconds += later;
    // Where nobody listens, a signal ends a process.
    if (!this.emit(name, name)) {
      this.exits.push(-1);
    }
  }

  get state(): unknown {
    const { requested, urgent } = this.signals;
    return { requested: requested.aborted, urgent: urgent.aborted, exits: this.exits };
  }
}

const NOTHING = { requested: false, urgent: false, exits: [] };

const REQUESTED = { requested: true, urgent: false, exits: [] };

const URGENT = { requested: true, urgent: true, exits: [] };

describe('signals that end a process', () => {
  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('%s asks it to end in good order', (name) => {
    const fake = new FakeProcess();
    expect(fake.state).toEqual(NOTHING);
    fake.signal(name);
    expect(fake.state).toEqual(REQUESTED);
  });

  it('are one within two seconds of the first, whichever they are and however many', () => {
    const fake = new FakeProcess();
    fake.signal('SIGINT');
    fake.signal('SIGINT', 20);
    fake.signal('SIGTERM', 980);
    fake.signal('SIGHUP', 999);
    fake.signal('SIGINT', 1);
    expect(fake.state).toEqual(REQUESTED);
  });

  it('make it urgent after these two seconds, and that once for two seconds more', () => {
    const fake = new FakeProcess();
    fake.signal('SIGTERM');
    fake.signal('SIGINT', 2_001);
    fake.signal('SIGINT', 20);
    fake.signal('SIGINT', 1_980);
    expect(fake.state).toEqual(URGENT);
  });

  it('end it at once with 130 the third time', () => {
    const fake = new FakeProcess();
    fake.signal('SIGINT');
    fake.signal('SIGINT', 2_001);
    fake.signal('SIGINT', 2_001);
    expect(fake.state).toEqual({ ...URGENT, exits: [130] });
  });
});

const SERVING = { isStopping: false };
const nothing = (): void => undefined;
const QUIET = { error: nothing, warn: nothing, info: nothing, debug: nothing };

describe('the question whether the database answers', () => {
  it('is put to it once for all who ask meanwhile, and anew for who asks later', async () => {
    let requested = 0;
    let answer = deferred<undefined>();
    const ready = readinessOf(
      async () => {
        requested += 1;
        await answer.promise;
      },
      SERVING,
      QUIET,
    );
    const many = Array.from({ length: 500 }, () => ready());
    answer.resolve(undefined);
    expect(new Set(await Promise.all(many))).toEqual(new Set(['ready']));
    expect(requested).toBe(1);
    answer = deferred<undefined>();
    const later = ready();
    answer.resolve(undefined);
    expect([await later, requested]).toEqual(['ready', 2]);
  });

  it('is answered no while it is away, with one line that says why, and yes once it is back', async () => {
    const lines: unknown[] = [];
    let isAway = true;
    const ready = readinessOf(
      () =>
        isAway
          ? Promise.reject(new ServiceError('database.unavailable', 'away', { detail: 'far' }))
          : Promise.resolve(),
      SERVING,
      { ...QUIET, error: (message, fields) => void lines.push([message, fields?.faultDetail]) },
    );
    expect(await Promise.all([ready(), ready()])).toEqual(['unavailable', 'unavailable']);
    expect(await ready()).toBe('unavailable');
    isAway = false;
    expect(await ready()).toBe('ready');
    expect(lines).toEqual([['The server is not ready', 'far']]);
  });
});

function joined(): { readonly lines: LogOutput; readonly writes: string[] } {
  const target = new PassThrough();
  const writes: string[] = [];
  target.write = (text: unknown) => {
    writes.push(String(text));
    return true;
  };
  return { lines: new LogOutput(target), writes };
}

describe('the log of a server', () => {
  it('writes no more at once than a pipe takes whole', async () => {
    const { lines, writes } = joined();
    const line = `${'é'.repeat(700)}\n`;
    for (let count = 0; count < 5; count += 1) {
      lines.write(line);
    }
    await nextTurn();
    await nextTurn();
    expect(writes).toEqual([line.repeat(2), line.repeat(2), line]);
  });

  it('loses nothing at the end of the stream, or of the process', async () => {
    const { lines, writes } = joined();
    lines.write('one\n');
    lines.flush();
    expect(writes).toEqual(['one\n']);
    lines.write('two\n');
    lines.end('three\n');
    await nextTurn();
    expect(writes).toEqual(['one\n', 'two\nthree\n']);
  });
});

const limitsOf = (soft: string): string =>
  `Limit                     Soft Limit           Hard Limit           Units\nMax open files            ${soft}                 524288               files\n`;

describe('the number of files that a server may open', () => {
  const config = loadConfig({ LIMIT_CONNECTIONS: '4000', DATABASE_POOL_SIZE: '20' });

  it('is in a warning at the start if LIMIT_CONNECTIONS needs more', () => {
    expect(descriptorWarning(config, limitsOf('1024'))).toBe(
      'The process may open 1024 files, and LIMIT_CONNECTIONS=4000 needs 4120: raise LimitNOFILE (ulimit -n), or lower LIMIT_CONNECTIONS',
    );
  });

  it.each([limitsOf('4120'), limitsOf('unlimited'), ''])('is none if it is enough or unknown', (limits) => {
    expect(descriptorWarning(config, limits)).toBeUndefined();
  });
});
