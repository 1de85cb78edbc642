import { describe, expect, it } from '@jest/globals';
import { clockOffset, isClockTooFarOff } from '../../src/device/response-request.ts';

const at = (milliseconds: number): Date => new Date(Date.parse('2026-11-20T12:00:00Z') + milliseconds);

function offset(sent: number, received: number, dateHeader: string | null): number | undefined {
  return clockOffset({ sentAt: at(sent), receivedAt: at(received), dateHeader });
}

describe("the difference between the server's clock and the device's", () => {
  const NOON = 'Fri, 20 Nov 2026 12:00:00 GMT';

  it.each([
    [0, 1_000, NOON, 0],
    [400, 600, NOON, 0],
    [90_400, 90_600, NOON, -90],
    [-3_599_600, -3_599_400, NOON, 3_600],
    [0, 20_000, 'Fri, 20 Nov 2026 12:00:10 GMT', 1],
  ])('sent at %i ms, received at %i ms, answered %s: %i s', (sent, received, header, seconds) => {
    expect(offset(sent, received, header)).toBeCloseTo(seconds, 9);
  });

  it.each([null, '', 'yesterday'])('is unknown with the header %j', (header) => {
    expect(offset(0, 1, header)).toBeUndefined();
  });

  it('is too much from a whole time step on, and never without T', () => {
    const suite = 'OCRA-1:HOTP-SHA256-8:QN08-T1M';
    expect([59, -59, 60, -60].map((seconds) => isClockTooFarOff(suite, seconds))).toEqual([
      false,
      false,
      true,
      true,
    ]);
    expect(isClockTooFarOff('OCRA-1:HOTP-SHA256-8:QN08-T30S', 30)).toBe(true);
    expect(isClockTooFarOff('OCRA-1:HOTP-SHA256-8:C-QN08', 99_999)).toBe(false);
  });
});
