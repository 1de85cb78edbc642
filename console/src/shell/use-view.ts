import { useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import type { RowOrder } from '../design/record-table.tsx';
import { readAddress, type View, viewAddress } from './page-address.ts';

/** Milliseconds without a key after which a typed filter takes effect. */
const PAUSE_MS = 250;

/** The view of a table, which is in the address of the page: the way back and a reload keep it. */
interface ViewControl {
  /** @returns a text of the view; empty where it has none */
  readonly of: (name: string) => string;
  /** @param options.replaces true: the way back does not lead to the view before */
  readonly change: (changes: View, options?: { readonly replaces?: boolean }) => void;
}

export function useView(): ViewControl {
  const [location, navigate] = useLocation();
  const { path, view } = readAddress(location);
  return {
    of: (name) => view[name] ?? '',
    change: (changes, { replaces = false } = {}) => {
      navigate(viewAddress(path, { ...view, ...changes }), { replace: replaces });
    },
  };
}

/** @returns a text of the view as it is typed: it is changed when nothing was typed for a moment */
export function useTyped(
  value: string,
  onChange: (value: string) => void,
): readonly [string, (typed: string) => void] {
  const [typed, setTyped] = useState(value);
  const known = useRef(value);
  const change = useRef(onChange);
  change.current = onChange;
  useEffect(() => {
    if (value !== known.current) {
      known.current = value;
      setTyped(value);
    }
  }, [value]);
  useEffect(() => {
    const timer = setTimeout(() => {
      if (typed !== known.current) {
        known.current = typed;
        change.current(typed);
      }
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
    };
  }, [typed]);
  return [typed, setTyped];
}

/** The first page of a table, in changes of its view. */
export const FIRST_PAGE = { after: '', page: '' };

/** @returns the number of a page in a view, from 1; for any other text 1 */
export function pageIn(text: string): number {
  const page = Number(text);
  return Number.isSafeInteger(page) && page >= 1 ? page : 1;
}

/** The order of a table, which its view keeps. */
interface Order extends RowOrder {
  readonly choose: (by: string, isDescending: boolean) => void;
}

/** @param usual the column that is sorted by where the view says none */
export function useOrder(usual: string): Order {
  const view = useView();
  const sort = view.of('sort');
  const by = sort.replace(/^-/, '') || usual;
  const isDescending = sort.startsWith('-');
  const choose = (column: string, isDown: boolean): void => {
    view.change({ sort: `${isDown ? '-' : ''}${column}`, ...FIRST_PAGE });
  };
  return {
    by,
    isDescending,
    choose,
    onSort: (column) => {
      choose(column, column === by && !isDescending);
    },
  };
}
