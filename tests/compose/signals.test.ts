import { describe, expect, it } from '@jest/globals';
import { EventEmitter } from 'node:events';
import { watchSignals } from '../../src/compose/process.ts';

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

  it('tell which was the first, for SIGTERM alone lets a server drain', () => {
    const fake = new FakeProcess();
    expect(fake.signals.first()).toBeUndefined();
    fake.signal('SIGTERM');
    fake.signal('SIGINT', 2_001);
    expect(fake.signals.first()).toBe('SIGTERM');
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

  it('become urgent in time for somebody who keeps the keys pressed', () => {
    const fake = new FakeProcess();
    for (let press = 0; press < 80; press += 1) {
      fake.signal('SIGINT', 30);
    }
    expect(fake.state).toEqual(URGENT);
  });

  it('have their usual effect again once nobody waits for them', () => {
    const fake = new FakeProcess();
    fake.signals.release();
    fake.signal('SIGINT');
    expect(fake.state).toEqual({ ...NOTHING, exits: [-1] });
  });
});
