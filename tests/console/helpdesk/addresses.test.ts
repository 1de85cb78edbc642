import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { part, personAddress, readPart, tokenAddress } from '../../../console/src/helpdesk/addresses.ts';

describe('the addresses of the helpdesk', () => {
  it('leave usual names as they are', () => {
    expect(tokenAddress('QR-1_a')).toBe('/tokens/QR-1_a');
    expect(personAddress({ user: 'anna.musk@x', realm: 'north', resolver: 'people' })).toBe(
      '/people/north/people/anna.musk@x',
    );
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
