import { Badge, Button, Group, Table, Text, VisuallyHidden } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { call, type ValueOf } from '../api/call.ts';
import { Failure } from '../design/failure.tsx';
import { Loaded } from '../design/loaded.tsx';
import { useFormat } from '../language/format.ts';
import { type Texts, useTexts } from '../language/language.ts';

type OpenSession = ValueOf<'/admin/sessions'>[number];

interface SessionListProps {
  /** Whose; `*`: everybody's. Undefined: the caller's. */
  readonly owner?: string | undefined;
}

interface SessionTexts {
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
    owner: 'Konto',
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
  const queries = useQueryClient();
  const given = owner === undefined ? {} : { administrator: owner };
  const sessions = useQuery({
    queryKey: ['sessions', owner ?? ''],
    queryFn: ({ signal }) => call('/admin/sessions', given, { signal }),
  });
  const end = useMutation({
    mutationFn: (one: OpenSession | 'all') =>
      call(
        '/admin/sessions/end',
        one === 'all' ? { ...given, all: '1' } : { administrator: one.administrator, id: one.id },
      ),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['sessions'] }),
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
    <Table.ScrollContainer minWidth={0} type="native">
      <Table>
        <Table.Thead>
          <Table.Tr>
            {isEverybody && <Table.Th>{t.owner}</Table.Th>}
            <Table.Th>{t.client}</Table.Th>
            <Table.Th>{t.kind}</Table.Th>
            <Table.Th>{t.begun}</Table.Th>
            <Table.Th>{t.ends}</Table.Th>
            <Table.Th>
              <VisuallyHidden>{t.end}</VisuallyHidden>
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {listed.map((session) => (
            <Table.Tr key={session.id}>
              {isEverybody && <Table.Td>{session.administrator}</Table.Td>}
              <Table.Td>
                {session.client} {session.own && <Badge variant="light">{t.thisOne}</Badge>}
              </Table.Td>
              <Table.Td>{t.kinds[session.kind]}</Table.Td>
              <Table.Td>{format.time(session.created)}</Table.Td>
              <Table.Td>{format.ago(session.expires)}</Table.Td>
              <Table.Td>
                <Button
                  size="xs"
                  variant="default"
                  disabled={isPending}
                  aria-label={`${t.end}: ${session.administrator}, ${session.client}, ${format.time(session.created)}`}
                  onClick={() => {
                    onEnd(session);
                  }}
                >
                  {t.end}
                </Button>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
