import { encodeQR } from 'qr';

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
  const side = modules.length;
  const svg = svgElement('svg', { viewBox: `0 0 ${side} ${side}`, 'shape-rendering': 'crispEdges' });
  const dark = modules.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : [])));
  svg.append(
    svgElement('path', { fill: '#fff', d: `M0 0h${side}v${side}H0z` }),
    svgElement('path', { fill: '#000', d: dark.join('') }),
  );
  return svg;
}

/** A screen does not get dirty: with the least error correction the modules are larger, which cameras need more. */
function encode(text: string): boolean[][] | undefined {
  try {
    return encodeQR(text, 'raw', { ecc: 'low', border: QUIET_ZONE });
  } catch {
    return undefined;
  }
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
