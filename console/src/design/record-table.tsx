import { Button, Table, VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './record-table.module.css';

interface RecordTableProps<Row> {
  /** The subject of the rows, read aloud. */
  readonly label: string;
  /** The names of the columns; those with `null` are left out. */
  readonly columns: readonly (readonly [name: string, cell: (row: Row) => ReactNode] | null)[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  /** The act of a button at the end of each row; undefined: there is none. */
  readonly act?: RowAct<Row> | undefined;
}

interface RowAct<Row> {
  readonly name: string;
  /** Tells the buttons of the rows apart, read aloud after the name. */
  readonly of: (row: Row) => string;
  readonly isDisabled?: boolean;
  readonly onClick: (row: Row) => void;
}

/** Records as rows of a table; in a narrow window as blocks, which stay a table for screen readers by their roles. */
export function RecordTable<Row>({ label, columns, rows, keyOf, act }: RecordTableProps<Row>): ReactNode {
  const shown = columns.filter((column) => column !== null);
  return (
    <Table role="table" aria-label={label} className={classes.table ?? ''}>
      <Table.Thead role="rowgroup">
        <Table.Tr role="row">
          {shown.map(([name]) => (
            <Table.Th key={name} role="columnheader">
              {name}
            </Table.Th>
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
