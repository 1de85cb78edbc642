import { ServiceError } from '../../kernel/errors.ts';

/** @returns the error that names where it is */
export function invalid(line: number, element: string, message: string): ServiceError {
  const where = element === '' ? `line ${line}` : `line ${line}, element ${element.slice(0, 100)}`;
  return new ServiceError('key-file.invalid', `The key file is wrong in ${where}: ${message}`);
}

/** @returns the line, from 1, that the character at `index` is in */
export function lineOf(text: string, index: number): number {
  return lineCounter(text)(index);
}

/** @returns as `lineOf`, for ascending positions: each line end is looked for and counted once */
export function lineCounter(text: string): (index: number) => number {
  let line = 1;
  let end = text.indexOf('\n');
  return (index) => {
    while (end !== -1 && end < index) {
      line += 1;
      end = text.indexOf('\n', end + 1);
    }
    return line;
  };
}
