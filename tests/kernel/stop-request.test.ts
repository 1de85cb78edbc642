import { getEventListeners } from 'node:events';

import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { unlessAborted, untilAborted } from '../../src/kernel/stop-request.ts';

const REASON = new Error('stop');

describe('untilAborted', () => {
  it('resolves when the signal is aborted, not before', async () => {
    const { signal, abort } = controller();
    let isOver = false;
    const waiting = untilAborted(signal).then(() => {
      isOver = true;
    });
    await Promise.resolve();
    expect(isOver).toBe(false);
    abort();
    await waiting;
  });

  it('resolves at once for a signal that is aborted already', async () => {
    await expect(untilAborted(AbortSignal.abort())).resolves.toBeUndefined();
  });
});

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
