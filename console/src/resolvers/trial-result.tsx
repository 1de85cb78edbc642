import { Alert, Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ValueOf } from '../api/call.ts';
import card from '../design/card.module.css';
import { useFormat } from '../language/format.ts';
import { useTexts } from '../language/language.ts';
import { resolverTexts } from './resolver-texts.ts';

export type Trial = ValueOf<'/system/testResolver'>;

/** What a trial has found, read aloud when it appears. */
export function TrialResult({ trial }: { readonly trial: Trial }): ReactNode {
  const t = useTexts(resolverTexts);
  const format = useFormat();
  if (!trial.readable) {
    return (
      <Alert color="red" role="alert" title={t.unreadable}>
        {trial.reason}
      </Alert>
    );
  }
  return (
    <Alert color="green" role="status" title={t.readable(format.number(trial.users))}>
      {trial.first === null ? <Text>{t.mayNotList}</Text> : <FirstUsers users={trial.first} />}
    </Alert>
  );
}

type Users = NonNullable<Extract<Trial, { readonly readable: true }>['first']>;

function FirstUsers({ users }: { readonly users: Users }): ReactNode {
  const t = useTexts(resolverTexts);
  return (
    users.length > 0 && (
      <Table.ScrollContainer minWidth={0} type="native">
        <Table aria-label={t.first} className={card.table}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t.login}</Table.Th>
              <Table.Th>{t.email}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {users.map(({ username, userid, givenname, surname, email }) => (
              <Table.Tr key={userid}>
                <Table.Td>
                  {username}
                  <Text size="sm">{`${givenname} ${surname}`.trim()}</Text>
                </Table.Td>
                <Table.Td>
                  {email}
                  <Text size="sm">{t.id(userid)}</Text>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    )
  );
}
