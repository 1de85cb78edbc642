import { parseOcraSuite } from '../ocra/suite.ts';

/** The moments around a server's answer, by the device's clock. */
interface ObservedAnswer {
  readonly sentAt: Date;
  readonly receivedAt: Date;
  /** The header `Date` of the answer (RFC 9110 §6.6.1); null where there is none. */
  readonly dateHeader: string | null;
}

/** The header has whole seconds: the server's clock is half a second further on average. */
const MEAN_FRACTION_MS = 500;

/**
 * Compares the clocks of device and server: in the middle between request and answer.
 * @returns seconds, rounded, by which the server's clock is ahead of the device's; negative: behind. Undefined without a
 *   readable header. Right to a second, and half of the time that the answer took
 */
export function clockOffset({ sentAt, receivedAt, dateHeader }: ObservedAnswer): number | undefined {
  const server = Date.parse(dateHeader ?? '') + MEAN_FRACTION_MS;
  const device = (sentAt.getTime() + receivedAt.getTime()) / 2;
  const offset = Math.round((server - device) / 1_000);
  return Number.isNaN(offset) ? undefined : offset;
}

/**
 * @param suite the text of an OCRA suite
 * @param offsetSeconds as `clockOffset` tells it
 * @returns true where the device's clock is a whole time step off or more, so that its responses may be refused; false
 *   for suites without T, which use no clock
 * @throws ServiceError 'suite.invalid'
 */
export function isClockTooFarOff(suite: string, offsetSeconds: number): boolean {
  const { timeStep } = parseOcraSuite(suite);
  return timeStep !== undefined && Math.abs(offsetSeconds) >= timeStep;
}
