import { ServiceError } from '../kernel/errors.ts';

declare module '../kernel/errors.ts' {
  interface ErrorPayloads {
    'import.refused': NoPayload;
  }
}

/** @returns the refusal of an import before it has changed anything */
export function importRefused(message: string): ServiceError {
  return new ServiceError('import.refused', message);
}
