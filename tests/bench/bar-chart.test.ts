import { describe, expect, it } from '@jest/globals';
import { barChart } from '../../bench/bar-chart.ts';

const BARS = [
  { label: '(b) <two> & more', value: 200, least: 150, most: 400, kind: 'yardstick' },
  { label: 'check_t', value: 100, least: 90, most: 110, kind: 'tankeeper' },
];

describe('a bar chart', () => {
  const svg = barChart('Answering', 'requests a second', BARS);

  it('draws bars in proportion to their values, from the left', () => {
    const widths = [...svg.matchAll(/<rect x="260" y="\d+" width="([\d.]+)" height="16"/g)].map(([, width]) =>
      Number(width),
    );
    expect(widths).toEqual([240, 120]);
  });

  it('spans least and greatest value', () => {
    expect(svg).toContain('<path d="M440.0 67H740.0"');
  });

  it('escapes what it shows', () => {
    expect(svg).toContain('>(b) &lt;two&gt; &amp; more<');
    expect(svg).not.toContain('<two>');
  });
});
