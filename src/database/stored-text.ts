import { ServiceError } from '../kernel/errors.ts';
import { isStorable } from '../kernel/text.ts';

export { isStorable, storableForm } from '../kernel/text.ts';

const ROW_ID = /^[1-9]\d{0,17}$/;

/** @throws ServiceError 'parameter.invalid' when one of the texts cannot be stored as it is */
export function assertStorable(...texts: readonly (string | null | undefined)[]): void {
  if (!isStorable(...texts.map((text) => text ?? undefined))) {
    throw new ServiceError('parameter.invalid', 'A text holds a NUL character or half of a surrogate pair');
  }
}

/**
 * @returns true if the text can be the id of a row; any other text would make the query fail instead of finding no row
 */
export function isRowId(text: string): boolean {
  return ROW_ID.test(text);
}
