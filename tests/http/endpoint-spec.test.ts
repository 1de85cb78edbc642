import { describe, expect, it } from '@jest/globals';
import type { z } from 'zod';
import type { AdministratorSpec } from '../../src/http/endpoint-spec.ts';

type Requires = AdministratorSpec<z.ZodRawShape>['requires'];

describe('an endpoint for administrators', () => {
  it('cannot be declared as one that anybody may call', () => {
    // @ts-expect-error -- no credential at all
    const nothing: Requires = 'nothing';
    // @ts-expect-error -- a link proves no administrator
    const link: Requires = 'link';
    // @ts-expect-error -- nor does a transaction
    const transaction: Requires = 'transaction';
    // @ts-expect-error -- nor a sign-in under way
    const signIn: Requires = 'sign-in';
    const possible: readonly Requires[] = ['credential', 'password', 'system:read'];
    expect(possible).not.toEqual(expect.arrayContaining([nothing, link, transaction, signIn]));
  });
});
