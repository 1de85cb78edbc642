import type { ValidatedTransaction } from '../../../challenges/validation-service.ts';
import type { RequestContext } from '../../request/exchange.ts';
import type { Reply } from '../../reply.ts';
import type { ValidateDialect } from '../dialect.ts';
import { linotpReply, linotpValue } from './linotp-envelope.ts';
import { unicodeRepr } from './linotp-python-text.ts';

/** @returns the outcomes of /validate in the form of LinOTP 2.12.6 */
export function linotpValidate(version: string): ValidateDialect {
  return {
    validated: (result) => linotpReply(version, { result: { status: true, value: result }, id: 0 }),
    validatedTransaction: (validated, context) => validatedTransaction(version, validated, context),
  };
}

function validatedTransaction(
  version: string,
  { token, failCount, result }: ValidatedTransaction,
  { parameters }: RequestContext,
): Reply {
  if (token === undefined) {
    const transactionId = parameters.get('transactionid') ?? '';
    const failure = `No challenge for transaction ${unicodeRepr(transactionId)} found`;
    return linotpValue(version, { failure, value: false });
  }
  const { serial, type } = token;
  return linotpValue(
    version,
    { failcount: failCount, value: result },
    { failcount: failCount, token_type: type, serial, value: result },
  );
}
