import { InvalidArgumentError } from 'commander';
import { type Clock, parsePastInstant } from '../kernel/clock.ts';
import { isServiceError } from '../kernel/errors.ts';

/** @returns a reader of whole numbers within bounds, for an option */
export function wholeNumberOption(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
    if (Number.isNaN(value) || value < min || value > max) {
      throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
    }
    return value;
  };
}

/**
 * The instant of an option. To be read when the services are open: a duration counts from the time of the service, which
 * is not known before.
 */
export type OptionInstant = () => Date;

/**
 * @returns a reader of a date, a time or a duration back from now, for an option
 * @param clock tells now
 */
export function pastInstantOption(clock: Clock): (text: string) => OptionInstant {
  return (text) => {
    const read = (): Date => {
      try {
        return parsePastInstant(text, clock.now());
      } catch (error) {
        throw isServiceError(error) ? new InvalidArgumentError(`${error.message}.`) : error;
      }
    };
    read();
    return read;
  };
}
