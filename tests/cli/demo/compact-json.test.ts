import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { compactJson } from '../../../src/cli/demo/exchange.ts';

describe('JSON laid out for reading', () => {
  it('stays on a line where it fits', () => {
    expect(compactJson({ a: [1, 'x', null], b: {} }, 80)).toBe('{ "a": [1, "x", null], "b": {} }');
  });

  it('is broken from the outside in', () => {
    expect(
      compactJson(
        {
          rows: [
            ['a', 1],
            ['b', 2],
          ],
          ok: true,
        },
        20,
      ),
    ).toBe(['{', '  "rows": [', '    ["a", 1],', '    ["b", 2]', '  ],', '  "ok": true', '}'].join('\n'));
  });

  it('is the same JSON, whatever the width', () => {
    fc.assert(
      fc.property(
        fc.jsonValue({ noUnicodeString: false }),
        fc.integer({ min: 0, max: 120 }),
        (value, width) => {
          expect(JSON.parse(compactJson(value, width))).toEqual(JSON.parse(JSON.stringify(value)));
        },
      ),
    );
  });
});
