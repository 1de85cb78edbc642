import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { personAddress, tokenAddress, tokensAddress } from '../../../console/src/helpdesk/addresses.ts';
import { pageIn } from '../../../console/src/shell/use-view.ts';
import { part, readAddress, readPart, viewAddress } from '../../../console/src/shell/page-address.ts';

describe('the addresses of the helpdesk', () => {
  it('leave usual names as they are', () => {
    expect(tokenAddress('QR-1_a')).toBe('/tokens/QR-1_a');
    expect(personAddress({ user: 'anna.musk@x', realm: 'north', resolver: 'people' })).toBe(
      '/people/north/people/anna.musk@x',
    );
  });

  it('keep what a table shows', () => {
    expect(tokensAddress('locked')).toBe('/tokens;state=locked');
    expect(tokensAddress('unassigned')).toBe('/tokens;owner=unassigned');
    expect(tokensAddress('all')).toBe('/tokens');
    const name = fc.stringMatching(/^[a-z]{1,9}$/);
    const text = fc.oneof(
      fc.string({ minLength: 1, unit: 'grapheme' }),
      fc.constantFrom(';', '=', '/:no realm:/'),
    );
    fc.assert(
      fc.property(fc.dictionary(name, text, { noNullPrototype: true }), (view) => {
        expect(readAddress(viewAddress('/tokens', view))).toEqual({ path: '/tokens', view });
      }),
    );
  });

  it('name pages by whole numbers from 1, and by nothing else', () => {
    expect(['2', '', '-1', '0', '1.5', '1e400', 'x'].map(pageIn)).toEqual([2, 1, 1, 1, 1, 1, 1]);
  });

  it('name whatever a user or a token is called', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.string({ unit: 'grapheme' }), fc.constantFrom('~2f~', '%2F', 'a/b ~')),
        (name) => {
          expect(part(name)).toMatch(/^[\w.@~-]*$/);
          expect(readPart(part(name))).toBe(name);
        },
      ),
    );
  });
});
