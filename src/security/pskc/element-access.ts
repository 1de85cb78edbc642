import type { XmlElement } from './xml-element.ts';
import { invalid } from './xml-place.ts';

/**
 * @returns the child of that name, undefined where there is none
 * @throws ServiceError 'key-file.invalid' where there are several
 */
export function optionalChild(parent: XmlElement, name: string): XmlElement | undefined {
  const [child, other] = parent.children.filter((element) => element.name === name);
  if (other !== undefined) {
    throw invalid(other.line, other.name, `only one is allowed in ${parent.name}`);
  }
  return child;
}

/** @throws ServiceError 'key-file.invalid' where there is not exactly one */
export function onlyChild(parent: XmlElement, name: string): XmlElement {
  const child = optionalChild(parent, name);
  if (child === undefined) {
    throw invalid(parent.line, parent.name, `${name} is missing in it`);
  }
  return child;
}

/** @throws ServiceError 'key-file.invalid' where it is missing or empty */
export function requiredAttribute(element: XmlElement, name: string): string {
  const value = element.attributes.get(name)?.trim() ?? '';
  if (value === '') {
    throw invalid(element.line, element.name, `the attribute ${name} is missing`);
  }
  return value;
}

/** @throws ServiceError 'key-file.invalid' where it is empty or, line breaks apart, no Base64 (RFC 4648 §4) */
export function bytesOf(element: XmlElement): Buffer {
  const text = element.text.replace(/\s+/g, '');
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(text)) {
    throw invalid(element.line, element.name, 'not Base64');
  }
  return Buffer.from(text, 'base64');
}

/** @throws ServiceError 'key-file.invalid' where it is no whole number from `min` to `max` */
export function numberOf(element: XmlElement, min: number, max: number): number {
  const value = /^\d{1,15}$/.test(element.text) ? Number(element.text) : Number.NaN;
  if (Number.isNaN(value) || value < min || value > max) {
    throw invalid(element.line, element.name, `not a whole number from ${min} to ${max}`);
  }
  return value;
}
