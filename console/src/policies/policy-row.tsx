import { Anchor, Badge, Button, Table } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useTexts } from '../language/language.ts';
import type { PolicyChange } from './change-dialog.tsx';
import classes from './policies.module.css';
import type { StoredPolicy } from './policy-draft.ts';
import { policyTexts } from './policy-texts.ts';

interface PolicyRowProps {
  readonly policy: StoredPolicy;
  /** Undefined: the policy may only be seen. */
  readonly onChange: ((change: PolicyChange) => void) | undefined;
}

/** One policy of the table. */
export function PolicyRow({ policy, onChange }: PolicyRowProps): ReactNode {
  const t = useTexts(policyTexts);
  const { name, scope, action, realm, user, client, time, active } = policy;
  return (
    <Table.Tr>
      <Table.Td className={classes.cell}>
        <Anchor component={Link} underline="always" href={`/policies/edit/${encodeURIComponent(name)}`}>
          {name}
        </Anchor>
      </Table.Td>
      <Table.Td>
        <Badge className={classes.whole} variant="light" color={active ? 'green' : 'gray'}>
          {active ? t.active : t.inactive}
        </Badge>
      </Table.Td>
      <Table.Td className={classes.whole}>{scope}</Table.Td>
      <Table.Td className={classes.cell}>{action}</Table.Td>
      <Table.Td className={classes.cell}>{realm}</Table.Td>
      <Table.Td className={classes.cell}>{user}</Table.Td>
      <Table.Td className={classes.cell}>
        {client}
        {client !== '' && time !== '' && <br />}
        {time}
      </Table.Td>
      {onChange !== undefined && (
        <Table.Td>
          <ChangeButtons policy={policy} onChange={onChange} />
        </Table.Td>
      )}
    </Table.Tr>
  );
}

function ChangeButtons({
  policy,
  onChange,
}: {
  readonly policy: StoredPolicy;
  readonly onChange: (change: PolicyChange) => void;
}): ReactNode {
  const t = useTexts(policyTexts);
  const toggle = policy.active ? 'disable' : 'enable';
  return (
    <div className={classes.buttons}>
      {([toggle, 'remove'] as const).map((kind) => (
        <Button
          key={kind}
          size="compact-sm"
          variant="default"
          aria-label={t.doing[kind](policy.name)}
          onClick={() => {
            onChange({ kind, policy });
          }}
        >
          {t[kind]}
        </Button>
      ))}
    </div>
  );
}
