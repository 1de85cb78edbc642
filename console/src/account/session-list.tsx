import { Badge, Button, Group, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { call, type ValueOf } from '../api/call.ts';
import { Failure } from '../design/failure.tsx';
import { Loaded } from '../design/loaded.tsx';
import { RecordTable } from '../design/record-table.tsx';
import { useReread } from '../design/use-reread.ts';
import { useFormat } from '../language/format.ts';
import { type Texts, useTexts } from '../language/language.ts';

type OpenSession = ValueOf<'/admin/session/list'>[number];

interface SessionListProps {
  /** The owner of the sessions; `*`: everybody's. Undefined: the caller's. */
  readonly owner?: string | undefined;
}

interface SessionTexts {
  readonly sessions: string;
  readonly owner: string;
  readonly client: string;
  readonly kind: string;
  readonly kinds: Readonly<Record<OpenSession['kind'], string>>;
  readonly begun: string;
  readonly ends: string;
  readonly thisOne: string;
  readonly end: string;
  readonly endAll: string;
  readonly none: string;
}

const texts: Texts<SessionTexts> = {
  en: {
    sessions: 'Open sessions',
    owner: 'Administrator',
    client: 'From',
    kind: 'Kind',
    kinds: { login: 'browser', session: 'program' },
    begun: 'Begun',
    ends: 'Ends',
    thisOne: 'this one',
    end: 'End',
    endAll: 'End all sessions and sign-ins',
    none: 'No open sessions.',
  },
  de: {
    sessions: 'Offene Sitzungen',
    owner: 'Administrator',
    client: 'Von',
    kind: 'Art',
    kinds: { login: 'Browser', session: 'Programm' },
    begun: 'Begonnen',
    ends: 'Endet',
    thisOne: 'diese',
    end: 'Beenden',
    endAll: 'Alle Sitzungen und Anmeldungen beenden',
    none: 'Keine offenen Sitzungen.',
  },
};

/** Open sessions, with buttons to end them. */
export function SessionList({ owner }: SessionListProps): ReactNode {
  const t = useTexts(texts);
  const reread = useReread();
  const ofOwner = owner === undefined ? {} : { administrator: owner };
  const sessions = useQuery({
    queryKey: ['sessions', owner ?? ''],
    queryFn: ({ signal }) => call('/admin/session/list', ofOwner, { signal }),
  });
  const end = useMutation({
    mutationFn: (one: OpenSession | 'all') =>
      call(
        '/admin/session/end',
        one === 'all' ? { ...ofOwner, all: '1' } : { administrator: one.administrator, id: one.id },
      ),
    onSuccess: () => reread(['sessions']),
  });
  return (
    <>
      <Failure error={end.error} />
      <Loaded query={sessions}>
        {(listed) =>
          listed.length === 0 ? (
            <Text>{t.none}</Text>
          ) : (
            <SessionTable
              listed={listed}
              isEverybody={owner === '*'}
              isPending={end.isPending}
              onEnd={end.mutate}
            />
          )
        }
      </Loaded>
      {owner !== '*' && (
        <Group>
          <Button
            variant="default"
            loading={end.isPending}
            onClick={() => {
              end.mutate('all');
            }}
          >
            {t.endAll}
          </Button>
        </Group>
      )}
    </>
  );
}

interface SessionTableProps {
  readonly listed: readonly OpenSession[];
  readonly isEverybody: boolean;
  readonly isPending: boolean;
  readonly onEnd: (one: OpenSession) => void;
}

function SessionTable({ listed, isEverybody, isPending, onEnd }: SessionTableProps): ReactNode {
  const t = useTexts(texts);
  const format = useFormat();
  return (
    <RecordTable
      label={t.sessions}
      columns={[
        isEverybody ? [t.owner, ({ administrator: name }) => name] : null,
        [
          t.client,
          ({ client, is_own: own }) => (
            <>
              {client} {own && <Badge variant="light">{t.thisOne}</Badge>}
            </>
          ),
        ],
        [t.kind, ({ kind }) => t.kinds[kind]],
        [t.begun, ({ created_at: created }) => format.time(created)],
        [t.ends, ({ expires_at: expires }) => format.ago(expires)],
      ]}
      rows={listed}
      keyOf={({ id }) => id}
      act={{
        name: t.end,
        of: ({ administrator, client, created_at: created }) =>
          `${administrator}, ${client}, ${format.time(created)}`,
        isDisabled: isPending,
        onClick: onEnd,
      }}
    />
  );
}
