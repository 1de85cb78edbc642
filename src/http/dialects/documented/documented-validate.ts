import type { ValidateDialect } from '../dialect.ts';
import type { DocumentedEnvelope } from './documented-envelope.ts';

/** @returns the outcomes of /validate as published */
export function documentedValidate(envelope: DocumentedEnvelope): ValidateDialect {
  return {
    validated: (result, context) => envelope.value(context, result),
    validatedTransaction: ({ failCount, result }, context) =>
      envelope.value(context, { failcount: failCount, value: result }),
  };
}
