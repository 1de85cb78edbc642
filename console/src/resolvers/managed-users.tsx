import { Button, Group, Text, TextInput, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useDeferredValue, useState } from 'react';
import { call, type ValueOf } from '../api/call.ts';
import { ConsequenceDialog } from '../consequences/consequence-dialog.tsx';
import { DialogBoundary } from '../design/dialog.tsx';
import { Loaded } from '../design/loaded.tsx';
import { RecordTable } from '../design/record-table.tsx';
import { useFormat } from '../language/format.ts';
import { useTexts } from '../language/language.ts';
import { useSession } from '../session/session.tsx';
import { NewUserDialog, PasswordDialog } from './user-dialogs.tsx';
import { userTexts } from './user-texts.ts';

type User = ValueOf<'/admin/userlist'>[number];

/** The act that the caller is about to do. */
type Intent =
  | { readonly act: 'add' }
  | { readonly act: 'password' | 'remove-password' | 'remove'; readonly login: string };

const MAX_SHOWN_USERS = 50;

/** Lists, adds and removes the users of a managed resolver. */
export function ManagedUsers({ resolver }: { readonly resolver: string }): ReactNode {
  const t = useTexts(userTexts);
  const session = useSession();
  const [intent, setIntent] = useState<Intent>();
  const close = (): void => {
    setIntent(undefined);
  };
  const onIntent = session.may('system', 'write') ? setIntent : undefined;
  return (
    <section>
      <Group justify="space-between">
        <Title order={2} size="h4">
          {t.title}
        </Title>
        {onIntent && (
          <Button
            onClick={() => {
              onIntent({ act: 'add' });
            }}
          >
            {t.add}
          </Button>
        )}
      </Group>
      {session.may('admin', 'userlist') ? (
        <UserList resolver={resolver} onIntent={onIntent} />
      ) : (
        <Text>{t.mayNotList}</Text>
      )}
      {intent !== undefined && (
        <DialogBoundary onClose={close}>
          <UserDialog resolver={resolver} intent={intent} onIntent={setIntent} onEnd={close} />
        </DialogBoundary>
      )}
    </section>
  );
}

interface UserListProps {
  readonly resolver: string;
  /** Undefined: the caller may not change users. */
  readonly onIntent: ((intent: Intent) => void) | undefined;
}

function UserList({ resolver, onIntent }: UserListProps): ReactNode {
  const t = useTexts(userTexts);
  const format = useFormat();
  const [search, setSearch] = useState('');
  const searched = useDeferredValue(search.trim());
  const users = useQuery({
    queryKey: ['users', resolver, searched],
    queryFn: ({ signal }) =>
      call('/admin/userlist', { resconf: resolver, username: patternOf(searched) }, { signal }),
    placeholderData: (before) => before,
  });
  return (
    <>
      <TextInput
        my="sm"
        type="search"
        label={t.search}
        description={t.searchHint}
        value={search}
        onChange={(event) => {
          setSearch(event.currentTarget.value);
        }}
      />
      <Loaded query={users}>
        {(all) =>
          all.length === 0 ? (
            <Text>{t.none}</Text>
          ) : (
            <>
              {all.length > MAX_SHOWN_USERS && (
                <Text>{t.more(MAX_SHOWN_USERS, format.number(all.length))}</Text>
              )}
              <UserTable users={all.slice(0, MAX_SHOWN_USERS)} onIntent={onIntent} />
            </>
          )
        }
      </Loaded>
    </>
  );
}

/** @returns the search as a pattern: without an asterisk, the text may be anywhere */
function patternOf(search: string): string {
  return search.includes('*') ? search : `*${search}*`;
}

function UserTable({
  users,
  onIntent,
}: Pick<UserListProps, 'onIntent'> & { readonly users: readonly User[] }): ReactNode {
  const t = useTexts(userTexts);
  return (
    <RecordTable
      label={t.title}
      columns={[
        [
          t.login,
          ({ username, givenname, surname, email }) => (
            <>
              {username}
              <Text size="sm" c="dimmed">
                {[`${givenname} ${surname}`.trim(), email].filter((text) => text !== '').join(', ')}
              </Text>
            </>
          ),
        ],
        onIntent === undefined
          ? null
          : [t.acts, ({ username }) => <UserActs login={username} onIntent={onIntent} />],
      ]}
      rows={users}
      keyOf={({ userid }) => userid}
    />
  );
}

function UserActs({
  login,
  onIntent,
}: {
  readonly login: string;
  readonly onIntent: (intent: Intent) => void;
}): ReactNode {
  const t = useTexts(userTexts);
  return (
    <Group gap="xs" wrap="nowrap">
      <Button
        variant="default"
        size="xs"
        aria-label={`${t.password}: ${login}`}
        onClick={() => {
          onIntent({ act: 'password', login });
        }}
      >
        {t.password}
      </Button>
      <Button
        variant="default"
        size="xs"
        aria-label={`${t.remove}: ${login}`}
        onClick={() => {
          onIntent({ act: 'remove', login });
        }}
      >
        {t.remove}
      </Button>
    </Group>
  );
}

interface UserDialogProps {
  readonly resolver: string;
  readonly intent: Intent;
  readonly onIntent: (intent: Intent) => void;
  readonly onEnd: () => void;
}

function UserDialog({ resolver, intent, onIntent, onEnd }: UserDialogProps): ReactNode {
  const t = useTexts(userTexts);
  if (intent.act === 'add') {
    return <NewUserDialog resolver={resolver} onClose={onEnd} />;
  }
  const { act, login } = intent;
  if (act === 'password') {
    return (
      <PasswordDialog
        resolver={resolver}
        username={login}
        onRemove={() => {
          onIntent({ act: 'remove-password', login });
        }}
        onClose={onEnd}
      />
    );
  }
  const isRemoval = act === 'remove';
  return (
    <ConsequenceDialog
      title={isRemoval ? t.removeTitle(login) : t.removePasswordTitle(login)}
      action={isRemoval ? t.remove : t.removePassword}
      of={['user', act, resolver, login]}
      foresee={(signal) =>
        call(
          isRemoval ? '/admin/user/remove/consequences' : '/admin/user/remove-password/consequences',
          { login, resolver },
          { signal },
        )
      }
      act={() => call(isRemoval ? '/admin/user/remove' : '/admin/user/remove-password', { login, resolver })}
      changes={['users', resolver]}
      onClose={onEnd}
    >
      {isRemoval ? t.removeText : t.removePasswordText}
    </ConsequenceDialog>
  );
}
