import { describe, expect, it } from '@jest/globals';
import { runProgram } from '../../../../src/cli/program.ts';
import { ServiceError } from '../../../../src/kernel/errors.ts';
import { fakeCli } from '../../fake-dependencies.ts';
import { fakeIo } from '../../fake-io.ts';

const PHASE_1 = { kind: 'phase1', serial: 'LSGO1', sharedSecret: 'ab', appImport: 'lseqr://init?a=1' };
const PHASE_2 = {
  kind: 'phase2',
  serial: 'LSGO1',
  nonce: 'cd',
  transactionId: '42',
  question: 'Q',
  signature: 'ef',
  callbackUrl: 'http://127.0.0.1:5001/ocra/check_t',
  appImport: 'lseqr://nonce?a=1',
};
const RIGHT = { known: true, dropped: false, failCount: 0, result: true };
const WRONG = { ...RIGHT, failCount: 1, result: false };
/** The state of the challenge after a response; the clock of these tests stands at 2026-11-20T12:00:00Z. */
const WAITING = {
  serial: 'LSGO1',
  validTan: false,
  dropped: false,
  active: true,
  locked: false,
  expiresAt: new Date('2026-11-20T12:20:00Z'),
};
const INVALID = new ServiceError('activation-code.invalid', 'The activation code is wrong: its checksum', {
  fault: 'checksum',
});

/**
 * @param answers each method's answers in turn, the last one for ever
 * @param typed the input
 */
function terminal(answers: Readonly<Record<string, readonly unknown[]>>, typed: readonly string[]) {
  const left = Object.fromEntries(Object.entries(answers).map(([name, list]) => [name, [...list]]));
  const inTurn = new Proxy(
    {},
    {
      get: (_target, name: string) => {
        const list = left[name] ?? [];
        return list.length > 1 ? list.shift() : list[0];
      },
    },
  );
  return fakeCli(inTurn, { io: fakeIo({ typed }) });
}

describe('token init at a terminal', () => {
  it('asks again for a wrong activation code and for a wrong response', async () => {
    const { dependencies, io, calls } = terminal(
      {
        'enrolment.init': [PHASE_1, INVALID, PHASE_2],
        'ocra.checkTransaction': [WRONG, RIGHT],
        'ocra.status': [[WAITING]],
      },
      ['', 'WRONG', 'GOODCODE', '000000', '123456'],
    );
    expect(await runProgram(['token', 'init', '--user', 'anna'], dependencies)).toBe(0);
    expect(io.prompts.filter((prompt) => prompt.startsWith('Activation code'))).toHaveLength(2);
    expect(io.err()).toBe(`${INVALID.message}\nwrong response; the fail counter of the token is 1\n`);
    expect(calls.filter(([name]) => name === 'ocra.checkTransaction')).toHaveLength(2);
  });

  it.each([[['token', 'init', '--user', 'anna', '--device']], [['challenge', 'issue', 'anna', '--device']]])(
    'makes nothing that the virtual device cannot keep, as its folder is read-only: %j',
    async (words) => {
      const { dependencies, io, calls } = terminal({}, ['']);
      expect(await runProgram(words, dependencies)).toBe(1);
      expect(calls).toEqual([]);
      expect(io.err()).toBe(
        'tankeeper: cannot write /nonexistent/.tankeeper-device.json.lock: there is no such file\n',
      );
    },
  );

  it('takes no virtual device in a script', async () => {
    const { dependencies, io, calls } = fakeCli({ 'enrolment.init': PHASE_1 });
    expect(await runProgram(['token', 'init', '--user', 'anna', '--device'], dependencies)).toBe(2);
    expect(io.err()).toContain('--device needs a terminal');
    expect(calls).toEqual([]);
  });
});

describe('challenge', () => {
  const ISSUED = {
    serial: 'LSGO1',
    transactionId: '42',
    question: 'Q',
    data: 'Pay?',
    url: 'lseqr://req?a=1',
    callbackUrl: 'http://127.0.0.1:5001/ocra/check_t',
  };

  it('shows the code and checks responses until one is accepted', async () => {
    const { dependencies, io, calls } = terminal(
      {
        'ocra.requestChallenge': [ISSUED],
        'ocra.checkTransaction': [WRONG, RIGHT],
        'ocra.status': [[WAITING]],
      },
      ['000000', '123456'],
    );
    expect(await runProgram(['challenge', 'issue', 'anna', 'Pay?'], dependencies)).toBe(0);
    expect(calls[0]?.[1]).toMatchObject({ user: 'anna', data: 'Pay?' });
    expect(io.err()).toBe('wrong response; the fail counter of the token is 1\n');
    expect(io.out().endsWith('transaction 42 of LSGO1 is open\naccepted\n')).toBe(true);
  });

  it.each([
    ['too many wrong responses', [{ ...WAITING, dropped: true }]],
    ['the challenge has expired', [{ ...WAITING, expiresAt: new Date('2026-11-20T12:00:00Z') }]],
    ['the token is disabled', [{ ...WAITING, active: false }]],
    ['the challenge is removed', []],
  ])('fails once the challenge takes no response any more: %s', async (reason, status) => {
    const { dependencies, io } = terminal(
      { 'ocra.requestChallenge': [ISSUED], 'ocra.checkTransaction': [WRONG], 'ocra.status': [status] },
      ['000000'],
    );
    expect(await runProgram(['challenge', 'issue', 'anna'], dependencies)).toBe(1);
    expect(io.err()).toContain(reason);
  });

  it('names the command that unlocks the token', async () => {
    const { dependencies, io } = terminal(
      {
        'ocra.requestChallenge': [ISSUED],
        'ocra.checkTransaction': [WRONG],
        'ocra.status': [[{ ...WAITING, locked: true }]],
      },
      ['000000', ''],
    );
    expect(await runProgram(['challenge', 'issue', 'anna'], dependencies)).toBe(0);
    expect(io.err()).toContain('which is locked: tankeeper token reset LSGO1\n');
  });
});
