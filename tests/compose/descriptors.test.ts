import { describe, expect, it } from '@jest/globals';
import { descriptorWarning } from '../../src/compose/process.ts';
import { loadConfig } from '../../src/config/config.ts';

const limitsOf = (soft: string): string =>
  `Limit                     Soft Limit           Hard Limit           Units\nMax open files            ${soft}                 524288               files\n`;

describe('the number of files that a server may open', () => {
  const config = loadConfig({ LIMIT_CONNECTIONS: '4000', DATABASE_POOL_SIZE: '20' });

  it('is in a warning at the start if LIMIT_CONNECTIONS needs more', () => {
    expect(descriptorWarning(config, limitsOf('1024'))).toBe(
      'The process may open 1024 files, and LIMIT_CONNECTIONS=4000 needs 4120: raise LimitNOFILE (ulimit -n), or lower LIMIT_CONNECTIONS',
    );
  });

  it.each([limitsOf('4120'), limitsOf('unlimited'), ''])('is none if it is enough or unknown', (limits) => {
    expect(descriptorWarning(config, limits)).toBeUndefined();
  });
});
