import { Alert, Button, Table } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTexts } from '../language/language.ts';
import { editorTexts } from './editor-texts.ts';
import classes from './policies.module.css';
import { differences, type PolicyDraft, type StoredPolicy } from './policy-draft.ts';
import { policyTexts } from './policy-texts.ts';

interface PolicyConflictProps {
  readonly draft: PolicyDraft;
  /** Null: it was removed. */
  readonly stored: StoredPolicy | null;
  readonly onKeep: () => void;
  readonly onTake: () => void;
}

/** The policy that somebody else has stored meanwhile, beside what was typed. */
export function PolicyConflict({ draft, stored, onKeep, onTake }: PolicyConflictProps): ReactNode {
  const t = useTexts(editorTexts);
  const { fields, state, active, inactive } = useTexts(policyTexts);
  const shown = (policy: PolicyDraft, field: ReturnType<typeof differences>[number]): string =>
    field === 'active' ? (policy.active ? active : inactive) : policy[field];
  return (
    <Alert color="red" role="alert" title={stored === null ? t.gone : t.conflict}>
      {stored !== null && (
        <Table className={classes.changes}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t.field}</Table.Th>
              <Table.Th>{t.theirs}</Table.Th>
              <Table.Th>{t.yours}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {differences(stored, draft).map((field) => (
              <Table.Tr key={field}>
                <Table.Td>{field === 'active' ? state : fields[field]}</Table.Td>
                <Table.Td>{shown(stored, field)}</Table.Td>
                <Table.Td>{shown(draft, field)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
      <div className={classes.buttons}>
        <Button variant="default" onClick={onKeep}>
          {t.keepMine}
        </Button>
        {stored !== null && (
          <Button variant="default" onClick={onTake}>
            {t.takeTheirs}
          </Button>
        )}
      </div>
    </Alert>
  );
}
