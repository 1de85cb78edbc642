import { ServiceError } from '../../kernel/errors.ts';

/** @returns a ServiceError 'key-file.invalid' that names line and element */
export function invalid(line: number, element: string, message: string): ServiceError {
  const where = element === '' ? `line ${line}` : `line ${line}, element ${element.slice(0, 100)}`;
  return new ServiceError('key-file.invalid', `The key file is wrong in ${where}: ${message}`);
}

/** @returns the line, from 1, of the character at `index` */
export function lineOf(text: string, index: number): number {
  return lineCounter(text)(index);
}

/** @returns a function like `lineOf`, for ascending positions: it searches and counts each line end once */
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
