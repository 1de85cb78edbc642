/** Converts times without a zone, as LinOTP stores them. */
export class LocalTime {
  readonly #format: Intl.DateTimeFormat;

  /**
   * @param zone such as `Europe/Berlin`
   * @throws RangeError for an unknown zone
   */
  constructor(zone: string) {
    this.#format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      era: 'short',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  }

  /**
   * @param text `2026-11-20 12:41:56.834598` in the zone
   * @returns undefined for another form
   */
  read(text: string): Date | undefined {
    const local = readUtc(text);
    if (local === undefined) {
      return undefined;
    }
    // The offset at the wrong instant may be another one around a change of daylight saving time: ask twice.
    const first = local.getTime() - this.#offset(local);
    return new Date(local.getTime() - this.#offset(new Date(first)));
  }

  /** @returns milliseconds that the zone is ahead of UTC at this instant */
  #offset(instant: Date): number {
    const parts = this.#format.formatToParts(instant);
    const part = (type: string): number => Number(parts.find((one) => one.type === type)?.value ?? 0);
    const shown = Date.UTC(
      ...([part('year'), part('month') - 1, part('day')] as const),
      ...([part('hour'), part('minute'), part('second')] as const),
    );
    return shown - Math.floor(instant.getTime() / 1000) * 1000;
  }
}

/**
 * @param text `2026-11-20 12:41:56` or with a fraction, in UTC
 * @returns undefined for another form
 */
export function readUtc(text: string): Date | undefined {
  const match = /^((?!0000)\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(\.\d{1,3})?\d*$/.exec(text.trim());
  if (match === null) {
    return undefined;
  }
  const [, day = '', time = '', fraction = ''] = match;
  const date = new Date(`${day}T${time}${fraction}Z`);
  return Number.isNaN(date.getTime()) ? undefined : date;
}
