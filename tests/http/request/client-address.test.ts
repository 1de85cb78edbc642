import { describe, expect, it } from '@jest/globals';
import { clientAddress } from '../../../src/http/limits/networks.ts';

describe('clientAddress', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::ffff:c000:201', '192.0.2.1'],
    ['::1', '::1'],
    ['2001:DB8:0:0::1', '2001:db8::1'],
    ['fe80::1%eth0', 'fe80::1%eth0'],
    ['1', 'unknown'],
    ['0300.0.2.1', 'unknown'],
    [undefined, 'unknown'],
    ['', 'unknown'],
    ['unknown', 'unknown'],
    ['<script>', 'unknown'],
    ['192.0.2.1:443', '192.0.2.1'],
    ['[2001:db8::1]:443', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['[::ffff:192.0.2.1]:443', '192.0.2.1'],
    ['192.0.2.1:', 'unknown'],
    ['[192.0.2.1]', '192.0.2.1'],
    ['2001:db8::1:443x', 'unknown'],
  ])('writes %j as %s', (address, written) => {
    expect(clientAddress(address)).toBe(written);
  });
});
