import type { RequestContext } from '../../request/exchange.ts';
import type { Failure, FailureDialect } from '../dialect.ts';
import type { DocumentedEnvelope } from './documented-envelope.ts';

/** @returns the answers to requests that failed as they are described */
export function documentedFailures(envelope: DocumentedEnvelope): FailureDialect {
  return {
    errorCode: ({ form }) => form.legacyCode,
    failure: (failure, context) => {
      const error = { code: failure.form.legacyCode, message: failureText(failure, context) };
      return envelope.reply(context, { status: false, error }, { status: failure.status });
    },
  };
}

function failureText({ error, form }: Failure, { usage }: RequestContext): string {
  const context = error.code === 'parameter.missing' && usage !== '' ? `Usage: ${usage} ` : '';
  return `${form.prefix}${context}${error.message}`;
}
