import { clockOffset, isClockTooFarOff } from '../../../src/device/response-request.ts';
import type { ShownChallenge } from './open-code.ts';

const TIMEOUT_MS = 3_000;

/**
 * Compares this device's clock with the server's, for suites that use the time. Only the answers of the app's own host
 * have a readable date, so the comparison needs a response that goes there.
 * @returns seconds by which the server is ahead, if that is enough to spoil responses; else undefined
 */
export async function harmfulClockOffset({
  challenge,
  destination,
}: ShownChallenge): Promise<number | undefined> {
  if (destination.kind !== 'sent' || destination.host !== location.host) {
    return undefined;
  }
  const sentAt = new Date();
  try {
    const answer = await fetch('./manifest.webmanifest', {
      method: 'HEAD',
      cache: 'no-store',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const offset = clockOffset({
      sentAt,
      receivedAt: new Date(),
      dateHeader: answer.headers.get('date'),
    });
    return offset !== undefined && isClockTooFarOff(challenge.token.suite, offset) ? offset : undefined;
  } catch {
    return undefined;
  }
}
