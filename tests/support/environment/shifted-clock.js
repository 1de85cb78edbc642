import { readFileSync } from 'node:fs';
import process from 'node:process';

/*
 * For `node --import`: shifts the clock of the process by the milliseconds in the file that
 * TEST_CLOCK_SHIFT_FILE names. SIGUSR2 reads it again: the clock jumps.
 */

const RealDate = globalThis.Date;
const readShift = () => Number(readFileSync(process.env.TEST_CLOCK_SHIFT_FILE, 'utf8'));
let shift = readShift();
process.on('SIGUSR2', () => {
  shift = readShift();
});

globalThis.Date = class Date extends RealDate {
  constructor(...given) {
    if (given.length === 0) {
      super(Date.now());
    } else {
      super(...given);
    }
  }

  static now() {
    return RealDate.now() + shift;
  }
};
