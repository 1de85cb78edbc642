/** A bar, with the range of what it stands for. */
export interface Bar {
  readonly label: string;
  readonly value: number;
  readonly least: number;
  readonly most: number;
  /** Bars of one kind have one colour. */
  readonly kind: string;
}

const ROW = 22;
const LABELS = 260;
const BARS = 480;
const VALUES = 90;
const TOP = 56;
const COLOURS = ['#b0b7bd', '#2f6f9f', '#c47f2c', '#5b8c5a', '#8a5a8c'];

/** @returns an SVG with horizontal bars from zero; a line across each bar's end spans least and greatest */
export function barChart(title: string, unit: string, bars: readonly Bar[]): string {
  const greatest = Math.max(...bars.map(({ most }) => most));
  const kinds = [...new Set(bars.map(({ kind }) => kind))];
  const colourOf = (kind: string): string => COLOURS[kinds.indexOf(kind) % COLOURS.length] ?? '';
  const x = (value: number): string => (LABELS + (value / greatest) * BARS).toFixed(1);
  const rows = bars.map(({ label, value, least, most, kind }, index) => {
    const y = TOP + index * ROW;
    const middle = y + ROW / 2;
    return `<text x="${LABELS - 8}" y="${middle + 4}" text-anchor="end">${escapeText(label)}</text>
<rect x="${LABELS}" y="${y + 3}" width="${(Number(x(value)) - LABELS).toFixed(1)}" height="${ROW - 6}" fill="${colourOf(kind)}"/>
<path d="M${x(least)} ${middle}H${x(most)}" stroke="#222"/>
<text x="${(Number(x(most)) + 6).toFixed(1)}" y="${middle + 4}">${formatNumber(value)}</text>`;
  });
  const width = LABELS + BARS + VALUES;
  const height = TOP + bars.length * ROW + 12;
  const legend = kinds.map(
    (kind, index) =>
      `<rect x="${LABELS + index * 150}" y="34" width="12" height="12" fill="${colourOf(kind)}"/><text x="${LABELS + index * 150 + 17}" y="44">${escapeText(kind)}</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="sans-serif" font-size="12">
<rect width="${width}" height="${height}" fill="#fff"/>
<text x="8" y="20" font-size="15">${escapeText(`${title} (${unit})`)}</text>
${legend.join('\n')}
${rows.join('\n')}
</svg>
`;
}

function formatNumber(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
