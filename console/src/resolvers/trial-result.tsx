import { Alert, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ValueOf } from '../api/call.ts';
import { RecordTable } from '../design/record-table.tsx';
import { useFormat } from '../language/format.ts';
import { useTexts } from '../language/language.ts';
import { resolverTexts } from './resolver-texts.ts';

export type Trial = ValueOf<'/system/testResolver'>;

/** The result of a trial, read aloud when it appears. */
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
      {trial.entries !== undefined && (
        <Text>{t.entries(trial.entries, (value) => format.number(value))}</Text>
      )}
      {trial.first === null ? <Text>{t.mayNotList}</Text> : <FirstUsers users={trial.first} />}
    </Alert>
  );
}

type Users = NonNullable<Extract<Trial, { readonly readable: true }>['first']>;

function FirstUsers({ users }: { readonly users: Users }): ReactNode {
  const t = useTexts(resolverTexts);
  return (
    users.length > 0 && (
      <RecordTable
        label={t.first}
        columns={[
          [
            t.login,
            ({ username, givenname, surname }) => (
              <>
                {username}
                <Text size="sm">{`${givenname} ${surname}`.trim()}</Text>
              </>
            ),
          ],
          [
            t.email,
            ({ email, userid }) => (
              <>
                {email}
                <Text size="sm">{t.id(userid)}</Text>
              </>
            ),
          ],
        ]}
        rows={users}
        keyOf={({ userid }) => userid}
      />
    )
  );
}
