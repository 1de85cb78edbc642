import { describe, expect, it } from '@jest/globals';
import { readVectorFile } from '../support/values/vectors.ts';
import { checkRfc6287 } from '../support/vectors/rfc6287-vectors.ts';

const checked = checkRfc6287(readVectorFile('rfc6287.json'));

describe('RFC 6287, Appendix C', () => {
  it('has seventy vectors', () => {
    expect(checked).toHaveLength(70);
  });

  it.each(checked)('computes and takes: $name', ({ holds }) => {
    expect(holds).toBe(true);
  });
});
