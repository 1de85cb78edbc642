import { isServiceError } from '../kernel/errors.ts';
import { type ResolverUnavailable, unavailableResolvers } from '../resolvers/resolver-unavailable.ts';
import { CliFailure } from './cli-failure.ts';
import type { Services } from '../services.ts';

/**
 * Adds server and realms to the failure of a resolver; the operator may see both.
 * @returns the failure to report
 */
export async function withServerAndRealm(
  error: unknown,
  { realms }: Pick<Services, 'realms'>,
): Promise<unknown> {
  const failed =
    isServiceError(error, 'resolver.unavailable') || isServiceError(error, 'resolver.invalid')
      ? unavailableResolvers(error)
      : [];
  if (failed.length === 0) {
    return error;
  }
  const known = await realms.list().catch(() => []);
  const textOf = (failure: ResolverUnavailable): string => {
    const names = known
      .filter(({ resolvers }) => resolvers.includes(failure.resolver))
      .map(({ name }) => name);
    return (names.length === 0 ? failure : failure.inRealm(names.join(', '))).describe();
  };
  return new CliFailure([...new Set(failed.map(textOf))].join('; '));
}
