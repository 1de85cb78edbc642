import { create } from 'qrcode';

const SVG = 'http://www.w3.org/2000/svg';
/** Light modules around a code, which readers need to find it (ISO/IEC 18004 §6.3.8). */
const QUIET_ZONE = 4;

/**
 * Draws a QR code, dark on light in every colour scheme: not all readers read an inverted one.
 * @param text of at most 2 953 bytes
 * @returns an SVG element; undefined if no QR code holds the text
 */
export function drawQrCode(text: string): SVGSVGElement | undefined {
  const modules = encode(text);
  if (modules === undefined) {
    return undefined;
  }
  const side = modules.size + 2 * QUIET_ZONE;
  const svg = svgElement('svg', { viewBox: `0 0 ${side} ${side}`, 'shape-rendering': 'crispEdges' });
  svg.append(
    svgElement('path', { fill: '#fff', d: `M0 0h${side}v${side}H0z` }),
    svgElement('path', { fill: '#000', d: darkModules(modules) }),
  );
  return svg;
}

interface QrModules {
  readonly size: number;
  get(row: number, column: number): number;
}

/** A screen does not get dirty: with the least error correction the modules are larger, which cameras need more. */
function encode(text: string): QrModules | undefined {
  try {
    return create(text, { errorCorrectionLevel: 'L' }).modules;
  } catch {
    return undefined;
  }
}

/** @returns the path of the dark modules: a rectangle for each run of them in a row */
function darkModules(modules: QrModules): string {
  const runs: string[] = [];
  for (let row = 0; row < modules.size; row += 1) {
    for (let column = 0; column < modules.size; column += 1) {
      const start = column;
      while (column < modules.size && modules.get(row, column) !== 0) {
        column += 1;
      }
      if (column > start) {
        runs.push(`M${start + QUIET_ZONE} ${row + QUIET_ZONE}h${column - start}v1h-${column - start}z`);
      }
    }
  }
  return runs.join('');
}

function svgElement<Name extends 'svg' | 'path'>(
  name: Name,
  attributes: Readonly<Record<string, string>>,
): SVGElementTagNameMap[Name] {
  const element = document.createElementNS(SVG, name);
  for (const [attribute, value] of Object.entries(attributes)) {
    element.setAttribute(attribute, value);
  }
  return element;
}
