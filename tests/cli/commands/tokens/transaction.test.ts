import { describe, expect, it } from '@jest/globals';
import type { TransactionHistory } from '../../../../src/challenges/transaction-service.ts';
import { runProgram } from '../../../../src/cli/program.ts';
import { fakeCli } from '../../fake-dependencies.ts';

const HISTORY: TransactionHistory = {
  transactionId: '0123456789abcdef0123',
  serial: 'OCRA1',
  realms: ['north', 'south'],
  isStored: true,
  data: 'pay 10 \u001b[31m',
  isDataWithheld: false,
  code: null,
  state: 'accepted',
  more: 3,
  events: [
    {
      at: '2026-11-20T12:00:00.123000Z',
      event: 'issued',
      reason: '',
      action: 'ocra/request',
      actor: 'portal',
      client: '192.0.2.7',
      requestId: 'r1',
      derived: false,
    },
    {
      at: '2026-11-20T12:00:09.000000Z',
      event: 'refused',
      reason: 'replay',
      action: 'ocra/check_t',
      actor: '',
      client: '192.0.2.8',
      requestId: 'r2',
      derived: false,
    },
  ],
};

describe('tankeeper transaction show', () => {
  it('shows the transaction and its events, and that there are more', async () => {
    const { dependencies, io, calls } = fakeCli({ 'transactions.history': HISTORY });
    expect(await runProgram(['transaction', 'show', '0123456789abcdef0123'], dependencies)).toBe(0);
    expect(calls).toEqual([['transactions.history', '0123456789abcdef0123']]);
    expect(io.out()).toMatch(/State +accepted\n/);
    expect(io.out()).toMatch(/Realms +north, south\n/);
    expect(io.out()).toMatch(/2026-11-20T12:00:00.123Z +issued +ocra\/request +portal +192.0.2.7 +r1\n/);
    expect(io.out()).toMatch(/refused +replay +ocra\/check_t +192.0.2.8 +r2\n/);
    expect(io.out()).toMatch(/and 3 more: tankeeper audit search --transaction 0123456789abcdef0123\n$/);
    expect(io.out()).not.toContain('\u001b[31m');
  });

  it('gives scripts one object', async () => {
    const { dependencies, io } = fakeCli({ 'transactions.history': HISTORY });
    expect(await runProgram(['transaction', 'show', 'x', '--json'], dependencies)).toBe(0);
    expect(JSON.parse(io.out())).toEqual({
      transactionid: '0123456789abcdef0123',
      serial: 'OCRA1',
      realms: ['north', 'south'],
      state: 'accepted',
      stored: true,
      data: HISTORY.data,
      code: null,
      more: 3,
      events: HISTORY.events.map(({ requestId, ...event }) => ({ ...event, requestid: requestId })),
    });
  });
});
