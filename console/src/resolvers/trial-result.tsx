import { Alert, Button, Group, Text, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { ValueOf } from '../api/call.ts';
import { RecordTable } from '../design/record-table.tsx';
import { useFormat } from '../language/format.ts';
import { useTexts } from '../language/language.ts';
import { resolverTexts } from './resolver-texts.ts';

export type Trial = ValueOf<'/admin/resolver/test'>;

interface TrialResultProps {
  readonly trial: Trial;
  readonly isFinding: boolean;
  /** Tries again, and shows the people whose names begin so. */
  readonly onFind: (words: string) => void;
}

/** The result of a trial, read aloud when it appears, and a look at its people. */
export function TrialResult({ trial, isFinding, onFind }: TrialResultProps): ReactNode {
  const t = useTexts(resolverTexts);
  const format = useFormat();
  if (!trial.is_readable) {
    return (
      <Alert color="red" role="alert" title={t.unreadable}>
        {trial.reason}
      </Alert>
    );
  }
  return (
    <Alert color="green" role="status" title={t.readable(format.number(trial.users ?? 0))}>
      {trial.found !== undefined && <Text>{t.entries(trial.found, (value) => format.number(value))}</Text>}
      {trial.first === undefined ? (
        <Text>{t.mayNotList}</Text>
      ) : (
        <>
          <FindField {...{ isFinding, onFind }} />
          <FirstUsers users={trial.first} />
          {trial.first.length === 0 && <Text>{t.nobodyFound}</Text>}
          {trial.has_more === true && <Text>{t.moreFound}</Text>}
        </>
      )}
    </Alert>
  );
}

function FindField({ isFinding, onFind }: Omit<TrialResultProps, 'trial'>): ReactNode {
  const t = useTexts(resolverTexts);
  const [words, setWords] = useState('');
  return (
    <Group gap="xs" align="end" my="xs">
      <TextInput
        type="search"
        label={t.find}
        autoComplete="off"
        value={words}
        onChange={(event) => {
          setWords(event.currentTarget.value);
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter') {
            // Else the form around it would be saved.
            event.preventDefault();
            onFind(words.trim());
          }
        }}
      />
      <Button
        variant="default"
        loading={isFinding}
        onClick={() => {
          onFind(words.trim());
        }}
      >
        {t.findNow}
      </Button>
    </Group>
  );
}

type Users = NonNullable<Trial['first']>;

function FirstUsers({ users }: { readonly users: Users }): ReactNode {
  const t = useTexts(resolverTexts);
  return (
    users.length > 0 && (
      <RecordTable
        label={t.first}
        columns={[
          [
            t.login,
            ({ login, given_name: givenName, surname }) => (
              <>
                {login}
                <Text size="sm">{`${givenName} ${surname}`.trim()}</Text>
              </>
            ),
          ],
          [
            t.email,
            ({ email, user_id: userId }) => (
              <>
                {email}
                <Text size="sm">{t.id(userId)}</Text>
              </>
            ),
          ],
        ]}
        rows={users}
        keyOf={({ user_id: userId }) => userId}
      />
    )
  );
}
