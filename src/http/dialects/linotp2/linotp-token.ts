import type { ResolverKind } from '../../../configuration/configuration.ts';
import type { DescribedToken } from '../../../tokens/token-view.ts';
import { ServiceError } from '../../../kernel/errors.ts';
import { parseOcraSuite } from '../../../ocra/suite.ts';
import { resolverClass } from '../shared/resolver-class.ts';

/** LinOTP's default, which its table contains for token types without digits of their own. */
const USUAL_DIGITS = 6;

/**
 * A token as LinOTP 2.12.6 lists it. `LinOtp.IdResolver` is the resolver in place of the path of a passwd file.
 * Resolvers are not queried for descriptions of users, so that a listing of tokens requires none of them.
 */
export function linotpToken(
  token: DescribedToken,
  kinds: ReadonlyMap<string, ResolverKind>,
): Record<string, unknown> {
  const { owner } = token;
  const resolver =
    owner === null ? '' : resolverClass(owner.resolver, kinds.get(owner.resolver) ?? 'managed');
  return {
    'LinOtp.OtpLen': digitsOf(token.ocraSuite),
    'LinOtp.TokenType': token.type,
    'LinOtp.TokenSerialnumber': token.serial,
    'LinOtp.CountWindow': token.counterWindow,
    'User.description': '',
    'LinOtp.IdResClass': resolver,
    'LinOtp.RealmNames': token.realms,
    'LinOtp.Count': Number(token.counter),
    'User.userid': owner?.userId ?? '',
    'LinOtp.TokenId': Number(token.id),
    'LinOtp.TokenInfo':
      token.ocraSuite === null ? '' : `{\n"ocrasuite": ${JSON.stringify(token.ocraSuite)}\n}`,
    'LinOtp.FailCount': token.failCount,
    'LinOtp.MaxFail': token.maxFail,
    'User.username': owner?.login ?? '',
    'LinOtp.LastAuthSuccess': '',
    'LinOtp.SyncWindow': token.syncWindow,
    'LinOtp.LastAuthMatch': '',
    'LinOtp.TokenDesc': token.description,
    'LinOtp.IdResolver': resolver,
    'LinOtp.Userid': owner?.userId ?? '',
    'LinOtp.CreationDate': token.createdAt.toUTCString(),
    'LinOtp.Isactive': token.active,
  };
}

function digitsOf(suite: string | null): number {
  if (suite === null) {
    return USUAL_DIGITS;
  }
  try {
    const { truncation } = parseOcraSuite(suite);
    return truncation === 0 ? USUAL_DIGITS : truncation;
  } catch (error) {
    if (error instanceof ServiceError) {
      return USUAL_DIGITS;
    }
    throw error;
  }
}
