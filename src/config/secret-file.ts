import { readFileSync } from 'node:fs';
import { ServiceError } from '../kernel/errors.ts';

/**
 * @param variable the variable that named the file, for the message
 * @returns the file's text without the line end at its end
 * @throws ServiceError 'configuration.invalid' when it cannot be read or is empty
 */
export function readSecretFile(variable: string, file: string): string {
  let content: string;
  try {
    content = readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  } catch (cause) {
    const reason = (cause as NodeJS.ErrnoException).code ?? 'unreadable';
    throw new ServiceError('configuration.invalid', `${variable}='${file}' cannot be read (${reason}).`, {
      cause,
    });
  }
  if (content === '') {
    throw new ServiceError('configuration.invalid', `${variable}='${file}' is empty.`);
  }
  return content;
}
