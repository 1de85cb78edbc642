import { Button, Checkbox, Table, VisuallyHidden } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { useTexts } from '../language/language.ts';
import { designTexts } from './design-texts.ts';
import classes from './record-table.module.css';

interface RecordTableProps<Row> {
  /** The subject of the rows, read aloud. */
  readonly label: string;
  /** The names of the columns, with what they are sorted by; those with `null` are left out. */
  readonly columns: readonly (readonly [name: string, cell: (row: Row) => ReactNode, sort?: string] | null)[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  /** The act of a button at the end of each row; undefined: there is none. */
  readonly act?: RowAct<Row> | undefined;
  /** The order of the rows; left out: no column is sorted by. */
  readonly order?: RowOrder;
  /** The rows that are selected; left out: none can be. */
  readonly selection?: RowSelection<Row> | undefined;
}

/** The order of rows, which the heads of columns change. */
export interface RowOrder {
  readonly by: string;
  readonly isDescending: boolean;
  readonly onSort: (by: string) => void;
}

interface RowSelection<Row> {
  /** Read aloud: selects this row. */
  readonly nameOf: (row: Row) => string;
  /** Left out: every row can be selected. */
  readonly isPossible?: (row: Row) => boolean;
  readonly has: (key: string) => boolean;
  readonly onMark: (key: string, isMarked: boolean) => void;
}

interface RowAct<Row> {
  readonly name: string;
  /** Tells the buttons of the rows apart, read aloud after the name. */
  readonly of: (row: Row) => string;
  readonly isDisabled?: boolean;
  readonly onClick: (row: Row) => void;
}

/** Records as rows of a table; in a narrow window as blocks, which stay a table for screen readers by their roles. */
export function RecordTable<Row>({
  label,
  columns,
  rows,
  keyOf,
  act,
  order,
  selection,
}: RecordTableProps<Row>): ReactNode {
  const t = useTexts(designTexts);
  const shown = columns.filter((column) => column !== null);
  const isWide = order === undefined && shown.length > MOST_COLUMNS;
  const isNarrow = useMediaQuery(isWide ? NARROW_FOR_MANY : NARROW, false, {
    getInitialValueInEffect: false,
  });
  return (
    <Table
      role="table"
      aria-label={label}
      className={classes.table ?? ''}
      data-blocks={isNarrow}
      data-many={isWide}
    >
      <Table.Thead role="rowgroup">
        <Table.Tr role="row">
          {selection !== undefined && (
            <Table.Th role="columnheader" className={classes.mark ?? ''}>
              <VisuallyHidden>{t.selection}</VisuallyHidden>
            </Table.Th>
          )}
          {shown.map(([name, , sort]) => (
            <ColumnHead key={name} name={name} sort={sort} order={isNarrow ? undefined : order} />
          ))}
          {act !== undefined && (
            <Table.Th role="columnheader">
              <VisuallyHidden>{act.name}</VisuallyHidden>
            </Table.Th>
          )}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody role="rowgroup">
        {rows.map((row) => (
          <Table.Tr key={keyOf(row)} role="row">
            {selection !== undefined && <MarkCell selection={selection} row={row} id={keyOf(row)} />}
            {shown.map(([name, cell]) => (
              <Table.Td key={name} role="cell" data-name={name}>
                {cell(row)}
              </Table.Td>
            ))}
            {act !== undefined && (
              <Table.Td role="cell">
                <RowButton act={act} row={row} />
              </Table.Td>
            )}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

/** Where a table is shown as blocks: nobody sees its head then. */
const NARROW = '(max-width: 47.99rem)';
/** The same of a table with many columns. One with an order has its choice of columns beside it. */
const NARROW_FOR_MANY = '(max-width: 74.99rem)';
const MOST_COLUMNS = 6;
const ARROWS = { ascending: ' ▲', descending: ' ▼', none: '' } as const;

interface ColumnHeadProps {
  readonly name: string;
  readonly sort: string | undefined;
  readonly order: RowOrder | undefined;
}

function ColumnHead({ name, sort, order }: ColumnHeadProps): ReactNode {
  if (sort === undefined || order === undefined) {
    return <Table.Th role="columnheader">{name}</Table.Th>;
  }
  const own = order.isDescending ? 'descending' : 'ascending';
  const direction = order.by === sort ? own : 'none';
  return (
    <Table.Th role="columnheader" aria-sort={direction}>
      <button
        type="button"
        className={classes.sort}
        onClick={() => {
          order.onSort(sort);
        }}
      >
        {name}
        <span aria-hidden>{ARROWS[direction]}</span>
      </button>
    </Table.Th>
  );
}

interface MarkCellProps<Row> {
  readonly selection: RowSelection<Row>;
  readonly row: Row;
  readonly id: string;
}

function MarkCell<Row>({ selection, row, id }: MarkCellProps<Row>): ReactNode {
  return (
    <Table.Td role="cell" className={classes.markCell ?? ''}>
      <Checkbox
        aria-label={selection.nameOf(row)}
        disabled={selection.isPossible?.(row) === false}
        checked={selection.has(id)}
        onChange={(event) => {
          selection.onMark(id, event.currentTarget.checked);
        }}
      />
    </Table.Td>
  );
}

function RowButton<Row>({ act, row }: { readonly act: RowAct<Row>; readonly row: Row }): ReactNode {
  return (
    <Button
      size="xs"
      variant="default"
      disabled={act.isDisabled ?? false}
      aria-label={`${act.name}: ${act.of(row)}`}
      onClick={() => {
        act.onClick(row);
      }}
    >
      {act.name}
    </Button>
  );
}
