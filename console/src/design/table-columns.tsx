import { Button, Checkbox, Group, NativeSelect } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import { csvLine } from '../../../src/kernel/text.ts';
import { saveFile } from './save-file.ts';
import { useFormat } from '../language/format.ts';
import { useLanguage, useTexts } from '../language/language.ts';
import { designTexts } from './design-texts.ts';
import { Failure } from './failure.tsx';
import { useTell } from './notices.tsx';
import type { RowOrder } from './record-table.tsx';
import classes from './record-table.module.css';

/** A column that is chosen, sorted by and saved. */
export interface TableColumn<Row> {
  readonly key: string;
  readonly name: string;
  /** As it is saved and sorted by. */
  readonly value: (row: Row) => string;
  /** As it is shown; left out: the value. */
  readonly cell?: (row: Row) => ReactNode;
  /** True: only shown where it is chosen. */
  readonly isExtra?: boolean;
  /** True: always shown. */
  readonly isFixed?: boolean;
}

/** @returns the rows in the order of a column; numbers in texts count as numbers */
export function sortRows<Row>(
  rows: readonly Row[],
  { value }: Pick<TableColumn<Row>, 'value'>,
  { isDescending, language }: { readonly isDescending: boolean; readonly language: string },
): readonly Row[] {
  const collator = new Intl.Collator(language, { numeric: true, sensitivity: 'base' });
  const sign = isDescending ? -1 : 1;
  return [...rows].sort((one, other) => sign * collator.compare(value(one), value(other)));
}

/** @returns rows as CSV, which runs no formulas; German spreadsheets take semicolons */
function csvOf<Row>(
  columns: readonly Pick<TableColumn<Row>, 'name' | 'value'>[],
  rows: readonly Row[],
  language: string,
): string {
  const separator = language === 'de' ? ';' : ',';
  const lines = [
    columns.map(({ name }) => name),
    ...rows.map((row) => columns.map(({ value }) => value(row))),
  ];
  return lines.map((cells) => csvLine(cells, separator)).join('');
}

/**
 * @param table the name under which this browser keeps the choice
 * @returns the chosen columns, and the fields that choose them
 */
export function useColumns<Row>(
  table: string,
  all: readonly TableColumn<Row>[],
): { readonly shown: readonly TableColumn<Row>[]; readonly choice: ReactNode } {
  const stored = `tankeeper-columns-${table}`;
  const [chosen, setChosen] = useState(() => localStorage.getItem(stored)?.split(' '));
  const isShown = ({ key, isExtra = false, isFixed = false }: TableColumn<Row>): boolean =>
    isFixed || (chosen?.includes(key) ?? !isExtra);
  const choose = (keys: readonly string[]): void => {
    localStorage.setItem(stored, keys.join(' '));
    setChosen([...keys]);
  };
  const shown = all.filter(isShown);
  return {
    shown,
    choice: (
      <ColumnChoice
        columns={all.filter(({ isFixed }) => isFixed !== true)}
        shown={shown.map(({ key }) => key)}
        onChange={choose}
      />
    ),
  };
}

interface ColumnChoiceProps {
  readonly columns: readonly { readonly key: string; readonly name: string }[];
  readonly shown: readonly string[];
  readonly onChange: (keys: readonly string[]) => void;
}

function ColumnChoice({ columns, shown, onChange }: ColumnChoiceProps): ReactNode {
  const t = useTexts(designTexts);
  const [isOpen, setOpen] = useState(false);
  return (
    <details
      className={classes.choice}
      onToggle={(event) => {
        setOpen(event.currentTarget.open);
      }}
    >
      <summary>{t.columns}</summary>
      {isOpen && (
        <Group gap="sm" mt="xs" role="group" aria-label={t.columns}>
          {columns.map(({ key, name }) => (
            <Checkbox
              key={key}
              label={name}
              checked={shown.includes(key)}
              onChange={(event) => {
                onChange(event.currentTarget.checked ? [...shown, key] : shown.filter((one) => one !== key));
              }}
            />
          ))}
        </Group>
      )}
    </details>
  );
}

interface OrderChoiceProps {
  readonly columns: readonly { readonly key: string; readonly name: string }[];
  readonly order: Pick<RowOrder, 'by' | 'isDescending'>;
  readonly onChange: (by: string, isDescending: boolean) => void;
}

/** Chooses the order in a narrow window, which has no heads of columns. */
export function OrderChoice({ columns, order, onChange }: OrderChoiceProps): ReactNode {
  const t = useTexts(designTexts);
  return (
    <NativeSelect
      className={classes.order ?? ''}
      label={t.sort}
      value={`${order.isDescending ? '-' : ''}${order.by}`}
      data={columns.flatMap(({ key, name }) => [
        { value: key, label: t.ascending(name) },
        { value: `-${key}`, label: t.descending(name) },
      ])}
      onChange={(event) => {
        const { value } = event.currentTarget;
        onChange(value.replace(/^-/, ''), value.startsWith('-'));
      }}
    />
  );
}

interface SaveProps<Row> {
  /** That of the file, without its ending. */
  readonly name: string;
  readonly columns: readonly TableColumn<Row>[];
  /** @returns all rows of the table, on whatever page */
  readonly read: (signal: AbortSignal, onRead: (count: number) => void) => Promise<readonly Row[]>;
  /** True while the rows are those of a former filter. */
  readonly isDisabled: boolean;
}

/** Saves the table as a file. */
export function SaveCsvButton<Row>({ name, columns, read, isDisabled }: SaveProps<Row>): ReactNode {
  const t = useTexts(designTexts);
  const language = useLanguage();
  const format = useFormat();
  const tell = useTell();
  const [count, setCount] = useState(0);
  const { begin, stop } = useStop();
  const saving = useMutation({
    gcTime: 0,
    mutationFn: async () => {
      setCount(0);
      const rows = await read(begin(), setCount);
      const content = new Blob([csvOf(columns, rows, language)], { type: 'text/csv' });
      saveFile({ name: `${name}.csv`, content });
      return rows.length;
    },
    onSuccess: (rows) => {
      tell({ text: t.saved(format.number(rows)) });
    },
  });
  return (
    <>
      <Button
        size="xs"
        variant="default"
        disabled={isDisabled || saving.isPending}
        onClick={() => {
          saving.mutate();
        }}
      >
        {t.saveCsv}
      </Button>
      {saving.isPending && (
        <>
          <span>{t.read(format.number(count))}</span>
          <Button size="xs" variant="subtle" onClick={stop}>
            {t.stop}
          </Button>
        </>
      )}
      <Failure error={saving.error?.name === 'AbortError' ? null : saving.error} />
    </>
  );
}

/** @returns the begin of work that ends when it is stopped, or with its page */
export function useStop(): { readonly begin: () => AbortSignal; readonly stop: () => void } {
  const running = useRef(new AbortController());
  const stop = useCallback(() => {
    running.current.abort();
  }, []);
  const begin = useCallback(() => {
    running.current = new AbortController();
    return running.current.signal;
  }, []);
  useEffect(() => stop, [stop]);
  return { begin, stop };
}
