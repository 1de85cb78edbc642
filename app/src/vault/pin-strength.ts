/** `refused`: guessed within the first tries. `weak`: allowed with a warning. */
type Strength = 'refused' | 'weak' | 'good';

/** The reason why a PIN or passphrase is not good; `none` if it is. */
export type StrengthReason =
  'none' | 'short' | 'long' | 'pattern' | 'common' | 'few-characters' | 'guessable';

export interface StrengthVerdict {
  readonly strength: Strength;
  readonly reason: StrengthReason;
}

const MIN_PIN_LENGTH = 4;
const MIN_PASSPHRASE_LENGTH = 8;
/** A thief of the file can guess for years, without the device key that a PIN has beside it. */
const MIN_BACKUP_PASSPHRASE_LENGTH = 12;
/** PBKDF2 takes any length; this one keeps a pasted document out. */
const MAX_LENGTH = 200;

/** PINs that people choose most often beside the patterns: columns of the keypad, words on its letters, dates. */
// prettier-ignore
const COMMON_PINS: ReadonlySet<string> = new Set([
  '0007', '0070', '0815', '0852', '1004', '1010', '1313', '1337', '1342', '1478', '1590', '1998', '2000',
  '2001', '2468', '2580', '3690', '4200', '4711', '5683', '6969', '7410', '8520', '1379', '1397', '9630',
  '00700', '12321', '11223', '14789', '159357', '147258', '112233', '123321', '147852', '258456', '696969',
  '789456', '123654', '789456123', '147258369', '123456123456', '1123581321', '31415926', '3141592653',
]);

/** @returns the judgement of a PIN: digits, or a passphrase of letters and digits */
export function judgePin(pin: string): StrengthVerdict {
  if (!/^\d*$/.test(pin)) {
    return judgePassphrase(pin, MIN_PASSPHRASE_LENGTH);
  }
  if (pin.length < MIN_PIN_LENGTH) {
    return refused('short');
  }
  if (pin.length > MAX_LENGTH) {
    return refused('long');
  }
  if (isPattern(pin)) {
    return refused('pattern');
  }
  if (COMMON_PINS.has(pin)) {
    return refused('common');
  }
  return pin.length < 6 || isDate(pin) ? { strength: 'weak', reason: 'guessable' } : GOOD;
}

/** @returns the judgement of the passphrase of a backup */
export function judgeBackupPassphrase(passphrase: string): StrengthVerdict {
  return judgePassphrase(passphrase, MIN_BACKUP_PASSPHRASE_LENGTH);
}

const GOOD: StrengthVerdict = { strength: 'good', reason: 'none' };

function judgePassphrase(passphrase: string, shortest: number): StrengthVerdict {
  const characters = Array.from(passphrase);
  if (characters.length < shortest) {
    return refused('short');
  }
  if (characters.length > MAX_LENGTH) {
    return refused('long');
  }
  if (new Set(characters).size < 5) {
    return refused('few-characters');
  }
  if (/^(?:1234567890|passwor[dt]|qwert[yz]uiop|tankeeper|iloveyou)[\d!?.]*$/i.test(passphrase)) {
    return refused('common');
  }
  return characters.length < 16 || /^\d+$/.test(passphrase)
    ? { strength: 'weak', reason: 'guessable' }
    : GOOD;
}

function refused(reason: StrengthReason): StrengthVerdict {
  return { strength: 'refused', reason };
}

/** One digit, a run up or down (9 and 0 are neighbours), or one or two digits repeated. */
function isPattern(pin: string): boolean {
  const steps = Array.from(pin)
    .slice(1)
    .map((digit, place) => (Number(digit) - Number(pin[place]) + 10) % 10);
  const isEven = steps.every((step) => step === steps[0]);
  return (isEven && [0, 1, 9].includes(steps[0] ?? 0)) || /^(\d{1,2})\1+$/.test(pin);
}

/** Day and month, with a year of two or four digits or none; or a year. */
function isDate(pin: string): boolean {
  return /^(?:(?:0[1-9]|[12]\d|3[01])(?:0[1-9]|1[0-2])|(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01]))?(?:(?:19|20)?\d\d)?$/.test(
    pin,
  );
}
