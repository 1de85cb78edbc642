import type { FailureDialect } from '../dialect.ts';
import { failureText } from '../shared/failure-text.ts';
import type { DocumentedEnvelope } from './documented-envelope.ts';

/** @returns the answers to failed requests as published; the published interface is in English */
export function documentedFailures(envelope: DocumentedEnvelope): FailureDialect {
  return {
    errorCode: ({ form }) => form.legacyCode,
    failure: (failure, context) => {
      const error = {
        code: failure.form.legacyCode,
        message: failureText(failure, { usage: context.usage, language: 'en' }),
      };
      return envelope.reply(context, { status: false, error }, { status: failure.status });
    },
  };
}
