import { describe, expect, it } from '@jest/globals';

import { hasStatus, parseStatuses } from '../../src/monitoring/monitoring-query.ts';

const names = (text?: string): string[] => parseStatuses(text).map(({ name }) => name);

describe('the parameter status', () => {
  it('selects nothing when it is missing or empty', () => {
    expect(names()).toEqual([]);
    expect(names('')).toEqual([]);
    expect(names(' , ,')).toEqual([]);
  });

  it('keeps the given order, drops blanks around commas and counts a repeated status once', () => {
    expect(names(' unassigned , assigned,active,,unassigned')).toEqual(['unassigned', 'assigned', 'active']);
  });

  it('adds nothing for the two that are always counted', () => {
    expect(names('total,active,total users')).toEqual(['active']);
  });

  it.each([
    ['foo', 'foo'],
    ['assigned,foo', 'foo'],
    ['Assigned', 'Assigned'],
    ['unassigned & inactive', 'unassigned '],
    ['total&active', 'total'],
    ['assigned&', ''],
    ['&', ''],
    ['*', '*'],
    ['__proto__', '__proto__'],
    ['\'"\\ä', '\'"\\ä'],
  ])('refuses %j and names the part that is unknown', (text, status) => {
    expect(() => parseStatuses(text)).toThrow(
      expect.objectContaining({ code: 'token-status.unknown', payload: { status } }),
    );
  });

  it('refuses more statuses than there are meaningful ones', () => {
    const joined = (count: number): string => Array.from({ length: count }, () => 'active').join('&');
    const many = (count: number): string =>
      Array.from({ length: count }, (_, index) => joined(index + 1)).join();
    expect(names(many(64))).toHaveLength(64);
    expect(() => parseStatuses(many(65))).toThrow(expect.objectContaining({ code: 'parameter.invalid' }));
  });
});

describe('a token that is counted by a status', () => {
  const tokens = [true, false].flatMap((active) => [true, false].map((assigned) => ({ active, assigned })));
  const counted = (text: string): unknown => {
    const [status] = parseStatuses(text);
    return tokens.filter((token) => status !== undefined && hasStatus(token, status));
  };

  it('has the one trait that is named', () => {
    expect(counted('active')).toEqual(tokens.filter(({ active }) => active));
    expect(counted('inactive')).toEqual(tokens.filter(({ active }) => !active));
    expect(counted('assigned')).toEqual(tokens.filter(({ assigned }) => assigned));
    expect(counted('unassigned')).toEqual(tokens.filter(({ assigned }) => !assigned));
  });

  it('has all the traits that are joined by &', () => {
    expect(counted('unassigned&inactive')).toEqual([{ active: false, assigned: false }]);
    expect(counted('active&assigned')).toEqual([{ active: true, assigned: true }]);
    expect(counted('assigned&unassigned')).toEqual([]);
  });
});
