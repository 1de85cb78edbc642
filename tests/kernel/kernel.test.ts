import { describe, expect, it } from '@jest/globals';
import { ServiceError } from '../../src/kernel/errors.ts';
import { equalBytes, equalText } from '../../src/kernel/constant-time.ts';
import {
  parseDuration,
  parseExpiry,
  parsePastInstant,
  type Random,
  randomText,
} from '../../src/kernel/clock.ts';
import { systemRandom } from '../../src/kernel/system-random.ts';
import { refusalOf } from '../support/values/refusal.ts';
import { describeFault } from '../../src/kernel/log.ts';
import { getEventListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { unlessAborted } from '../../src/kernel/stop-request.ts';

describe('comparison in constant time', () => {
  it('finds the same equal and anything else not', () => {
    expect(equalText('12345678', '12345678')).toBe(true);
    expect(equalText('', '')).toBe(true);
    expect(equalText('12345678', '12345679')).toBe(false);
    expect(equalText('12345678', '1234567')).toBe(false);
    expect(equalText('é', 'e\u0301')).toBe(false);
    expect(equalBytes(Buffer.from([0]), Buffer.from([0, 0]))).toBe(false);
    expect(equalBytes(Buffer.from([1, 2]), Uint8Array.of(1, 2))).toBe(true);
  });
});

describe('time and randomness of the system', () => {
  it('random text draws each character from the alphabet', () => {
    const draws = [2, 0, 1];
    const random: Random = { bytes: (size) => Buffer.alloc(size), below: () => draws.shift() ?? 0 };
    expect(randomText(random, 'abc', 3)).toBe('cab');
    expect(randomText(systemRandom, '01', 64)).toMatch(/^[01]{64}$/);
  });
});

describe('a duration', () => {
  it.each([
    ['300', 300],
    ['0', 0],
    ['20M', 1200],
    ['1D2H3M4S', 93_784],
    [' 2h ', 7200],
    ['1D', 86_400],
    ['90S', 90],
    ['10D', 864_000],
    ['12h30m', 45_000],
    ['999999999', 999_999_999],
  ])('%s is %i seconds', (text, seconds) => {
    expect(parseDuration(text)).toBe(seconds);
  });

  it.each(['', ' ', 'M', '1M2H', '1.5H', '-5', '5X', '1H1H', '1e3', '9'.repeat(10), '٣M'])(
    '%j is none',
    (text) => {
      expect(refusalOf(() => parseDuration(text))).toMatchObject({
        code: 'duration.invalid',
        message: `Not a duration: '${text}'. Use seconds (300) or a form like 1D2H3M4S.`,
      });
    },
  );
});

const NOW = new Date('2026-11-20T12:00:00Z');

describe('an instant', () => {
  it.each([
    ['2026-11-01', '2026-11-01T00:00:00.000Z'],
    [' 2026-11-01T08:30Z ', '2026-11-01T08:30:00.000Z'],
    ['2026-11-01T08:30:00.123456Z', '2026-11-01T08:30:00.123Z'],
    ['2026-11-01T08:30:00+01:00', '2026-11-01T07:30:00.000Z'],
    ['30M', '2026-11-20T11:30:00.000Z'],
    ['1h', '2026-11-20T11:00:00.000Z'],
    ['2D', '2026-11-18T12:00:00.000Z'],
    ['1W', '2026-11-13T12:00:00.000Z'],
    ['1D12H', '2026-11-19T00:00:00.000Z'],
  ])('is read from %j', (text, expected) => {
    expect(parsePastInstant(text, NOW).toISOString()).toBe(expected);
  });

  // prettier-ignore
  it.each([
    '', ' ', 'soon', '2026', '20261101', '300', '-1H', '1X', '1H1H', '1W2D', '2026-02-30', '2026-11-01T08:30',
    '0000-01-01', '1969-12-31', '99999W', '999999999D', '2026-13-01', '2026-11-01T25:00Z',
  ])('is not read from %j', (text) => {
    expect(() => parsePastInstant(text, NOW)).toThrow('It must be a date');
  });
});

describe('an expiry', () => {
  it.each([
    ['2027-01-31', '2027-01-31T00:00:00.000Z'],
    ['2027-01-31T12:00:00Z', '2027-01-31T12:00:00.000Z'],
    ['2027-01-31T12:00:00+01:00', '2027-01-31T11:00:00.000Z'],
    ['90D', '2027-02-18T12:00:00.000Z'],
    ['1h', '2026-11-20T13:00:00.000Z'],
  ])('is a date, a time or a duration from now: %s', (text, instant) => {
    expect(parseExpiry(text, NOW)?.toISOString()).toBe(instant);
  });

  it.each([
    '',
    'soon',
    '2027-13-01',
    '2027-02-30',
    '2027-02-30T12:00:00Z',
    '31.01.2027',
    '2027-01-31T12:00:00',
    '99999999D',
    '999999999D',
  ])('%j is none', (text) => {
    expect(parseExpiry(text, NOW)).toBeUndefined();
  });
});

describe('describeFault', () => {
  it('never repeats a message, which may quote what a client sent', () => {
    const cause = Object.assign(new Error('invalid input: "topsecret"\n    at topsecret (x.ts:1:1)'), {
      code: '22P02',
    });
    const error = new ServiceError('internal', 'pass topsecret refused', { detail: 'vault of token', cause });
    const described = describeFault(error);
    expect(JSON.stringify(described)).not.toContain('topsecret');
    expect(described.fault).toBe('ServiceError internal < Error 22P02');
    expect(described.faultDetail).toBe('vault of token');
    expect(described.stack).toContain('kernel.test.ts');
  });

  it('says where the innermost error was made, in twenty frames at most, each a line', () => {
    const cause = errorWith('Error: inner\n    at one (a.ts:1:1)\n\tat two (b.ts:2:2)\nno at frame', 'inner');
    const error = Object.assign(errorWith('Error: outer\n    at outer (o.ts:1:1)', 'outer'), { cause });
    expect(describeFault(error).stack).toBe('    at one (a.ts:1:1)\n\tat two (b.ts:2:2)');
    const frames = Array.from({ length: 30 }, (_, index) => `    at f${index} (a.ts:1:1)`);
    const deep = errorWith(`Error: x\n${frames.join('\n')}`, 'x');
    expect(describeFault(deep).stack).toBe(frames.slice(0, 20).join('\n'));
  });

  it('passes over what a message without an end has in common with frames', () => {
    const error = errorWith(
      'Error: x\n    at topsecret (x.ts:1:1)\n    at real (r.ts:1:1)',
      'x\n    at topsecret (x.ts:1:1)',
    );
    expect(describeFault(error).stack).toBe('    at real (r.ts:1:1)');
    expect(describeFault(errorWith('    at first (f.ts:1:1)\n    at next (n.ts:1:1)', '')).stack).toBe(
      '    at first (f.ts:1:1)\n    at next (n.ts:1:1)',
    );
  });

  it('names no more than the kind of a code that is not a word', () => {
    const error = Object.assign(new Error('x'), { code: 'pass=topsecret' });
    expect(describeFault(error).fault).toBe('Error');
  });

  it('comes to an end with causes in a circle', () => {
    const error = new Error('a');
    error.cause = error;
    expect(describeFault(error).fault).toBe('Error < Error < Error < Error < Error');
  });
});

function errorWith(stack: string | undefined, message: string): Error {
  const error = new Error(message);
  Object.defineProperty(error, 'stack', { value: stack });
  return error;
}

const REASON = new Error('stop');

describe('unlessAborted', () => {
  it('leaves no listener behind, as one signal serves every attempt to connect', async () => {
    const { signal } = new AbortController();
    await unlessAborted(Promise.resolve(7), signal);
    await unlessAborted(Promise.reject(new Error('away')), signal).catch(() => undefined);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('is what the work comes to where nobody aborts it', async () => {
    const { signal } = controller();
    const failure = new Error('the work failed');
    await expect(unlessAborted(Promise.resolve(7), signal)).resolves.toBe(7);
    await expect(unlessAborted(Promise.resolve(7), undefined)).resolves.toBe(7);
    await expect(unlessAborted(Promise.reject(failure), signal)).rejects.toBe(failure);
  });

  it('fails with the reason of the signal as soon as it is aborted, however long the work takes', async () => {
    const { signal, abort } = controller();
    const outcome = unlessAborted(new Promise(() => undefined), signal);
    abort();
    await expect(outcome).rejects.toBe(REASON);
  });

  it('fails so, too, for a signal that was aborted before', async () => {
    const { signal, abort } = controller();
    abort();
    await expect(unlessAborted(new Promise(() => undefined), signal)).rejects.toBe(REASON);
  });

  it('lets work that nobody waits for any more fail in silence', async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown): void => void unhandled.push(reason);
    process.on('unhandledRejection', note);
    const { signal, abort } = controller();
    const late = sleep(10).then(() => {
      throw new Error('too late');
    });
    const outcome = unlessAborted(late, signal);
    abort();
    await expect(outcome).rejects.toBe(REASON);
    await sleep(50);
    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
  });
});

function controller(): { readonly signal: AbortSignal; readonly abort: () => void } {
  const aborting = new AbortController();
  return {
    signal: aborting.signal,
    abort: () => {
      aborting.abort(REASON);
    },
  };
}
