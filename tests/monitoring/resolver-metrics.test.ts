import { describe, expect, it } from '@jest/globals';
import { ServiceError } from '../../src/kernel/errors.ts';
import { ServiceMetrics } from '../../src/observability/metrics.ts';
import { observed } from '../../src/resolvers/sources/user-sources.ts';
import type { UserSource } from '../../src/resolvers/user-source.ts';

const CLOCK = { now: () => new Date(42_000) };
const USER = { userId: '1', login: 'ann', givenName: '', surname: '', email: '', phone: '' };

const answering: UserSource = {
  findByLogin: () => Promise.resolve(USER),
  findById: () => Promise.resolve(undefined),
  list: () => Promise.resolve([USER]),
  count: () => Promise.resolve(7),
  examine: () => Promise.resolve({ entries: 7, users: 7, withoutId: 0, withoutLogin: 0, sharingId: 0 }),
  checkPassword: () => Promise.resolve(false),
};

describe('the health of resolvers', () => {
  it.each<[string, (source: UserSource) => Promise<unknown>]>([
    ['findByLogin', (source) => source.findByLogin('ann')],
    ['findById', (source) => source.findById('1')],
    ['examine', (source) => source.examine()],
    ['list', (source) => source.list()],
    ['count', (source) => source.count()],
    ['checkPassword', (source) => source.checkPassword('1', 'x')],
  ])('is that of their last use: %s', async (method, use) => {
    const metrics = new ServiceMetrics({ clock: CLOCK });
    let error: Error | undefined = new ServiceError('resolver.unavailable', 'no');
    const source = observed(
      {
        ...answering,
        [method]: (...given: never[]) =>
          error === undefined
            ? (answering[method as keyof UserSource] as (...given: never[]) => Promise<unknown>)(...given)
            : Promise.reject(error),
      },
      (isAnswered) => {
        metrics.resolvers.resolverUsed('people', isAnswered);
      },
    );
    expect(await metrics.text()).not.toContain('tankeeper_resolver_up{');
    await expect(use(source)).rejects.toThrow('no');
    expect(await metrics.text()).toMatch(/^tankeeper_resolver_up\{resolver="people"\} 0$/m);
    error = undefined;
    await use(source);
    // A fault of ours says nothing about the resolver.
    error = new ServiceError('database.unavailable', 'away');
    await expect(use(source)).rejects.toThrow('away');
    const text = await metrics.text();
    expect(text).toMatch(/^tankeeper_resolver_up\{resolver="people"\} 1$/m);
    expect(text).toMatch(/^tankeeper_resolver_last_success_timestamp_seconds\{resolver="people"\} 42$/m);
    expect(text).toMatch(/^tankeeper_resolver_requests_total\{resolver="people",outcome="unavailable"\} 1$/m);
    expect(text).toMatch(/^tankeeper_resolver_requests_total\{resolver="people",outcome="answered"\} 1$/m);
  });

  it('has a hundred resolvers with names, and all others together', async () => {
    const metrics = new ServiceMetrics({ clock: CLOCK });
    for (let index = 0; index < 105; index += 1) {
      metrics.resolvers.resolverUsed(`r${index}`, true);
    }
    const text = await metrics.text();
    expect(text.match(/^tankeeper_resolver_up\{/gm)).toHaveLength(101);
    expect(text).toMatch(/^tankeeper_resolver_requests_total\{resolver="\(other\)",outcome="answered"\} 5$/m);
  });
});
